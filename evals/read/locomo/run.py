"""The board of LoCoMo: import, consolidate, and look for the turns that answer each question.

It measures retrieval of the cited turns and nothing else: no answer is generated or judged. A passage is a round of up
to two turns; the turns of an answer are counted one by one, as they come, which is the unit of the plain baselines.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

from evals.read import baselines
from evals.read.baselines import Embed, Rank
from evals.read.board import NO_EMBEDDER, OURS, Board, Row
from evals.read.data import data_file
from evals.read.halves import half_of, require_halves
from evals.read.locomo.questions import CATEGORIES, Question, read_questions
from evals.read.measures import NOTHING, Share, figure, quantiles, recall_of
from models.errors import InvalidInput, Unavailable
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from runtime.service import Service
from surfaces.importing.conversations import Conversation
from surfaces.importing.locomo import evidence_ref, import_conversations, read_conversations

PASSAGES = 20
BUDGET_TOKENS = 200_000
SETTLE_SECONDS = 900
FIRST = (5, 10, 20)


class Answered(NamedTuple):
    """A question and the turns that came back, in order of rank, each once; None for one that is not cut off."""

    question: Question
    turns: tuple[str, ...]
    cut: bool = True
    milliseconds: float = 0

    def recall(self, first: int) -> Share:
        """The share of gold among the first turns."""
        return recall_of(self.question.gold, self.turns[:first] if self.cut else self.turns)

    def recall_of_sessions(self, first: int) -> Share:
        """The share of the sessions that gold stands in among the first sessions."""
        sessions = tuple(dict.fromkeys(map(_session, self.turns)))
        gold = frozenset(map(_session, self.question.gold))
        return recall_of(gold, sessions[:first] if self.cut else sessions)


def _session(turn: str) -> str:
    return turn.partition(":")[0]


class Talks(NamedTuple):
    """The file as it is read: conversations, their questions, and the text of every turn by conversation."""

    conversations: Sequence[Conversation]
    questions: Sequence[Question]
    turns: Mapping[str, Mapping[str, str]]


def read_talks(path: Path) -> Talks:
    """Conversations and questions; raises `InvalidInput` where no question can be scored."""
    conversations = read_conversations(path)
    turns = {
        each.sample_id: {
            turn.dia_id: f"{turn.speaker}: {turn.text}" for session in each.sessions for turn in session.turns
        }
        for each in conversations
    }
    questions = read_questions(path, {name: list(each) for name, each in turns.items()})
    if not questions:
        raise InvalidInput("no question cites a turn that exists, so there is nothing to measure", field="qa")
    return Talks(conversations, questions, turns)


async def locomo(service: Service, policy: Policy, embed: Embed | None) -> Board:
    """The board over the whole file."""
    del policy
    talks = read_talks(data_file("locomo", "locomo10.json"))
    require_halves("locomo", list(talks.turns))
    return await measure(service, talks, f"locomo-{uuid4().hex[:8]}", embed)


async def measure(service: Service, talks: Talks, tenant: str, embed: Embed | None) -> Board:
    """Import into `tenant`, wait until all is consolidated, ask, and count."""
    asker = Principal(tenant=tenant, subject="locomo-eval", kind=PrincipalKind.AGENT, roles=("agent",))
    await service.add_tenant(asker)
    started = time.monotonic()
    names = await _imported(service, asker, talks)
    took = time.monotonic() - started
    ours = [await _ask(service, asker, question, names[question.sample_id]) for question in talks.questions]
    columns = {
        OURS: ours,
        **{
            f"{half} half": [each for each in ours if half_of("locomo", each.question.sample_id) == half]
            for half in ("tuning", "reporting")
        },
        **await _plain(talks, embed),
    }
    rows = [
        Row(label, {name: figure(answered, share, _conversation) for name, answered in columns.items()})
        for label, share in _measures().items()
    ]
    return Board(
        title=f"LoCoMo: {sum(map(len, talks.turns.values())):,} turns, {len(ours):,} questions, mean recall",
        columns=list(columns),
        rows=rows,
        milliseconds=quantiles([each.milliseconds for each in ours]),
        notes=[
            f"imported and consolidated in {took:.0f} s; intervals are over conversations",
            *([] if embed else [NO_EMBEDDER]),
        ],
    )


async def _imported(service: Service, asker: Principal, talks: Talks) -> dict[str, dict[UUID, str]]:
    """The turn of each event by conversation, once all of it is consolidated."""
    imported = await import_conversations(service, asker.tenant, talks.conversations)
    try:
        async with asyncio.timeout(SETTLE_SECONDS):
            await service.settle(asker, imported.report.activities)
            await service.embedded(asker)
    except TimeoutError:
        raise Unavailable(
            f"not consolidated after {SETTLE_SECONDS:,} s; see that nothing else keeps the machine"
        ) from None
    return {
        name: {imported.event_ids[evidence_ref(name, turn)]: turn for turn in turns}
        for name, turns in talks.turns.items()
    }


async def _ask(service: Service, asker: Principal, question: Question, names: Mapping[UUID, str]) -> Answered:
    request = RecallRequest(
        scope={"conversation": question.sample_id},
        query=question.text,
        limit=PASSAGES,
        budget_tokens=BUDGET_TOKENS,
    )
    started = time.perf_counter()
    answer = await service.recall(asker, request)
    milliseconds = 1_000 * (time.perf_counter() - started)
    turns = dict.fromkeys(names[source] for passage in answer.passages for source in passage.sources)
    return Answered(question, tuple(turns), milliseconds=milliseconds)


def _measures() -> dict[str, Callable[[Answered], Share]]:
    """Recall of turns at each length for all, at ten for each category, and that of sessions."""

    def at(first: int) -> Callable[[Answered], Share]:
        return lambda each: each.recall(first)

    def within(category: int) -> Callable[[Answered], Share]:
        return lambda each: each.recall(10) if each.question.category == category else NOTHING

    return {
        **{f"recall@{first} turns": at(first) for first in FIRST},
        **{f"recall@10, {category} {name}": within(category) for category, name in CATEGORIES.items()},
        "recall@5 sessions": lambda each: each.recall_of_sessions(5),
    }


async def _plain(talks: Talks, embed: Embed | None) -> dict[str, list[Answered]]:
    """The baselines rank the turns of the conversation that is asked about."""

    def answers(ranks: Mapping[str, Rank], *, cut: bool = True) -> list[Answered]:
        return [Answered(each, tuple(ranks[each.sample_id](each.text)), cut=cut) for each in talks.questions]

    columns = {"BM25 alone": answers({name: baselines.by_words(each) for name, each in talks.turns.items()})}
    if embed is not None:
        near = {
            name: await baselines.by_meaning(
                each, [asked.text for asked in talks.questions if asked.sample_id == name], embed
            )
            for name, each in talks.turns.items()
        }
        columns["vector alone"] = answers(near)
    everything = {name: baselines.unfiltered(each) for name, each in talks.turns.items()}
    return {**columns, "all of it": answers(everything, cut=False)}


def _conversation(answered: Answered) -> str:
    return answered.question.sample_id
