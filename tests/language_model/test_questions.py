"""One question to a model over a real connection: what it is shown, what is repaired, and what each fault is called."""

import asyncio
import json
import traceback

import pytest

from models.candidates import CandidateKind, Proposal, Terms, is_grounded, said_by
from models.errors import (
    ModelAnswersBadly,
    ModelFailed,
    ModelRateLimited,
    ModelRefuses,
    ModelTimedOut,
    ModelUnauthorised,
    ModelUnreachable,
)
from models.events import EventType, StoredEvent
from models.extractions import Usage
from providers.language_model import AskingExtractor, connect
from providers.language_model.asking import REPAIRS
from providers.protocols import AttributeBrief, Question
from runtime.embedded.processes import free_port
from tests.language_model.conftest import MODEL, TIMEOUT
from tests.language_model.server import HANGS, Answer, ModelServer, Refusal, candidates
from tests.pure.samples import event

CANARY = "zebra-7731-canary"
SAID = event(f"Keep gpu-bench-01 running until {CANARY} is done.", EventType.CORRECTION)
BRIEFS = [
    AttributeBrief("lifecycle_policy", "whether a thing may be stopped"),
    AttributeBrief("owner", "who"),
]
GOOD = candidates(
    {
        "mention": "gpu-bench-01",
        "value": "keep running",
        "ends_when": f"{CANARY} is done",
        "quote": f"Keep gpu-bench-01 running until {CANARY} is done",
    }
)


def question_of(extractor: AskingExtractor, *events: StoredEvent) -> Question[list[Proposal]]:
    question = extractor.question(events or [SAID], BRIEFS)
    assert question is not None
    return question


async def test_a_good_answer_becomes_a_proposal_with_the_whole_sentence(
    server: ModelServer, extractor: AskingExtractor
) -> None:
    server.answers(GOOD)
    answer = await question_of(extractor).ask()
    assert answer.usage == Usage(1, 100, 20)
    [proposal] = answer.content
    assert proposal == Proposal(
        event_id=SAID.id,
        kind=CandidateKind.STATEMENT,
        attribute="lifecycle_policy",
        mention="gpu-bench-01",
        terms=Terms(value="keep running", ends_when=f"{CANARY} is done"),
        hedged=False,
        quote=SAID.text or "",
    )
    assert is_grounded(proposal, said_by(SAID))


async def test_it_is_shown_numbers_and_attributes_and_no_ids(
    server: ModelServer, extractor: AskingExtractor
) -> None:
    await question_of(extractor).ask()
    shown = server.shown()
    assert "event 1: correction, by a person" in shown
    assert "- `lifecycle_policy`: whether a thing may be stopped" in shown
    assert str(SAID.id) not in shown
    assert str(SAID.activity_id) not in shown


