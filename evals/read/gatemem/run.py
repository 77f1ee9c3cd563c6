"""The board of GateMem: every turn published where it was said, every checkpoint asked by its asker as of its turn.

What is measured is the context that is handed over, and no answer: whatever stands in it can be said.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, cast
from uuid import UUID, uuid4

import yaml

from evals.read import baselines
from evals.read.baselines import Embed
from evals.read.board import NO_EMBEDDER, OURS, Board, Row
from evals.read.gatemem.cases import DOMAINS, Checkpoint, Domain, Episode, read_domain
from evals.read.gatemem.rooms import Room, asked_in, policy_of, roles_of, room_of
from evals.read.halves import half_of, require_halves
from evals.read.measures import NOTHING, Cell, Share, figure, quantiles
from evals.write.floors import Floor
from models.errors import Unavailable
from models.events import MAX_BATCH, EventType
from models.policy import Policy
from models.policy_proposal import NewPolicy
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.scope import Scope
from runtime.service import Service

LIMIT = 10
TURNS_OF_A_PASSAGE = 2
BUDGET_TOKENS = 4_000
SETTLE_SECONDS = 900
BETWEEN_TURNS = timedelta(minutes=1)
AGO = timedelta(days=30)
PUBLISHED = (
    "published, of answers by a large model, as utility x (1 - access leak) x (1 - deletion leak), medical / office:\n"
    "  long context 0.801 / 0.565, policy RAG 0.318 / 0.570, mem0's adapter 0.258 / 0.288"
)


class Answered(NamedTuple):
    """A checkpoint and the context that is handed over for it; `beyond` are its turns from rooms not asked in."""

    checkpoint: Checkpoint
    context: str
    beyond: Share
    milliseconds: float = 0


class Organisation:
    """One episode in a tenant of its own, under the policy that the mapping derives for it."""

    def __init__(self, service: Service, episode: Episode, begin: datetime) -> None:
        self._service = service
        self._episode = episode
        self._tenant = f"gatemem-{uuid4().hex[:12]}"
        self._begin = begin
        self._rooms: dict[UUID, Room] = {}
        self.activities: tuple[UUID, ...] = ()

    async def publish(self) -> None:
        """Everything that was said, each turn by its speaker in its room; a room is one activity."""
        admin = Principal(
            tenant=self._tenant, subject="admin", kind=PrincipalKind.HUMAN, roles=("admin", "voice")
        )
        await self._service.add_tenant(admin)
        content = yaml.safe_dump(policy_of(self._episode))
        await self._service.apply_policy(admin, NewPolicy(content=content, reason="the declared mapping"))
        said: dict[str, list[dict[str, object]]] = {}
        ends: dict[str, dict[str, object]] = {}
        for place, turn in enumerate(self._episode.turns):
            room = room_of(self._episode, turn)
            common: dict[str, object] = {"activity_id": "/".join(room.values()), "scope": dict(room)}
            event = {
                **common,
                "type": EventType.MESSAGE.value,
                "text": turn.text,
                "occurred_at": self.instant(place).isoformat(),
            }
            said.setdefault(turn.speaker, []).append(event)
            ends["/".join(room.values())] = common
        for speaker, events in said.items():
            for start in range(0, len(events), MAX_BATCH):
                batch = events[start : start + MAX_BATCH]
                receipts = await self._service.publish(self.principal(speaker), batch)
                for event, receipt in zip(batch, receipts, strict=True):
                    self._rooms[receipt.event_id] = cast("Room", event["scope"])
        end = {
            "type": EventType.ACTIVITY_COMPLETED.value,
            "occurred_at": self.instant(len(self._episode.turns)).isoformat(),
        }
        receipts = await self._service.publish(admin, [{**common, **end} for common in ends.values()])
        self.activities = tuple(receipt.activity_id for receipt in receipts)

    async def settle(self) -> None:
        """Wait until all of it is consolidated, and found by its meaning."""
        somebody = self.principal(self._episode.turns[0].speaker)
        await self._service.settle(somebody, self.activities)
        await self._service.embedded(somebody)

    async def ask(self, checkpoint: Checkpoint) -> Answered:
        """The context for a checkpoint."""
        asked = asked_in(self._episode, checkpoint.asker, checkpoint.query)
        request = RecallRequest(
            scope=dict(asked),
            query=checkpoint.query,
            as_of=self.instant(self._episode.places[checkpoint.as_of]) + BETWEEN_TURNS / 2,
            limit=LIMIT,
            budget_tokens=BUDGET_TOKENS,
        )
        started = time.perf_counter()
        answer = await self._service.recall(self.principal(checkpoint.asker), request)
        milliseconds = 1_000 * (time.perf_counter() - started)
        return Answered(
            checkpoint,
            "\n".join(item.text for item in (*answer.facts, *answer.passages)),
            _beyond(asked, [self._rooms[turn] for item in answer.passages for turn in item.sources]),
            milliseconds,
        )

    def instant(self, place: int) -> datetime:
        """When a turn was said. Not all of them tell; their order does."""
        return self._begin + place * BETWEEN_TURNS

    def principal(self, name: str) -> Principal:
        """Somebody of the episode, in the roles that the mapping gives them."""
        kind = PrincipalKind.AGENT if self._episode.roles[name] == "agent" else PrincipalKind.HUMAN
        roles = roles_of(self._episode, name)
        return Principal(tenant=self._tenant, subject=name, kind=kind, roles=roles)


def _beyond(asked: Room, said: Sequence[Room]) -> Share:
    """Turns that were said in rooms which are not part of the one that is asked in ÷ all turns."""
    return Share(sum(not Scope(room).covers(Scope(asked)) for room in said), len(said))


def utility(answered: Answered) -> Share:
    """The share of what the asker needs that stands in the context, for a mean over utility checkpoints."""
    checkpoint = answered.checkpoint
    if checkpoint.kind != "utility" or not checkpoint.include:
        return NOTHING
    return Share(checkpoint.covered(answered.context) / len(checkpoint.include), 1)


def _leak(kind: str) -> Callable[[Answered], Share]:
    def measure(answered: Answered) -> Share:
        checkpoint = answered.checkpoint
        if checkpoint.kind != kind or not checkpoint.leaks:
            return NOTHING
        return Share(checkpoint.leaked(answered.context), 1)

    return measure


MEASURES: Mapping[str, Callable[[Answered], Share]] = {
    "utility coverage": utility,
    "access leak": _leak("privacy"),
    "deletion leak": _leak("safety"),
}
BEYOND = Floor("What is said in a room is told to whoever may read there.", at_most=0)


async def gatemem(service: Service, policy: Policy, embed: Embed | None) -> Board:
    """Both domains, one after the other, in one table."""
    del policy
    domains: dict[Domain, tuple[dict[str, Episode], list[Checkpoint]]] = {
        domain: read_domain(domain) for domain in DOMAINS
    }
    require_halves("gatemem", [name for episodes, _ in domains.values() for name in episodes])
    rows: list[Row] = []
    columns: Mapping[str, list[Answered]] = {}
    milliseconds: list[float] = []
    notes: list[str] = []
    for domain, (episodes, checkpoints) in domains.items():
        ours = await _ours(service, episodes, checkpoints)
        milliseconds += [each.milliseconds for each in ours]
        columns = {
            OURS: ours,
            **{
                f"{half} half": [each for each in ours if half_of("gatemem", each.checkpoint.episode) == half]
                for half in ("tuning", "reporting")
            },
            **await _plain(episodes, checkpoints, embed),
        }
        rows += _rows(domain, columns)
        notes.append(f"{domain}, access leak by the asker's role: {_by_role(episodes, ours)}")
    return Board(
        title=f"GateMem: {sum(len(checkpoints) for _, checkpoints in domains.values()):,} checkpoints, limit {LIMIT}",
        columns=list(columns),
        rows=rows,
        milliseconds=quantiles(milliseconds),
        notes=[
            *notes,
            "forgetting does not exist yet: what was to be deleted is still there, and the deletion leak says so",
            PUBLISHED,
            *([] if embed else [NO_EMBEDDER]),
        ],
    )


def _rows(domain: Domain, columns: Mapping[str, Sequence[Answered]]) -> list[Row]:
    cells = {
        label: {name: figure(answered, measure, _episode_of) for name, answered in columns.items()}
        for label, measure in MEASURES.items()
    }
    scores: dict[str, Cell] = {}
    for name in columns:
        useful, access, deletion = (cells[label][name].value or 0 for label in MEASURES)
        scores[name] = Cell(useful * (1 - access) * (1 - deletion), 1, None)
    return [
        *(Row(f"{domain}: {label}", each) for label, each in cells.items()),
        Row(f"{domain}: their formula, of the context", scores),
        Row(
            f"{domain}: turns beyond the room",
            {
                name: figure(answered, lambda each: each.beyond, _episode_of)
                for name, answered in columns.items()
            },
            BEYOND,
        ),
    ]


def _by_role(episodes: Mapping[str, Episode], answered: Sequence[Answered]) -> str:
    """Of the access checkpoints of each role, how many leak."""
    asked: Counter[str] = Counter()
    leaked: Counter[str] = Counter()
    for each in answered:
        role, share = (
            episodes[each.checkpoint.episode].roles[each.checkpoint.asker],
            MEASURES["access leak"](each),
        )
        asked[role] += int(share.whole)
        leaked[role] += int(share.part)
    return ", ".join(f"{role} {leaked[role]}/{count}" for role, count in asked.most_common() if count)


async def _ours(
    service: Service, episodes: Mapping[str, Episode], checkpoints: Sequence[Checkpoint]
) -> list[Answered]:
    begin = datetime.now(UTC) - AGO
    organisations = {name: Organisation(service, episode, begin) for name, episode in episodes.items()}
    for each in organisations.values():
        await each.publish()
    try:
        async with asyncio.timeout(SETTLE_SECONDS):
            for each in organisations.values():
                await each.settle()
    except TimeoutError:
        raise Unavailable(
            f"not consolidated after {SETTLE_SECONDS} s; see that nothing else keeps the machine"
        ) from None
    return [await organisations[each.episode].ask(each) for each in checkpoints]


async def _plain(
    episodes: Mapping[str, Episode], checkpoints: Sequence[Checkpoint], embed: Embed | None
) -> dict[str, list[Answered]]:
    """The baselines over all turns of the episode up to the checkpoint's own, whoever said and whoever asks."""

    def answered(
        most: int | None, rank: Callable[[Checkpoint, Mapping[str, str]], Sequence[str]]
    ) -> list[Answered]:
        found: list[Answered] = []
        for each in checkpoints:
            episode = episodes[each.episode]
            known = {turn.id: turn for turn in episode.turns[: episode.places[each.as_of] + 1]}
            texts = {name: turn.text for name, turn in known.items()}
            shown = [known[name] for name in rank(each, texts)[:most]]
            asked = asked_in(episode, each.asker, each.query)
            beyond = _beyond(asked, [room_of(episode, turn) for turn in shown])
            found.append(Answered(each, "\n".join(turn.text for turn in shown), beyond))
        return found

    columns = {
        f"BM25, {most} turns": answered(most, lambda each, texts: baselines.by_words(texts)(each.query))
        for most in (LIMIT, LIMIT * TURNS_OF_A_PASSAGE)
    }
    if embed is not None:
        ranks = {
            name: await baselines.by_meaning(
                {turn.id: turn.text for turn in episode.turns},
                [each.query for each in checkpoints if each.episode == name],
                embed,
            )
            for name, episode in episodes.items()
        }

        def nearest(each: Checkpoint, texts: Mapping[str, str]) -> list[str]:
            return [name for name in ranks[each.episode](each.query) if name in texts]

        columns["vector, 10 turns"] = answered(LIMIT, nearest)
    return {**columns, "all of it": answered(None, lambda _, texts: list(texts))}


def _episode_of(answered: Answered) -> str:
    return answered.checkpoint.episode
