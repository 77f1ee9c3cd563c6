"""What endpoints are told of proposals and versions: each change once, signed, and no word of a playbook."""

from collections.abc import Sequence
from typing import Any

import pytest

from models.intentions import IntentionQuery, State
from models.notices import told_of
from models.policy_proposal import PolicyChange
from models.procedure_rules import ProcedureClass
from models.proposals import ProposalState
from tests.delivery.post import posting
from tests.policies import admin_of, applied
from tests.procedures.bench import NAME, Bench, content
from tests.world import STAGING, World

RULES: dict[str, Any] = {"levels": ["workspace"], "draft": ["developer"], "approve": ["lead"]}


async def telling(world: World, **said: Any) -> PolicyChange:
    """Have the class of these playbooks say so much more."""

    def change(document: dict[str, Any]) -> None:
        document["procedures"]["operations"] |= said

    return await applied(world, change)


@pytest.mark.parametrize(
    ("rule", "told"),
    [("propose", ["hooks"]), ("approve", ["hooks"]), ("lapse", ["hooks"]), ("escalate", ["hooks", "pager"])],
)
def test_who_is_told(rule: str, told: Sequence[str]) -> None:
    rules = ProcedureClass.model_validate({**RULES, "notify": ["hooks"], "escalate_to": ["pager", "hooks"]})
    assert told_of(rules, rule) == told


@pytest.mark.parametrize("names", [[""], ["a\nb"], [f"hook-{number}" for number in range(11)]])
def test_a_class_names_endpoints_by_their_names(names: list[str]) -> None:
    with pytest.raises(ValueError, match="notify"):
        ProcedureClass.model_validate({**RULES, "notify": names})


async def test_each_change_is_told_once_and_without_content(bench: Bench) -> None:
    async with posting(bench.world) as post:
        await telling(bench.world, notify=["hooks"])
        identity = await bench.approved("look", "stop")
        got = await post.got(3)
        told = [post.verified(each) for each in got]
        assert sorted(each["type"] for each in told) == [
            "procedure.current",
            "proposal.approved",
            "proposal.open",
        ]
        ends = {each["type"]: each["data"] for each in told}
        opened = ends["proposal.open"]
        assert (opened["id"], opened["was"], opened["rule"], opened["scope"]) == (
            str(identity),
            None,
            "propose",
            STAGING,
        )
        assert opened["procedure_id"] == str(await bench.procedure_id())
        assert not any(word in each.body.decode() for each in got for word in ("Do look", "is seen", NAME))
        every = IntentionQuery(scope=STAGING, states=tuple(State))
        assert (await bench.service.agenda.page(bench.dana, every)).planned == [], "they are nobody's plans"


async def test_what_is_overdue_is_escalated_and_lapses_in_their_sight(bench: Bench) -> None:
    async with posting(bench.world) as post:
        await telling(bench.world, escalate_to=["hooks"], remind="PT1S", escalate="PT1S", lapse="PT2S")
        identity = await bench.propose(content("look"))
        await bench.until(identity, ProposalState.LAPSED)
        [told] = [post.verified(each) for each in await post.got(1)]
        assert (told["type"], told["data"]["rule"]) == ("proposal.open", "escalate")


async def test_an_endpoint_that_is_not_there_or_switched_off_undoes_no_decision(bench: Bench) -> None:
    async with posting(bench.world) as post:
        await bench.service.endpoints.disable(admin_of(bench.world), "hooks")
        await telling(bench.world, notify=["nobody", "hooks"])
        await bench.approved("look")
        assert await bench.current() == (1, ["look"])
        await bench.service.endpoints.enable(admin_of(bench.world), "hooks")
        await bench.propose(content("look", "stop"))
        [told] = [post.verified(each) for each in await post.got(1)]
        assert told["type"] == "proposal.open", "what was left out is not sent later"


async def test_nobody_else_sets_what_is_told_as_a_notice(bench: Bench) -> None:
    """An intention of a person says what it says as an intention, whatever its data hold."""
    async with posting(bench.world) as post:
        await post.due(1, data={"kind": "proposal", "state": "approved", "id": "x"})
        [told] = [post.verified(each) for each in await post.got(1)]
        assert told["type"] == "intention.due"
