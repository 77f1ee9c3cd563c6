"""The board of the fixed store."""

from collections.abc import Callable, Mapping
from uuid import uuid4

from evals.read import baselines
from evals.read.baselines import Embed
from evals.read.board import NO_EMBEDDER, OURS, Board, Row
from evals.read.fixed import score
from evals.read.fixed.cases import read_cases
from evals.read.fixed.play import LIMIT, Asked, Store
from evals.read.fixed.score import Answered, Judge, texts_by_tenant
from evals.read.halves import require_halves
from evals.read.measures import Share, figure, quantiles
from evals.write.floors import Floor
from models.policy import Policy
from runtime.service import Service

MEASURES: Mapping[str, tuple[Callable[[Answered], Share], Floor | None]] = {
    "eligible recall": (score.eligible_recall, None),
    "recall@5": (score.recall_of_first, None),
    f"recall@{LIMIT}": (score.recall, None),
    f"precision@{LIMIT}": (score.precision, None),
    "stale records": (
        score.stale_rate,
        Floor("What has ended steers nobody: an agent cannot tell it from what holds.", at_most=0),
    ),
    "scope violations": (
        score.scope_violations,
        Floor("A memory that is shown in another scope is told to somebody else.", at_most=0),
    ),
    "conflict partners kept": (
        score.conflict_partners,
        Floor("Half of a disagreement looks like an agreement.", at_least=1),
    ),
    "dropped restrictions": (
        score.dropped_restrictions,
        Floor("What must not be done is said, or it is said that there was no room for it.", at_most=0),
    ),
}


async def fixed_store(service: Service, policy: Policy, embed: Embed | None) -> Board:
    """Fill the store, ask everything, and hold it against the labels and against the plain baselines."""
    cases = read_cases()
    require_halves("fixed", [query.id for query in cases.queries])
    store = Store(service, cases, uuid4().hex[:8])
    await store.fill()
    asked = [await store.ask(query) for query in cases.queries]
    judge = Judge(cases, store.facts, policy)
    ours = [judge.ours(each) for each in asked]
    columns = {
        OURS: ours,
        "tuning half": [each for each in ours if each.query.half == "tuning"],
        "reporting half": [each for each in ours if each.query.half == "reporting"],
        **await _plain(judge, asked, texts_by_tenant(cases.records), embed),
    }
    rows = [
        Row(
            label,
            {
                column: figure(answered, measure, lambda each: each.query.id)
                for column, answered in columns.items()
            },
            floor,
        )
        for label, (measure, floor) in MEASURES.items()
    ]
    return Board(
        title=f"fixed store: {len(cases.records)} records, {len(cases.queries)} questions, limit {LIMIT}",
        columns=list(columns),
        rows=rows,
        milliseconds=quantiles([each.milliseconds for each in asked]),
        notes=[] if embed else [NO_EMBEDDER],
        failures=[line for each in ours if (line := _failure(each)) is not None],
    )


async def _plain(
    judge: Judge, asked: list[Asked], texts: Mapping[str, Mapping[str, str]], embed: Embed | None
) -> dict[str, list[Answered]]:
    words = {tenant: baselines.by_words(kept) for tenant, kept in texts.items()}
    everything = {tenant: baselines.unfiltered(kept) for tenant, kept in texts.items()}
    columns = {"BM25 alone": [judge.plain(each, words) for each in asked]}
    if embed is not None:
        queries = [each.query.ask for each in asked]
        near = {tenant: await baselines.by_meaning(kept, queries, embed) for tenant, kept in texts.items()}
        columns["vector alone"] = [judge.plain(each, near) for each in asked]
    return {**columns, "all of it": [judge.plain(each, everything, None) for each in asked]}


def _failure(answered: Answered) -> str | None:
    """What is amiss with a question, in labels and steps alone."""
    query, shown = answered.query, frozenset(answered.shown)
    halved = [each - shown - answered.told - answered.missing for each in query.conflicts if each & shown]
    amiss = {
        "not shown": {f"{name} (at {step})" for name, step in (answered.dropped or {}).items()},
        "dropped": answered.required - shown - answered.missing,
        "stale": answered.stale,
        "out of scope": answered.beyond,
        "without partner": {name for each in halved for name in each},
    }
    told = [f"{what} {', '.join(sorted(names))}" for what, names in amiss.items() if names]
    return f"{query.id} ({query.half}): {'; '.join(told)}" if told else None
