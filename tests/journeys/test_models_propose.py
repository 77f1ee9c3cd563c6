"""A provider that lies: whatever it proposes, code decides identity, scope, authority, status and retention."""

from collections.abc import AsyncGenerator, Collection, Sequence
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from temporalio.client import Client

from models.candidates import CandidateKind, Proposal, Terms
from models.events import StoredEvent
from models.ids import tenant_id
from models.policy import Policy
from runtime.addresses import Addresses
from tests.stores import own_world
from tests.world import World, event


class LyingExtractor:
    """Proposes what nobody said, about events that it was not shown, under attributes that do not exist."""

    name = "liar/1"

    def __init__(self) -> None:
        self.foreign: UUID = uuid4()

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        said = events[0]

        def proposal(event_id: UUID, attribute: str, value: str, quote: str) -> Proposal:
            terms = Terms(value=value)
            return Proposal(
                event_id=event_id,
                kind=CandidateKind.STATEMENT,
                attribute=attribute,
                mention="gpu-bench-01",
                terms=terms,
                quote=quote,
            )

        return [
            proposal(said.id, "owner", "evil-corp", "gpu-bench-01 is owned by evil-corp."),
            proposal(said.id, "root_password", "team-a", said.text or ""),
            proposal(self.foreign, "owner", "team-a", said.text or ""),
            proposal(said.id, "uses", "team-a", said.text or ""),
        ]


@pytest.fixture
async def deceived(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[World]:
    """A tenant whose worker has the lying extractor."""
    async with own_world(addresses, policy, client, LyingExtractor()) as world:
        yield world


async def test_nothing_ungrounded_unknown_or_foreign_gets_in(deceived: World) -> None:
    receipts = await deceived.publish(
        deceived.developer, event(type="correction", text="gpu-bench-01 is watched by team-a.")
    )
    await deceived.digest(receipts)
    decided = await deceived.service.became_of(deceived.lead, [receipts[0].event_id])
    verdicts = {(each.attribute, each.verdict, each.reason) for each in decided}
    assert verdicts == {
        ("owner", "discard", "not_grounded"),
        ("undeclared", "discard", "unknown_attribute"),
        # The words are in the event, so this is what a developer may write: permission is the policy's matter.
        ("uses", "establish", "permitted_statement"),
    }
    answer = await deceived.recall(entities=("gpu-bench-01",))
    assert [(fact.attribute, fact.value) for fact in answer.facts] == [("uses", "team-a")]


async def test_words_of_a_discarded_proposal_are_not_kept(deceived: World) -> None:
    receipts = await deceived.publish(
        deceived.developer, event(type="correction", text="gpu-bench-01 is watched by team-a.")
    )
    await deceived.digest(receipts)
    async with deceived.database.transaction(tenant_id(deceived.tenant)) as work:
        rows = await work.rows(text("SELECT * FROM candidates"))
    assert rows
    assert "evil-corp" not in repr(rows)
