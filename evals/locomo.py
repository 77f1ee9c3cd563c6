"""LoCoMo through the service: import, consolidate, and look for the turns that answer each question.

    python -m evals.locomo FILE [--conversations N] [--running] [--json]

It measures retrieval of the cited turns and nothing else: no answer is generated or judged. A passage is a
round of up to two turns, so ten passages hold up to twenty; the same answer is therefore also scored on its
first ten turns, which is what other systems count. Without `--running` the servers are temporary ones.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from evals.bootstrap import LEVEL, RESAMPLES, interval_of_mean
from evals.questions import CATEGORIES, Question, read_questions
from evals.stack import running_service, temporary_service
from models.errors import InvalidInput, KeepwellError, Unavailable
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from runtime.service import Service
from surfaces.importing.conversations import Conversation
from surfaces.importing.locomo import evidence_ref, import_conversations, read_conversations

K = 10
BUDGET_TOKENS = 200_000
SETTLE_SECONDS = 3_600
MISSING = (
    "{path}: no such file. The data set is not part of this project (CC BY-NC 4.0): get data/locomo10.json "
    "from github.com/snap-research/locomo and give its path; it may lie in ../shared/data/locomo"
)


class Asked(NamedTuple):
    """A question and what came back: the turns of each passage in order of rank, other items, and the time."""

    question: Question
    passages: tuple[tuple[str, ...], ...]
    facts: int
    milliseconds: float

    @property
    def recall(self) -> float:
        """The share of gold turns in the first `K` passages."""
        seen = {turn for passage in self.passages[:K] for turn in passage}
        return len(self.question.gold & seen) / len(self.question.gold)

    @property
    def all_found(self) -> float:
        """1 where every gold turn is in the first `K` passages, else 0."""
        return float(self.recall == 1)

    @property
    def recall_of_turns(self) -> float:
        """The share of gold turns among the first `K` turns, passages laid out one after the other."""
        turns = [turn for passage in self.passages for turn in passage][:K]
        return len(self.question.gold.intersection(turns)) / len(self.question.gold)


MEASURES: dict[str, Callable[[Asked], float]] = {
    "recall@10 passages": lambda asked: asked.recall,
    "all gold found": lambda asked: asked.all_found,
    "recall@10 turns": lambda asked: asked.recall_of_turns,
}


async def measure(service: Service, tenant: str, path: Path, most: int | None) -> dict[str, Any]:
    """The whole report as JSON values; times in seconds unless named otherwise."""
    conversations = read_conversations(path)[:most]
    turns = {item.sample_id: _turn_ids(item) for item in conversations}
    questions = read_questions(path, dict(turns))
    if not questions:
        raise InvalidInput("no question cites a turn that exists, so there is nothing to measure", field="qa")
    asker = Principal(tenant=tenant, subject="locomo-eval", kind=PrincipalKind.AGENT, roles=("agent",))
    operator = asker.model_copy(update={"kind": PrincipalKind.SYSTEM, "roles": ("operator",)})
    await service.add_tenant(operator)
    imported = await import_conversations(service, tenant, conversations, _progress("imported"))
    report = imported.report
    started = time.monotonic()
    try:
        await asyncio.wait_for(service.settle(asker, report.activities), SETTLE_SECONDS)
    except TimeoutError:
        raise Unavailable(
            f"not consolidated after {SETTLE_SECONDS:,} s; see that a worker runs on these servers"
        ) from None
    consolidating = time.monotonic() - started
    await asyncio.wait_for(service.embedded(asker), SETTLE_SECONDS)
    embedding = time.monotonic() - started - consolidating
    episodes = [await service.episode_of(asker, activity) for activity in report.activities]
    verdicts = await service.verdict_counts(operator)
    names = {
        sample_id: {imported.event_ids[evidence_ref(sample_id, turn)]: turn for turn in turns[sample_id]}
        for sample_id in turns
    }
    started = time.monotonic()
    asked = await _ask(service, asker, questions, names)
    return {
        "tenant": tenant,
        "conversations": len(conversations),
        "sessions": len(report.activities),
        "turns": sum(len(ids) for ids in names.values()),
        "events": report.events,
        "episodes": sum(episode is not None for episode in episodes),
        "candidate_facts_by_verdict": dict(sorted(verdicts.items())),
        "import_seconds": round(report.seconds, 2),
        "consolidation_seconds_after_import": round(consolidating, 2),
        "embedding_seconds_after_consolidation": round(embedding, 2),
        "questions": len(asked),
        "questions_seconds": round(time.monotonic() - started, 2),
        "recall_milliseconds": _milliseconds([item.milliseconds for item in asked]),
        "mean_passages_in_answer": round(statistics.fmean(len(item.passages) for item in asked), 2),
        "mean_turns_in_answer": round(
            statistics.fmean(sum(len(passage) for passage in item.passages) for item in asked), 2
        ),
        "mean_facts_in_answer": round(statistics.fmean(item.facts for item in asked), 2),
        "scores": scores(asked),
    }


def scores(asked: Sequence[Asked]) -> list[dict[str, Any]]:
    """One row for all questions and one for each category: count, and each measure with its interval."""
    rows = [_row("all", asked)]
    for number, name in CATEGORIES.items():
        if chosen := [item for item in asked if item.question.category == number]:
            rows.append(_row(f"{number} {name}", chosen))
    return rows


def _row(name: str, asked: Sequence[Asked]) -> dict[str, Any]:
    row: dict[str, Any] = {"category": name, "questions": len(asked)}
    for label, value in MEASURES.items():
        groups: dict[str, list[float]] = {}
        for item in asked:
            groups.setdefault(item.question.sample_id, []).append(value(item))
        interval = interval_of_mean(list(groups.values()))
        row[label] = {
            "percent": round(100 * statistics.fmean(value(item) for item in asked), 1),
            "interval": None if interval is None else [round(100 * end, 1) for end in interval],
        }
    return row


async def _ask(
    service: Service, asker: Principal, questions: Sequence[Question], names: dict[str, dict[UUID, str]]
) -> list[Asked]:
    """Ask one question after the other, so that the times are those of an idle service."""
    asked: list[Asked] = []
    show = _progress("asked")
    for question in questions:
        request = RecallRequest(
            scope={"conversation": question.sample_id},
            query=question.text,
            limit=K,
            budget_tokens=BUDGET_TOKENS,
        )
        started = time.perf_counter()
        answer = await service.recall(asker, request)
        milliseconds = 1_000 * (time.perf_counter() - started)
        turns = names[question.sample_id]
        passages = tuple(tuple(turns[source] for source in passage.sources) for passage in answer.passages)
        asked.append(Asked(question, passages, len(answer.facts), milliseconds))
        show(len(asked), len(questions))
    return asked


def _turn_ids(conversation: Conversation) -> list[str]:
    return [turn.dia_id for session in conversation.sessions for turn in session.turns]


def _milliseconds(times: Sequence[float]) -> dict[str, float]:
    centiles = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
    return {"p50": round(centiles[49], 1), "p95": round(centiles[94], 1), "max": round(max(times), 1)}


def _progress(what: str) -> Callable[[int, int | None], None]:
    """Show progress on standard error, on one line, where that is a terminal."""

    def show(done: int, total: int | None) -> None:
        if sys.stderr.isatty():
            print(f"\r{what} {done:,} of {total or 0:,}", end="\n" if done == total else "", file=sys.stderr)

    return show


def as_text(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        f"{name.replace('_', ' '):<36}{_plain(value)}" for name, value in report.items() if name != "scores"
    ]
    labels = list(MEASURES)
    lines += ["", f"{'category':<16}{'questions':>9}" + "".join(f"{label:>26}" for label in labels)]
    for row in report["scores"]:
        cells = "".join(f"{_cell(row[label]):>26}" for label in labels)
        lines.append(f"{row['category']:<16}{row['questions']:>9}{cells}")
    lines += [
        "",
        f"Percent, averaged over questions; in brackets a {LEVEL:.0%} bootstrap interval over conversations",
        f"({RESAMPLES:,} resamples). A passage is a round of up to two turns, so ten passages hold up to twenty",
        "turns; the last column takes the first ten turns of the same answer. Facts count towards the ten",
        "items that recall may return, so an answer can have fewer than ten passages.",
    ]
    return "\n".join(lines)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {inner}" for key, inner in value.items()) or "none"  # pyright: ignore[reportUnknownVariableType]
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _cell(score: dict[str, Any]) -> str:
    interval = score["interval"]
    return f"{score['percent']:.1f} " + (
        "[-]" if interval is None else f"[{interval[0]:.1f}, {interval[1]:.1f}]"
    )


@contextlib.asynccontextmanager
async def _service(*, running: bool) -> AsyncGenerator[Service]:
    async with running_service() if running else temporary_service() as service:
        yield service


async def _run(path: Path, most: int | None, *, running: bool) -> dict[str, Any]:
    async with _service(running=running) as service:
        return await measure(service, f"locomo-{uuid4().hex[:8]}", path, most)


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def main() -> int:
    """Run the report; 2 where the data is absent, 1 where it or the service fails."""
    parser = argparse.ArgumentParser(prog="python -m evals.locomo", description="LoCoMo through the service")
    parser.add_argument("file", type=Path, help="LoCoMo's locomo10.json")
    parser.add_argument("--conversations", type=_positive, metavar="N", help="only the first N conversations")
    parser.add_argument("--running", action="store_true", help="use the servers that the settings lead to")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    chosen = parser.parse_args()
    if not chosen.file.is_file():
        print(MISSING.format(path=chosen.file), file=sys.stderr)
        return 2
    try:
        report = asyncio.run(_run(chosen.file, chosen.conversations, running=chosen.running))
    except KeepwellError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(report, indent=2) if chosen.json else as_text(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
