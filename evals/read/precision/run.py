"""The board of precisionMemBench: its beliefs stated through the service, its cases asked, its scores counted.

Once with aliases as names of the thing that a belief is about, which is where Keepwell keeps them, and once with them
among the words of the belief as well.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

from evals.read import baselines
from evals.read.baselines import Embed, Rank
from evals.read.board import NO_EMBEDDER, OURS, Board, Row
from evals.read.halves import half_of, require_halves
from evals.read.measures import NOTHING, Share, figure, quantiles
from evals.read.precision.cases import PERSON, Belief, Case, read_beliefs, read_cases
from models.errors import InvalidInput
from models.events import EventType
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.statements import Statement
from runtime.service import Service

LIMIT = 12
"""As many as the authors' own system shows."""
IN_WORDS = "aliases as words"

PUBLISHED = """published by its authors: mean precision / recall / p50
  their own system 1.00 / 1.00 / 9.8 ms      supermemory 0.43 / 0.55 / 819 ms     agentmemory 0.17 / 0.97
  gbrain 0.14                                zep 0.09 / 0.95 / 124 ms             mem0 0.06 / 0.99 / 65 ms
  hindsight 0.06 / 1.00 / 590 ms"""


class Answered(NamedTuple):
    """What one contender brings back for a case: beliefs in order, and by which reason where it is ours."""

    case: Case
    shown: tuple[str, ...]
    tiers: Mapping[str, str]
    why: Mapping[str, str]
    milliseconds: float = 0

    @property
    def judged(self) -> frozenset[str]:
        """What counts for precision: all that came as relevant, and what must not come where it came."""
        return frozenset(
            name
            for name in self.shown
            if (self.tiers[name], name) in self.case.unwanted
            or (self.tiers[name] == "relevant" and self.case.relevant is not None)
        )

    @property
    def precision(self) -> float:
        """The share of what is judged that may come; of nothing 1 where nothing relevant is wanted, else 0."""
        may_come = self.case.relevant or frozenset()
        return len(self.judged & may_come) / len(self.judged) if self.judged else float(not may_come)

    @property
    def recall(self) -> float:
        """The share of what is wanted that is shown; 1 where nothing is."""
        wanted = self.case.wanted
        return len(wanted.intersection(self.shown)) / len(wanted) if wanted else 1.0


class Beliefs:
    """The beliefs in a tenant of its own, stated one after the other in the order of their chains."""

    def __init__(self, service: Service, beliefs: Mapping[str, Belief], *, aliases_in_words: bool) -> None:
        self._service = service
        self._tenant = f"precision-{uuid4().hex[:8]}"
        self._aliases_in_words = aliases_in_words
        self._now = datetime.now(UTC) - timedelta(days=30)
        self._beliefs = dict(beliefs)
        self._names: dict[UUID, str] = {}

    async def state_all(self) -> None:
        """State every belief, and by what names things go."""
        await self._service.add_tenant(self._person(PERSON))
        await self.name(*self._beliefs.values())
        for belief in list(self._beliefs.values()):
            await self.state(belief)

    async def state(self, belief: Belief) -> None:
        """State one."""
        self._now += timedelta(minutes=1)
        self._beliefs[belief.id] = belief
        also = f" (also: {', '.join(belief.aliases)})" if self._aliases_in_words and belief.aliases else ""
        stated = await self._service.remember(
            self._person(belief.person),
            Statement(
                scope=_scope(belief.person, belief.domain),
                attribute=f"{'pinned' if belief.pinned else 'belief'}_{belief.kind}",
                entity=_entity(belief),
                value=belief.content + also,
                expires_at=self._now + timedelta(days=1) if belief.resolved else None,
                occurred_at=self._now,
            ),
        )
        if stated.decided is None or stated.decided.fact_id is None:
            raise InvalidInput(f"{belief.id} made no record; see the policy of the boards")
        self._names[stated.decided.fact_id] = belief.id

    async def name(self, *beliefs: Belief) -> None:
        """Let the things that beliefs are about go by their names."""
        activities: dict[str, list[UUID]] = {}
        for belief in beliefs:
            person = self._person(belief.person)
            common = {
                "activity_id": f"names-{uuid4()}",
                "scope": _scope(belief.person, belief.domain),
                "occurred_at": self._now.isoformat(),
            }
            mentions = [{"id": _entity(belief), "name": name} for name in (belief.name, *belief.aliases)]
            named = {**common, "type": EventType.NOTE.value, "entities": mentions}
            end = {**common, "type": EventType.ACTIVITY_COMPLETED.value}
            receipts = await self._service.publish(person, [named, end])
            activities.setdefault(belief.person, []).append(receipts[0].activity_id)
        for name, each in activities.items():
            await self._service.settle(self._person(name), each)

    async def embedded(self) -> None:
        """Wait until every belief can be found by its meaning as well."""
        await self._service.embedded(self._person(PERSON))

    async def ask(self, case: Case) -> Answered:
        """Ask a case in each of its domains, one after the other: a request names one workspace."""
        shown: dict[str, None] = {}
        why: dict[str, str] = {}
        started = time.perf_counter()
        for domain in case.domains or (None,):
            if case.most == 0:
                continue
            request = RecallRequest(
                scope=_scope(case.person, domain),
                query=case.query,
                limit=LIMIT if case.most is None else case.most,
                budget_tokens=4_000,
            )
            answer = await self._service.recall(self._person(case.person), request)
            for fact in answer.facts:
                shown[self._names[fact.id]] = None
                why[self._names[fact.id]] = ", ".join(fact.reasons)
            for belief in case.wanted - shown.keys():
                if self._beliefs[belief].domain == domain:
                    stored = next(key for key, name in self._names.items() if name == belief)
                    explained = await self._service.explain(self._person(case.person), stored, request)
                    why[belief] = str(explained.dropped_at)
        milliseconds = 1_000 * (time.perf_counter() - started) / max(len(case.domains), 1)
        tiers = {name: belief.tier for name, belief in self._beliefs.items()}
        return Answered(case, tuple(shown), tiers, why, milliseconds)

    def _person(self, name: str) -> Principal:
        return Principal(tenant=self._tenant, subject=name, kind=PrincipalKind.HUMAN, roles=("believer",))


