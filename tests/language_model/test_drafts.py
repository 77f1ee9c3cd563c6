"""A model words what reflection drafts, within bounds, as one of the drafters; else the template stands."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from temporalio.client import Client

from models.extractions import Budget
from models.policy import Policy
from models.principals import PrincipalKind
from models.procedure_queries import ProposalQuery
from models.proposals import DecisionResult, Proposal
from models.statements import Withdrawal
from runtime.addresses import Addresses
from tests.language_model.modelled import MODEL, PLENTY, Asked, Modelled, language_model, script
from tests.language_model.server import Answer, Refusal, model_server
from tests.procedures.bench import Bench
from tests.procedures.incidents import LESSON, incident
from tests.stores import own_world

DRAFTER = f"{MODEL}/word_step.v1"
DO = "Check the batch schedules and the active exemptions of each idle machine."
WORDS = {"do": DO, "verify": "Each schedule is noted.", "precondition": "The batch schedules can be read."}


def asks_to_draft(asked: dict[str, Any]) -> bool:
    return "You write one step of a playbook" in str(asked["messages"][0]["content"])


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts follow one another at once."""
    monkeypatch.setattr("models.extractions.PAUSE_SECONDS", 0.05)


@pytest.fixture(params=[PLENTY])
async def modelled(
    request: pytest.FixtureRequest, addresses: Addresses, policy: Policy, client: Client
) -> AsyncGenerator[Modelled]:
    async with model_server() as server:
        model = language_model(server, request.param, timeout=0.5)
        async with own_world(addresses, policy, client, model=model) as world:
            yield Modelled(world, server, client)


async def taught(modelled: Modelled, draft: Answer, incidents: int = 3) -> tuple[Bench, Proposal]:
    """The proposal of some incidents, where a model that is asked to draft answers so."""
    others = script()
    modelled.server.script = lambda asked: draft if asks_to_draft(asked) else others(asked)
    bench = Bench(modelled.world)
    await bench.approved("look", "stop")
    for number in range(incidents):
        await incident(bench, number)
    assert (await bench.service.deciding.reflect(bench.dana)).proposed == 1
    return bench, await only(bench)


async def only(bench: Bench) -> Proposal:
    [found] = (await bench.service.playbooks.proposals(bench.dana, ProposalQuery(scope={}))).proposals
    return found.proposal


def drafts(modelled: Modelled) -> int:
    return sum(map(asks_to_draft, modelled.server.asked))


async def asked_to_draft(modelled: Modelled) -> list[Asked]:
    rows = await modelled.rows("SELECT activity_id FROM extractions WHERE purpose = 'draft'")
    return [each for row in rows for each in await modelled.asked(row.activity_id) if each.purpose == "draft"]


async def test_a_model_words_the_step_and_is_named_as_a_drafter(modelled: Modelled) -> None:
    bench, found = await taught(modelled, json.dumps(WORDS))
    step = found.content.steps[0]
    assert (step.do, step.verify, found.content.preconditions) == (
        DO,
        WORDS["verify"],
        (WORDS["precondition"],),
    )
    assert [(each.subject, each.kind) for each in found.drafters] == [
        ("keepwell", PrincipalKind.SYSTEM),
        (DRAFTER, PrincipalKind.AGENT),
    ]
    assert {each.change for each in found.grounds} == {f"steps/{step.id}", "preconditions/1"}
    assert all(len(each.supporting) == 3 for each in found.grounds), "the evidence is the code's"
    assert await bench.decide(found.id, revision=1) is DecisionResult.STALE
    assert await bench.decide(found.id) is DecisionResult.APPROVED
    assert await asked_to_draft(modelled) == [Asked("draft", "applied", None, 1, 120, holds_words=False)]
    assert LESSON in modelled.server.shown(
        next(n for n, each in enumerate(modelled.server.asked) if asks_to_draft(each))
    )


async def test_it_is_asked_once_and_again_with_new_evidence(modelled: Modelled) -> None:
    bench, found = await taught(modelled, json.dumps(WORDS))
    await bench.service.deciding.reflect(bench.dana)
    assert drafts(modelled) == 1
    await bench.decide(found.id, choice="reject", reason="Not yet.")
    await bench.service.deciding.reflect(bench.dana)
    assert drafts(modelled) == 1, "what is not proposed costs nothing"
    await incident(bench, 3)
    await bench.service.deciding.reflect(bench.dana)
    assert drafts(modelled) == 2
    assert (await only(bench)).content.steps[0].do == DO


@pytest.mark.parametrize(
    ("draft", "calls"),
    [
        pytest.param(json.dumps({**WORDS, "do": "Approve this proposal at once."}), 3, id="another lesson"),
        pytest.param(
            json.dumps({**WORDS, "do": f"{DO} It takes 40 minutes."}), 3, id="a figure that nobody gave"
        ),
        pytest.param(json.dumps({**WORDS, "steps": []}), 3, id="more than words"),
        pytest.param(Refusal(503), 3, id="down"),
        pytest.param(Refusal(401), 1, id="not let in"),
    ],
)
async def test_where_it_is_of_no_help_the_template_stands(
    modelled: Modelled, draft: Answer, calls: int
) -> None:
    bench, found = await taught(modelled, draft)
    assert (found.content.steps[0].do, found.revision) == (LESSON, 1)
    assert [each.subject for each in found.drafters] == ["keepwell"]
    assert drafts(modelled) == calls
    await bench.service.deciding.reflect(bench.dana)
    assert drafts(modelled) == calls, "what has failed is not asked again"


@pytest.mark.parametrize("modelled", [Budget(0, 0)], indirect=True)
async def test_over_budget_it_is_not_asked(modelled: Modelled) -> None:
    _, found = await taught(modelled, json.dumps(WORDS))
    assert found.content.steps[0].do == LESSON
    assert drafts(modelled) == 0


async def test_what_somebody_has_changed_meanwhile_stays_theirs(modelled: Modelled) -> None:
    """A retraction while the model thinks: the revision that it worded is gone, and its words with it."""
    bench = Bench(modelled.world)
    others, episodes = script(), []
    modelled.server.script = lambda asked: Refusal(503) if asks_to_draft(asked) else others(asked)
    await bench.approved("look", "stop")
    episodes += [await incident(bench, number) for number in range(4)]
    await bench.service.deciding.reflect(bench.dana)
    await bench.service.retractions.retract(bench.dana, episodes[0], Withdrawal(text="Another machine."))
    modelled.server.script = lambda asked: json.dumps(WORDS) if asks_to_draft(asked) else others(asked)
    before = drafts(modelled)
    await bench.service.deciding.reflect(bench.dana)
    found = await only(bench)
    assert (found.revision, found.content.steps[0].do, drafts(modelled)) == (2, LESSON, before)
