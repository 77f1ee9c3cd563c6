"""What a decision is about: however its entities were given, and under whichever name somebody spoke of them."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from keepwell import EntityMention
from keepwell.activity import Activity
from keepwell.retrieval import RetrievalPolicy

from tests.client.recorder import Recorder
from tests.client.records import BENCH, SANDBOX, answer, fact, service

SCOPE = {"workspace": "staging"}
PATIENT = RetrievalPolicy(stale_decisions=1_000, stale_seconds=1_000.0)
BY_NAME = fact({"id": "named:workspace=staging/gpu-bench-01", "name": "gpu-bench-01"}, required=True)
"""A person has restricted the bench, and said its name and no id."""


@dataclass
class Machine:
    name: str


@pytest.fixture
def recorder() -> Recorder:
    recorder = Recorder()
    recorder.usual = service(BY_NAME)
    return recorder


@pytest.fixture
def run(recorder: Recorder) -> Activity:
    return Activity(recorder, "Clean up", scope=SCOPE, retrieval=PATIENT)


ONE = [
    "gpu-bench-01",
    {"name": "gpu-bench-01"},
    EntityMention(name="gpu-bench-01"),
    Machine("gpu-bench-01"),
    SimpleNamespace(name="gpu-bench-01"),
    ["gpu-bench-01"],
    ("gpu-bench-01",),
    {"gpu-bench-01"},
    {"gpu-bench-01": None}.keys(),
]


class TestOneOrSeveral:
    @pytest.mark.parametrize("given", ONE)
    async def test_one_thing_is_one_thing(self, recorder: Recorder, run: Activity, given: object) -> None:
        async with run:
            known = await run.before("stop it", entities=given)

        assert recorder.asked[0].entities == ("gpu-bench-01",)
        assert [told.id for told in known.restrictions] == [BY_NAME.id]
        assert not known.clear

    @pytest.mark.parametrize(
        "tell",
        [
            lambda run: run.observed("idle", "gpu-bench-01"),
            lambda run: run.note("idle", "gpu-bench-01"),
            lambda run: run.said("idle", entities="gpu-bench-01"),
            lambda run: run.verified("idle", entities="gpu-bench-01"),
            lambda run: run.milestone("idle", {"name": "gpu-bench-01"}),
        ],
    )
    async def test_so_it_is_wherever_things_are_given(
        self, recorder: Recorder, run: Activity, tell: Any
    ) -> None:
        async with run:
            tell(run)
            assert recorder.events[-1].entities == (EntityMention(name="gpu-bench-01"),)
            await run.tool(lambda: None, entities="gpu-bench-01")
        assert recorder.last("tool_call").entities == (EntityMention(name="gpu-bench-01"),)

        async with Activity(recorder, "x", scope=SCOPE, entities="gpu-bench-01"):
            assert recorder.events[-1].entities == (EntityMention(name="gpu-bench-01"),)

    @pytest.mark.parametrize(
        "given", [[5], 5, None, [None], b"web-7", [["web-7"]], {"web-7": {}}, {"id": 7}, [""]]
    )
    async def test_what_names_nothing_is_refused_at_the_call(
        self, recorder: Recorder, run: Activity, given: object
    ) -> None:
        async with run:
            for call in (
                lambda: run.note("x", given),
                lambda: run.said("x", entities=given),
                lambda: Activity(recorder, "x", scope=SCOPE, entities=given),
            ):
                with pytest.raises(TypeError, match=r"names no entity|1 to 300"):
                    call()
            with pytest.raises(TypeError, match=r"names no entity|1 to 300"):
                await run.before("stop it", entities=given)
            with pytest.raises(TypeError, match=r"names no entity|1 to 300"):
                await run.tool(lambda: None, entities=given)

        assert [kind for kind, _ in recorder.told] == ["activity_started", "activity_completed"]


class TestUnderWhicheverName:
    @pytest.mark.parametrize(
        ("listed", "given"),
        [
            ([{"id": "cloud-instance:i-1", "name": "gpu-bench-01"}], "cloud-instance:i-1"),
            ([{"id": "i-1", "name": "gpu-bench-01"}], "i-1"),
            ([{"id": "i-1", "name": "gpu-bench-01"}], {"id": "i-1"}),
            ([{"InstanceId": "i-1", "Tags": [{"Key": "Name", "Value": "gpu-bench-01"}]}], "i-1"),
            ([{"id": "6f1c2f4e-0000-4000-8000-00000000000a", "name": "gpu-bench-01"}],
             "6f1c2f4e-0000-4000-8000-00000000000a"),
            ([SimpleNamespace(id="bench", name="gpu-bench-01")], "bench"),
        ],
    )  # fmt: skip
    async def test_a_restriction_by_name_binds_whoever_decides_by_id(
        self, recorder: Recorder, run: Activity, listed: object, given: object
    ) -> None:
        async with run:
            await run.tool(lambda: listed, effect="read")
            known = await run.before("stop it", entities=[given])
            again = await run.before("stop it after all", entities=[given])

        assert "gpu-bench-01" in recorder.asked[0].entities
        assert (known.restrictions, known.clear) == (known.facts, False)
        assert again.carried_over
        assert (len(again.restrictions), again.clear) == (1, False)

    async def test_and_one_by_id_whoever_decides_by_name(self, recorder: Recorder, run: Activity) -> None:
        recorder.usual = service(fact({"id": BENCH["id"], "name": "the bench of QA"}, required=True))
        async with run:
            await run.tool(lambda: [BENCH, SANDBOX])
            known = await run.before("stop it", entities="gpu-bench-01")
            other = await run.before("stop it", entities="dev-sandbox-04")

        assert (known.clear, other.clear) == (False, True)

    async def test_what_goes_together_may_be_learned_later(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            before = await run.before("stop it", entities="i-1")
            await run.tool(lambda: {"id": "i-1", "name": "gpu-bench-01"})
            after = await run.before("stop it", entities="i-1")

        assert (before.clear, after.clear) == (True, False)

    async def test_a_restriction_that_nobody_can_attribute_binds(
        self, recorder: Recorder, run: Activity
    ) -> None:
        """Only the words of the observation name the machine, so that the service cannot say that it is this one."""
        async with run:
            known = await run.before("stop it", entities="i-1", observation="gpu-bench-01: 0 % CPU")

        assert [told.about for told in known.restrictions] == [[]]
        assert not known.clear

    async def test_one_of_another_thing_that_is_known_does_not(
        self, recorder: Recorder, run: Activity
    ) -> None:
        everywhere = fact({"id": "named:x", "name": "gpu-bench-01"}, required=True, about=[])
        recorder.usual = answer(everywhere)
        async with run:
            await run.tool(lambda: ["gpu-bench-01", "dev-sandbox-04"])
            other = await run.before("stop it", entities="dev-sandbox-04")
            it = await run.before("stop it", entities="gpu-bench-01")

        assert (other.clear, other.restrictions) == (True, ())
        assert (it.clear, it.restrictions) == (False, (everywhere,))

    async def test_an_instruction_leaves_every_decision_clear(
        self, recorder: Recorder, run: Activity
    ) -> None:
        instruction = fact(required=True, reasons=["standing_instruction"])
        recorder.usual = service(BY_NAME, instruction)
        async with run:
            await run.tool(lambda: ["gpu-bench-01", "dev-sandbox-04"])
            bench = await run.before("stop it", entities="gpu-bench-01")
            sandbox = await run.before("stop it", entities="dev-sandbox-04")

        assert (bench.clear, sandbox.clear) == (False, True)
        assert [told.id for told in sandbox.required] == [instruction.id]
        assert [told.id for told in bench.instructions] == [instruction.id]
        assert str(instruction.id) in sandbox.text

    async def test_all_that_is_in_play_is_asked_about_within_the_limit(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            await run.tool(lambda: [f"web-{number}" for number in range(1_200)])
            known = await run.before("stop it", entities=[f"api-{number}" for number in range(20)])

        asked = recorder.asked[0].entities
        assert len(asked) == 1_000
        assert asked[:20] == tuple(f"api-{number}" for number in range(20))
        assert (known.left_out, known.clear) == (0, True)

    async def test_what_must_be_heeded_of_other_things_takes_no_room_beyond_the_budget(
        self, recorder: Recorder, run: Activity
    ) -> None:
        recorder.answers.extend([answer(missing=(BY_NAME.id,)), answer()])
        async with run:
            await run.tool(lambda: ["gpu-bench-01", "dev-sandbox-04"])
            known = await run.before("stop it", entities="dev-sandbox-04")

        assert [request.entities for request in recorder.asked] == [
            ("dev-sandbox-04", "gpu-bench-01"),
            ("dev-sandbox-04",),
        ]
        assert known.clear


class TestTheWordsOfADecision:
    async def test_what_they_name_is_looked_up_even_where_it_is_out_of_play(self, recorder: Recorder) -> None:
        billing = fact({"id": "named:y", "name": "Billing"}, required=True)
        recorder.usual = service(billing)
        policy = RetrievalPolicy(in_play_for=0, stale_decisions=1_000)
        async with Activity(recorder, "x", scope=SCOPE, retrieval=policy) as run:
            await run.tool(lambda: [{"name": "billing"}, {"name": "checkout"}])
            elsewhere = await run.before("wait a little", entities="web-7")
            by_words = await run.before("restart billing")
            besides = await run.before("restart web-7 and Billing.", entities="web-7")

        assert recorder.asked[1].entities == ("billing",)
        assert [known.clear for known in (elsewhere, by_words, besides)] == [True, False, False]

    async def test_they_narrow_nothing(self, recorder: Recorder, run: Activity) -> None:
        """A word may be a name by chance, and "it" is not what a ticket is called."""
        async with run:
            await run.tool(lambda: [{"name": "stop"}, {"name": "gpu-bench-01"}, {"name": "OPS-12"}])
            known = await run.before("stop it, as OPS-12 says")

        assert recorder.asked[0].entities == ("OPS-12", "stop", "gpu-bench-01")
        assert not known.clear
