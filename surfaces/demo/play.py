"""Play the story, chapter by chapter, and hold what comes out against what must."""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from capture.accept import Receipt
from models.explanation import Step
from models.history import FactLife
from models.principals import Principal
from models.recall import RecallAnswer, RecallRequest
from runtime.opening import opened_service
from runtime.service import Service
from runtime.settings import Settings
from runtime.up import Running, running
from surfaces.demo import story
from surfaces.demo.agent import Sweep, sweep
from surfaces.demo.expectations import Ledger
from surfaces.demo.playbook import Playbook
from workflows import ids

QUIET_SECONDS = 0.5
SETTLE_SECONDS = 90
MIGRATION = "QA migrates the suite to the shared Kubernetes cluster"
BENCHMARK = "the final benchmark"
EPISODE = "completed, goal unknown, 3 sources"
REBUILT = "completed, goal unknown, 4 sources"

Say = Callable[[Any], None]


async def play(base: Settings, *, keep: bool, asked: asyncio.Event, say: Say) -> bool:
    """Start fresh servers, tell the story, show the table; whether everything came out as it must.

    With `keep` the servers stay up until `asked` is set.
    """
    home = base.home / "demo"
    settings = base.model_copy(update={"home": home, "quiet_seconds": QUIET_SECONDS})
    say("Starting Postgres, Temporal and a worker …")
    await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    async with (
        running(settings) as up,
        opened_service(settings, temporal=True, where=up.addresses) as service,
    ):
        told = asyncio.ensure_future(Telling(service, up, say).tell())
        stopped = asyncio.ensure_future(asked.wait())
        await asyncio.wait({told, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            told.cancel()
            return False
        agreed = told.result()
        if keep:
            say(
                f"Left running: {up.addresses.ui_url}  (Ctrl-C stops it). From another terminal, in this folder:"
            )
            say(
                f"  KEEPWELL_HOME={home} keepwell history --tenant {story.TENANT} "
                f"--entity {story.BENCH['name']} --scope workspace={story.SCOPE['workspace']}"
            )
            await stopped
        stopped.cancel()
    return agreed


class Telling:
    """One telling of the story against a running service."""

    def __init__(self, service: Service, up: Running, say: Say) -> None:
        self._service = service
        self._up = up
        self._say = say
        self._days = story.calendar(datetime.now(UTC))
        self._ledger = Ledger()

    async def tell(self) -> bool:
        """All chapters in order; whether every expectation was met."""
        await self._service.add_tenant(story.AGENT)
        first = await self._first_cleanup()
        monday = await self._complaint_through_a_crash(first)
        await self._hunch()
        await self._sweep_that_heeds()
        old, new = await self._change_of_plans(monday)
        await self._end(new)
        await self._sweep_that_may()
        await self._explained(new)
        await self._late_event(monday, (old, new))
        await Playbook(self._service, self._days, self._ledger, self._say).tell()
        self._links(monday, (old, new))
        self._say(self._ledger.table())
        return self._ledger.all_met

    async def _publish(self, who: Principal, events: story.Events) -> list[Receipt]:
        return await self._service.publish(who, events)

    async def _settle(self, receipts: Sequence[Receipt]) -> None:
        activities = list({receipt.activity_id for receipt in receipts})
        await asyncio.wait_for(self._service.settle(story.AGENT, activities), SETTLE_SECONDS)

    async def _lives(self) -> list[FactLife]:
        found = await self._service.history_of_entity(story.LEAD, story.SCOPE, story.BENCH["id"])
        return [life for life in found if life.fact.attribute == "lifecycle_policy"]

    async def _verdicts(self, receipts: Sequence[Receipt]) -> str:
        decided = await self._service.became_of(story.LEAD, [receipt.event_id for receipt in receipts])
        return ", ".join(each.verdict for each in decided)

    async def _first_cleanup(self) -> list[Receipt]:
        self._say("\n[bold]Friday[/]  The agent sees an idle machine, gpu-bench-01, and stops it.")
        receipts = await self._publish(story.AGENT, story.first_cleanup(self._days))
        await self._settle(receipts)
        self._ledger.hold("Friday", "episode act_1042", EPISODE, await self._episode(receipts))
        return receipts

    async def _episode(self, receipts: Sequence[Receipt]) -> str:
        episode = await self._service.episode_of(story.LEAD, receipts[0].activity_id)
        if episode is None:
            return "none"
        status, outcome = episode.execution_status, episode.goal_outcome
        return f"{status}, goal {outcome}, {len(episode.sources)} sources"

    async def _complaint_through_a_crash(self, first: list[Receipt]) -> list[Receipt]:
        self._say("[bold]Monday[/]  The lead complains, and says until when the machine must run.")
        before = await self._service.episode_of(story.LEAD, first[0].activity_id)
        receipts = await self._publish(story.LEAD, story.complaint(self._days))
        receipts += await self._publish(story.AGENT, story.recovery(self._days))
        while await self._service.episode_of(story.LEAD, receipts[0].activity_id) is None:
            await asyncio.sleep(0.01)
        killed = self._up.worker.pid
        os.kill(killed, signal.SIGKILL)
        self._say(f"        kill -9 {killed}: the worker dies in the middle of consolidation …")
        await self._settle(receipts)
        await self._up.worker.wait_ready()
        self._say(f"        … and process {self._up.worker.pid} finishes what it began.")
        self._ledger.hold("Monday", "worker replaced", True, self._up.worker.pid != killed)
        self._ledger.hold("Monday", "episode act_1043", EPISODE, await self._episode(receipts))
        self._ledger.hold("Monday", "decided, once", "establish", await self._verdicts(receipts))
        self._ledger.hold(
            "Monday", "facts", f"keep running until {MIGRATION}: active", _told(await self._lives())
        )
        after = await self._service.episode_of(story.LEAD, first[0].activity_id)
        self._ledger.hold("Monday", "Friday's episode unchanged", True, before == after)
        return receipts

    async def _hunch(self) -> None:
        self._say("[bold]Wednesday[/]  Idle metrics again, and a developer has a hunch.")
        metrics = await self._publish(story.AGENT, story.idle_again(self._days)[:1])
        remark = await self._publish(story.DEVELOPER, story.hunch(self._days))
        done = await self._publish(story.AGENT, story.idle_again(self._days)[1:])
        await self._settle([*metrics, *remark, *done])
        self._ledger.hold("Wednesday", "metrics", "ignore_observation", await self._verdicts(metrics))
        self._ledger.hold("Wednesday", "remark", "hold_unverified", await self._verdicts(remark))
        lives = await self._lives()
        governing = [life for life in lives if life.status.value == "active"]
        held = [life for life in lives if life.status.value == "quarantined"]
        linked = [life.fact.challenges for life in held] == [life.fact.id for life in governing]
        self._ledger.hold("Wednesday", "remark linked to the fact", True, linked)
        self._ledger.hold(
            "Wednesday", "fact untouched", f"keep running until {MIGRATION}: active", _told(governing)
        )

    async def _sweep_that_heeds(self) -> None:
        self._say(f"[bold]Thursday[/]  A new run: “{story.TASK}” It names no machine.")
        run = await sweep(self._service, self._days, "act_1045", day=6)
        await self._settle(run.receipts)
        self._ledger.hold("Thursday", "required before discovery", "none", _required(run.before))
        self._ledger.hold(
            "Thursday", "required after discovery", "lifecycle_policy = keep running", _required(run.after)
        )
        self._show(run)
        first = run.after.facts[0] if run.after.facts else None
        reason = (
            first is not None
            and first.required
            and "broke our QA regression suite"
            in "\n".join(
                passage.text for passage in run.after.passages if passage.episode_id in first.episodes
            )
        )
        self._ledger.hold("Thursday", "restriction first, with reason and episode", True, reason)
        self._ledger.hold("Thursday", "kept", "gpu-bench-01", ", ".join(run.kept))
        self._ledger.hold("Thursday", "stopped", "dev-sandbox-04", ", ".join(run.stopped))

    def _show(self, run: Sweep) -> None:
        for fact in run.after.required:
            self._say(f"        came up by itself: {fact.text}")
        self._say(f"        kept: {', '.join(run.kept) or '-'}; stopped: {', '.join(run.stopped) or '-'}")

    async def _change_of_plans(self, monday: Sequence[Receipt]) -> tuple[FactLife, FactLife]:
        self._say("[bold]Friday[/]  The lead changes the condition.")
        receipts = await self._publish(story.LEAD, story.change_of_plans(self._days))
        await self._settle(receipts)
        admitted = [life for life in await self._lives() if life.status.value != "quarantined"]
        self._ledger.hold("Friday", "decided", "supersede", await self._verdicts(receipts))
        self._ledger.hold(
            "Friday",
            "facts",
            f"keep running until {MIGRATION}: superseded; keep reserved until {BENCHMARK}: active",
            _told(admitted),
        )
        old, new = admitted
        sources = [list(new.sources), list(old.sources)]
        own = [[receipts[0].event_id], [monday[0].event_id]]
        self._ledger.hold("Friday", "each on its own source", True, sources == own)
        gates = [life.gate.value if life.gate else "none" for life in (old, new)]
        self._ledger.hold("Friday", "gates, old and new", "closed, open", ", ".join(gates))
        return old, new

    async def _end(self, new: FactLife) -> None:
        self._say("[bold]Two weeks on[/]  A developer says that it is over; then the pipeline proves it.")
        claim = await self._publish(story.DEVELOPER, story.claimed_end(self._days))
        refused = await self._service.confirm(story.DEVELOPER, new.fact.id, claim[0].event_id)
        self._ledger.hold(
            "later", "developer confirms", "refused: not_permitted", f"{refused.state}: {refused.reason}"
        )
        proof = await self._publish(story.PIPELINE, story.proven_end(self._days))
        accepted = await self._service.confirm(story.PIPELINE, new.fact.id, proof[0].event_id)
        self._ledger.hold("later", "qa-pipeline confirms", "accepted", accepted.state.value)
        [life] = [life for life in await self._lives() if life.fact.id == new.fact.id]
        claims = ", ".join(f"{said.subject} {said.state.value}" for said in life.confirmations)
        self._ledger.hold("later", "confirmations kept", "sam refused, qa-pipeline accepted", claims)
        self._ledger.hold("later", "fact", "retired", life.status.value)

    async def _sweep_that_may(self) -> None:
        self._say("[bold]Next sweep[/]  The same cleanup, now that nothing forbids it.")
        run = await sweep(self._service, self._days, "act_1049", day=27)
        await self._settle(run.receipts)
        self._show(run)
        self._ledger.hold("next sweep", "required", "none", _required(run.after))
        self._ledger.hold("next sweep", "stopped", "gpu-bench-01, dev-sandbox-04", ", ".join(run.stopped))

    async def _explained(self, new: FactLife) -> None:
        changes = [
            f"{change.rule} by {change.actor}"
            for life in await self._lives()
            for change in life.changes
            if life.status.value != "quarantined"
        ]
        whole = "establish by dana, supersede by dana, supersede by dana, retire by qa-pipeline"
        self._ledger.hold("next sweep", "history", whole, ", ".join(changes))
        request = RecallRequest(
            scope=story.SCOPE, query=story.TASK, entities=(story.BENCH["id"],), as_of=self._days.at(27)
        )
        explained = await self._service.explain(story.LEAD, new.fact.id, request)
        self._ledger.hold("next sweep", "explain: dropped at", Step.STATUS.value, explained.dropped_at)
        self._ledger.hold(
            "next sweep",
            "explain: because",
            f"retired since {self._days.at(21).isoformat()}",
            explained.checks[-1].detail,
        )

    async def _late_event(self, monday: Sequence[Receipt], facts: Sequence[FactLife]) -> None:
        self._say("[bold]After that[/]  A message of Monday arrives late, and Monday is consolidated again.")
        late = await self._publish(story.LEAD, story.late_reminder(self._days))
        await self._settle(late)
        self._ledger.hold("late event", "decided", "ignore_stale", await self._verdicts(late))
        self._ledger.hold("late event", "episode act_1043", REBUILT, await self._episode(monday))
        statuses = {life.fact.id: life.status.value for life in await self._lives()}
        stayed = ", ".join(statuses[life.fact.id] for life in facts)
        self._ledger.hold("late event", "facts stay ended", "superseded, retired", stayed)

    def _links(self, monday: Sequence[Receipt], facts: Sequence[FactLife]) -> None:
        tenant = story.AGENT.tenant_id
        shown: list[tuple[str, str]] = [
            ("consolidation of act_1043", ids.consolidation(tenant, monday[0].activity_id)),
            ("the fact's key", ids.fact(tenant, facts[0].fact.key_id)),
            *(("gate of a fact", ids.gate(tenant, life.fact.id)) for life in facts),
        ]
        self._say("\nThe workflows, in Temporal's Web UI while it runs (KEEP=1 keeps it running):")
        for name, workflow_id in shown:
            self._say(f"  {name:26} {self._url(workflow_id)}")

    def _url(self, workflow_id: str) -> str:
        return f"{self._up.addresses.ui_url}/namespaces/default/workflows/{quote(workflow_id, safe='')}"


def _told(lives: Sequence[FactLife]) -> str:
    return "; ".join(
        f"{life.fact.terms.value} until {life.fact.terms.ends_when}: {life.status.value}" for life in lives
    )


def _required(answer: RecallAnswer) -> str:
    return ", ".join(f"{fact.attribute} = {fact.value}" for fact in answer.required) or "none"