def _scope(person: str, domain: str | None) -> dict[str, str]:
    return {"user": person} if domain is None else {"user": person, "workspace": domain}


def _entity(belief: Belief) -> str:
    return f"belief:{belief.key}"


async def precision_mem_bench(service: Service, policy: Policy, embed: Embed | None) -> Board:
    """All cases of both sorts, by both mappings, beside the plain baselines."""
    del policy
    beliefs = read_beliefs()
    retrieval, sessions = read_cases()
    cases = [*retrieval, *sessions]
    require_halves("precision", [case.id for case in cases])
    ours = await _ours(service, beliefs, cases, aliases_in_words=False)
    in_words = await _ours(service, beliefs, cases, aliases_in_words=True)
    held = {each.id: each for case in cases if (each := case.created)} | beliefs
    columns = {
        OURS: ours,
        "tuning half": [each for each in ours if half_of("precision", each.case.id) == "tuning"],
        "reporting half": [each for each in ours if half_of("precision", each.case.id) == "reporting"],
        IN_WORDS: in_words,
        **await _plain(held, cases, embed),
    }
    session = frozenset(case.id for case in sessions)

    def of(value: Callable[[Answered], float], *, among: bool) -> Callable[[Answered], Share]:
        return lambda each: Share(value(each), 1) if (each.case.id in session) is among else NOTHING

    measures = {
        "precision, retrieval cases": of(lambda each: each.precision, among=False),
        "recall, retrieval cases": of(lambda each: each.recall, among=False),
        "precision, session cases": of(lambda each: each.precision, among=True),
        "recall, session cases": of(lambda each: each.recall, among=True),
    }
    rows = [
        Row(label, {name: figure(answered, measure, _name) for name, answered in columns.items()})
        for label, measure in measures.items()
    ]
    return Board(
        title=f"precisionMemBench: {len(beliefs)} beliefs, {len(cases)} cases, limit {LIMIT}",
        columns=list(columns),
        rows=rows,
        milliseconds=quantiles([each.milliseconds for each in ours]),
        notes=[PUBLISHED, *([] if embed else [NO_EMBEDDER])],
        failures=[line for each in ours if (line := _failure(each)) is not None],
    )


def _name(answered: Answered) -> str:
    return answered.case.id


async def _ours(
    service: Service, beliefs: Mapping[str, Belief], cases: Sequence[Case], *, aliases_in_words: bool
) -> list[Answered]:
    stated = Beliefs(service, beliefs, aliases_in_words=aliases_in_words)
    await stated.state_all()
    answered: list[Answered] = []
    for case in cases:
        await stated.embedded()
        answered.append(await stated.ask(case))
        if case.created is not None:
            await stated.name(case.created)
            await stated.state(case.created)
        if case.renamed is not None:
            name, aliases = case.renamed
            renamed = beliefs[name]._replace(aliases=beliefs[name].aliases + aliases)
            await stated.name(renamed)
            if aliases_in_words:
                await stated.state(renamed)
    return answered


async def _plain(
    beliefs: Mapping[str, Belief], cases: Sequence[Case], embed: Embed | None
) -> dict[str, list[Answered]]:
    """Baselines over all beliefs with their names, whoever holds them and whatever has become of them."""
    texts = {
        name: f"{belief.name.replace('_', ' ')} {' '.join(belief.aliases)} {belief.content}"
        for name, belief in beliefs.items()
    }
    tiers = {name: belief.tier for name, belief in beliefs.items()}

    def answers(rank: Rank, most: int | None) -> list[Answered]:
        return [Answered(case, tuple(rank(case.query))[:most], tiers, {}) for case in cases]

    columns = {"BM25 alone": answers(baselines.by_words(texts), LIMIT)}
    if embed is not None:
        columns["vector alone"] = answers(
            await baselines.by_meaning(texts, [case.query for case in cases], embed), LIMIT
        )
    return {**columns, "all of it": answers(baselines.unfiltered(texts), None)}


def _failure(answered: Answered) -> str | None:
    """What is amiss with a case: what is not shown and which step dropped it, what is shown and by which reason."""
    lost = sorted(answered.case.wanted - set(answered.shown))
    noise = sorted(answered.judged - (answered.case.relevant or frozenset()))
    if not lost and not noise:
        return None
    told = [f"lost {name} (at {answered.why.get(name, 'nothing was asked')})" for name in lost]
    told += [f"noise {name} (by {answered.why.get(name, 'nothing')})" for name in noise]
    return f"{answered.case.id} {answered.precision:.2f}/{answered.recall:.2f}: {'; '.join(told)}"