REPAIRED = [
    pytest.param("I found one restriction: keep gpu-bench-01.", id="prose"),
    pytest.param(GOOD[: len(GOOD) // 2], id="cut JSON"),
    pytest.param('{"facts": []}', id="another schema"),
    pytest.param(candidates({"event": 7, "value": "x", "quote": "x"}), id="an event that there is not"),
    pytest.param(candidates({"value": None, "quote": "x"}), id="a statement that states nothing"),
    pytest.param(
        candidates({"value": "x", "ends_when": "2026-03-02", "quote": "x"}), id="a date as a condition"
    ),
    pytest.param(json.dumps({"candidates": [{"authority": 4}]}), id="a field of its own"),
]


@pytest.mark.parametrize("bad", REPAIRED)
async def test_what_is_wrong_is_fed_back_and_repaired(
    server: ModelServer, extractor: AskingExtractor, bad: str
) -> None:
    server.answers(bad, GOOD)
    answer = await question_of(extractor).ask()
    assert len(answer.content) == 1
    assert answer.usage == Usage(2, 200, 40)
    roles = [message["role"] for message in server.asked[-1]["messages"]]
    assert roles.count("assistant") == 1, "the bad answer is sent back"
    assert roles[-1] == "user", "with what is wrong with it"


@pytest.mark.parametrize("bad", REPAIRED)
async def test_what_is_never_repaired_is_no_answer(
    server: ModelServer, extractor: AskingExtractor, bad: str
) -> None:
    server.answers(bad)
    with pytest.raises(ModelAnswersBadly) as failed:
        await question_of(extractor).ask()
    assert len(server.asked) == 1 + REPAIRS
    assert not failed.value.was_free


FAULTS: list[tuple[str, Answer, type[ModelFailed], bool]] = [
    ("a time-out", HANGS, ModelTimedOut, False),
    ("429", Refusal(429, {"retry-after": "7"}), ModelRateLimited, True),
    ("429 without a time", Refusal(429), ModelRateLimited, True),
    ("401", Refusal(401), ModelUnauthorised, True),
    ("403", Refusal(403), ModelUnauthorised, True),
    ("an unknown model", Refusal(404), ModelUnauthorised, True),
    ("a rejected request", Refusal(400), ModelRefuses, True),
    ("a server that fails", Refusal(500), ModelUnreachable, True),
    ("a server that is overloaded", Refusal(503), ModelUnreachable, True),
    ("a page of a proxy", Refusal(200, {}, f"<html>{CANARY}</html>"), ModelUnreachable, True),
]


@pytest.mark.parametrize(
    ("answer", "kind", "was_free"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
async def test_each_fault_has_its_code_and_quotes_nothing(
    server: ModelServer, extractor: AskingExtractor, answer: Answer, kind: type[ModelFailed], was_free: bool
) -> None:
    server.answers(answer)
    with pytest.raises(ModelFailed) as failed:
        await question_of(extractor).ask()
    assert type(failed.value) is kind
    assert failed.value.was_free is was_free
    assert len(server.asked) == 1, "the library tries nothing again by itself"
    told = "".join(traceback.format_exception(failed.value)) + repr(failed.value.__context__)
    assert CANARY not in told


async def test_the_wait_that_a_provider_asks_for_is_passed_on(
    server: ModelServer, extractor: AskingExtractor
) -> None:
    server.answers(Refusal(429, {"retry-after": "7"}))
    with pytest.raises(ModelRateLimited) as failed:
        await question_of(extractor).ask()
    assert failed.value.retry_after == 7.0


async def test_nobody_answers(extractor: AskingExtractor) -> None:
    nowhere = AskingExtractor(connect(MODEL, f"http://127.0.0.1:{free_port()}/v1"), MODEL, TIMEOUT)
    with pytest.raises(ModelUnreachable):
        await question_of(nowhere).ask()


async def test_a_cancelled_call_stays_cancelled(server: ModelServer, extractor: AskingExtractor) -> None:
    server.answers(HANGS)
    asking = asyncio.create_task(question_of(extractor).ask())
    while not server.asked:
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_server_that_does_not_say_what_it_took(
    server: ModelServer, extractor: AskingExtractor
) -> None:
    server.tells_usage = False
    server.answers(GOOD)
    assert (await question_of(extractor).ask()).usage is None


async def test_a_call_never_takes_more_than_was_put_aside(
    server: ModelServer, extractor: AskingExtractor
) -> None:
    question = question_of(extractor)
    server.answers("prose")
    with pytest.raises(ModelAnswersBadly):
        await question.ask()
    assert len(server.asked) <= question.most.requests
    shown = sum(len(json.dumps(asked["messages"])) for asked in server.asked)
    assert shown / 4 < question.most.input_tokens


def test_the_digest_stands_for_all_that_the_model_is_shown(extractor: AskingExtractor) -> None:
    same, other = question_of(extractor), question_of(extractor, event("Keep a-1.", EventType.CORRECTION))
    assert same.digest == question_of(extractor).digest != other.digest
    attribute = extractor.question([SAID], BRIEFS[:1])
    assert attribute is not None
    assert attribute.digest != same.digest


def test_nothing_is_asked_where_nobody_has_said_anything(extractor: AskingExtractor) -> None:
    silent = [event(None, EventType.NOTE), event("0.2 % CPU", EventType.OBSERVATION, seq=2)]
    assert extractor.question(silent, BRIEFS) is None
