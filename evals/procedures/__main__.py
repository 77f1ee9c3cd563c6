"""`python -m evals.procedures`: have a service live through the corpus, and hold what is proposed to the truth."""

import argparse
import asyncio
import json
import sys
from collections import Counter
from uuid import uuid4

from capture.accept import Receipt
from evals.procedures.corpus import SEEDS, Lived, Sort, corpus
from evals.procedures.score import Score, pooled, scored
from evals.write.stage import temporary_stage
from models.errors import KeepwellError
from models.principals import Principal, PrincipalKind
from models.procedure_queries import ProposalQuery
from runtime.embedded.errors import StackError
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY

FLOOR = 0.95
SETTLE_SECONDS = 600.0


async def measure() -> Score:
    """The score of the corpora together, on servers of its own, each in a tenant."""
    async with temporary_stage(load_policy(SHIPPED_POLICY)) as stage:
        return pooled([await played(stage.service, corpus(seed)) for seed in SEEDS])


async def played(service: Service, lived: list[Lived]) -> Score:
    """Publish everything, wait until it is digested, reflect once, and see what waits for a reviewer."""
    tenant = f"procedures-{uuid4().hex[:12]}"
    lead = Principal(tenant=tenant, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    speakers = {
        "lead": lead,
        "other_lead": lead.model_copy(update={"subject": "kim"}),
        "agent": Principal(tenant=tenant, subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",)),
        "pipeline": Principal(tenant=tenant, subject="qa-pipeline", kind=PrincipalKind.SYSTEM),
    }
    await service.add_tenant(lead)
    receipts: list[Receipt] = []
    for each in lived:
        for who, event in each.said:
            receipts += await service.publish(speakers[who], [event])
    activities = list({receipt.activity_id for receipt in receipts})
    await asyncio.wait_for(service.settle(lead, activities), SETTLE_SECONDS)
    await service.deciding.reflect(lead)
    told: list[tuple[str, list[str]]] = []
    page = await service.playbooks.proposals(lead, ProposalQuery(scope={}, limit=200))
    for proposal, _ in page.proposals:
        read = await service.playbooks.proposal(lead, proposal.id)
        task = proposal.content.trigger.task_class or ""
        told.append((task, [each.activity for each in read.episodes if each.id in set(proposal.episodes)]))
    return scored(lived, told)


def as_text(score: Score) -> str:
    """The figures, what was missed, and what should not be there."""
    sorts = Counter(each.sort for seed in SEEDS for each in corpus(seed))
    lines = [
        f"{sum(sorts.values())} activities: " + ", ".join(f"{sorts[sort]} {sort.value}" for sort in Sort),
        f"precision {score.precision:.3f} ({score.right} of {score.proposals} proposals)",
        f"recall    {score.recall:.3f} ({score.found} of {score.planted} planted)",
        f"from one incident: {score.from_one}",
        *(f"missed: {task}" for task in score.missed),
        *(f"wrong: {each.task}, of {', '.join(each.sorts)}" for each in score.wrong),
    ]
    return "\n".join(lines)


def main() -> int:
    """Measure and print; 1 below the floors."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.procedures", description="what reflection proposes"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args()
    try:
        score = asyncio.run(measure())
    except (KeepwellError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    figures = {**score._asdict(), "precision": score.precision, "recall": score.recall}
    print(json.dumps(figures, indent=2, ensure_ascii=False) if chosen.json else as_text(score))
    return 1 if min(score.precision, score.recall) < FLOOR or score.from_one else 0


if __name__ == "__main__":
    sys.exit(main())
