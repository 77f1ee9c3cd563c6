"""Steps of erasure: plan, fence, erase, close the runs concerned, verify, and write the receipt.

How far each has come is kept in rows, so that any of them can be cut off anywhere and done again.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from temporalio import activity

from activities.erasing import Erasing
from activities.heartbeats import beating
from activities.workflow_runs import WorkflowRuns
from capture.erasures import enter
from models.erasure.erasures import OVER, Erasure, ErasureState, Step, next_step
from models.erasure.plan import ERASING_ORDER, NodeKind, digest_of, plan_of
from models.erasure.receipts import Receipt, chained
from models.erasure.words import most_telling, telling_words
from models.messages import Count, ErasureLook, ErasurePlanned, ErasureRef
from providers.protocols import Narrator
from providers.sealing import Sealer
from store import events as event_log
from store.engine import Database
from store.erasure import facts as erased_facts
from store.erasure import log, names, others, requests, residue, walk
from store.erasure.fence import fence
from store.erasure.rows import Rows, changed
from store.policies import Policies
from store.unit_of_work import UnitOfWork

AT_ONCE = 1_000
"""Records that one transaction looks at."""
ERASED_AT_ONCE = 200
"""Records that one transaction erases."""
_BUSY = {"transactions": 1}
"""What is found while somebody may still write what they have read before all was erased."""
_NAMELESS = frozenset({"person", "scope", "tenant"})
"""The targets of which whose an event was, and where, goes with its words."""
_VACUUMED = (
    "events",
    "facts",
    "candidates",
    "episodes",
    "passages",
    "postings",
    "vectors",
    "traces",
    "aliases",
)


class ErasureSteps:
    """The steps, with what they need.

    `eraser` is a pool under the role that may take back what was written. Without a `sealer` nothing is looked for by
    its words, as they could be kept nowhere.
    """

    def __init__(
        self,
        eraser: Database,
        policies: Policies,
        narrator: Narrator,
        runs: WorkflowRuns,
        sealer: Sealer | None,
    ) -> None:
        self._eraser = eraser
        self._policies = policies
        self._narrator = narrator
        self._runs = runs
        self._sealer = sealer

    @activity.defn(name="keepwell.plan_erasure")
    async def plan(self, look: ErasureLook) -> ErasurePlanned:
        """Find out what an erasure reaches by now, and what comes next for it."""
        async with beating():
            erasure = await self._get(look)
            if erasure is None or erasure.state in OVER:
                over = ErasureState.DONE if erasure is None else erasure.state
                return ErasurePlanned(state=over, next=Step.LAPSE)
            if erasure.accepted_at is not None:
                return ErasurePlanned(state=erasure.state, next=Step.ERASE)
            await self._walk(look)
            return await self._settle(look, max(look.now, datetime.now(UTC)))

    async def _settle(self, look: ErasureLook, now: datetime) -> ErasurePlanned:
        """Keep the plan, and say what becomes of the erasure."""
        holds = await self._holding(look)
        async with self._eraser.transaction(look.tenant_id) as work:
            erasure = await requests.get(work, look.erasure_id, held=True)
            assert erasure is not None
            reached = await walk.extent(work, look.erasure_id)
            plan = plan_of(reached.tallies, reached.depth, [hold.id for hold in holds], now)
            digest = digest_of(plan, reached.digest)
            planned = erasure._replace(plan=plan, digest=digest)
            confirmed = await requests.confirmed_by(work, look.erasure_id, digest)
            state, step = next_step(planned, len(confirmed), now)
            told: dict[str, Any] = {
                "plan": plan.model_dump(mode="json"),
                "digest": digest,
                "state": state.value,
            }
            if step is Step.ERASE:
                told |= {"accepted_at": now, "lapses_at": None}
            if step is Step.LAPSE:
                told |= {"done_at": now, "lapses_at": None}
            await requests.change(work, look.erasure_id, **told)
        wakes = [hold.until for hold in holds if hold.until is not None]
        if erasure.lapses_at is not None and state is ErasureState.PLANNED:
            wakes.append(erasure.lapses_at)
        return ErasurePlanned(state=state, next=step, total=plan.total, wakes_at=min(wakes, default=None))

    async def _holding(self, ref: ErasureRef) -> Sequence[log.Hold]:
        """The legal holds that cover something of what an erasure reaches."""
        policy = await self._policies.of(ref.tenant_id)
        async with self._eraser.transaction(ref.tenant_id) as work:
            found: list[log.Hold] = []
            for hold in await log.holds(work, in_force=True):
                await walk.clear(work, hold.id)
                await enter(work, policy, hold.id, hold.target)
                if await walk.overlap(work, ref.erasure_id, hold.id):
                    found.append(hold)
                await walk.clear(work, hold.id)
            return found

    async def _walk(self, ref: ErasureRef) -> None:
        """Follow lineage to the end, and find out what survives, until neither brings up anything new."""
        more = True
        async with self._eraser.transaction(ref.tenant_id) as work:
            await walk.expand_again(work, ref.erasure_id)
        while more:
            expanding = True
            while expanding:
                async with self._eraser.transaction(ref.tenant_id) as work:
                    expanding = await walk.expand(work, ref.erasure_id, AT_ONCE)
            async with self._eraser.transaction(ref.tenant_id) as work:
                more = await walk.survey(work, ref.erasure_id)

    @activity.defn(name="keepwell.fence_erasure")
    async def fence(self, ref: ErasureRef) -> Count:
        """Have nothing made of what is erased any more, to a fixed point, and note by what it would be known again."""
        fenced = 0
        async with beating():
            while True:
                found = await self._fence_all(ref)
                fenced += found
                await self._walk(ref)
                if not found:
                    break
            await self._keep_words(ref)
            async with self._eraser.transaction(ref.tenant_id) as work:
                await names.collect(work, ref.erasure_id)
        return Count(number=fenced)

    async def _fence_all(self, ref: ErasureRef) -> int:
        found, more = 0, True
        while more:
            async with self._eraser.transaction(ref.tenant_id) as work:
                number = await fence(work, ref.erasure_id, ERASED_AT_ONCE)
            found, more = found + number, number > 0
        return found

    async def _keep_words(self, ref: ErasureRef) -> None:
        """Keep, sealed, the words by which what is erased would be known again."""
        if self._sealer is None:
            return
        telling: set[str] = set()
        after: UUID | None = None
        while True:
            async with self._eraser.transaction(ref.tenant_id) as work:
                ids = await walk.of_kind(work, ref.erasure_id, NodeKind.EVENT, after, AT_ONCE)
                told = await event_log.by_ids(work, ids)
            telling |= telling_words(told.values())
            telling = set(most_telling(telling))
            if len(ids) < AT_ONCE:
                break
            after = ids[-1]
        if telling:
            async with self._eraser.transaction(ref.tenant_id) as work:
                await requests.change(work, ref.erasure_id, sealed=self._sealer.seal(telling))

    @activity.defn(name="keepwell.erase")
    async def erase(self, ref: ErasureRef) -> Count:
        """Erase what is still there; how many records that were."""
        policy = await self._policies.of(ref.tenant_id)
        erased = 0
        async with beating():
            erasure = await self._get(ref)
            assert erasure is not None
            erasing = Erasing(policy, self._narrator, ref.erasure_id, nameless=erasure.target in _NAMELESS)
            for kind in ERASING_ORDER:
                while number := await self._erase_some(ref, erasing, kind):
                    erased += number
            async with self._eraser.transaction(ref.tenant_id) as work:
                rows = await names.drop_unused(work, ref.erasure_id)
                changed(rows, "fact_keys", await erased_facts.drop_empty_keys(work, ref.erasure_id))
                changed(rows, "traces", await others.delete_traces_naming(work, ref.erasure_id))
                await requests.add_rows(work, ref.erasure_id, rows)
                await requests.change(work, ref.erasure_id, state=ErasureState.VERIFYING.value)
                await requests.mark_erased(work, ref.erasure_id)
        return Count(number=erased)

    async def _erase_some(self, ref: ErasureRef, erasing: Erasing, kind: NodeKind) -> int:
        async with self._eraser.transaction(ref.tenant_id) as work:
            found = await walk.to_erase(work, ref.erasure_id, kind, ERASED_AT_ONCE)
            rows: Rows = {}
            for disposition, ids in found.items():
                for table, number in (await erasing.erase(work, kind, disposition, ids)).items():
                    changed(rows, table, number)
                await walk.mark_erased(work, ref.erasure_id, ids)
            await requests.add_rows(work, ref.erasure_id, rows)
        return sum(len(ids) for ids in found.values())

    @activity.defn(name="keepwell.close_runs")
    async def close_runs(self, ref: ErasureRef) -> Count:
        """Delete the histories of the workflows concerned; how many are still to go."""
        async with beating():
            async with self._eraser.transaction(ref.tenant_id) as work:
                concerned = await walk.concerned(work, ref.erasure_id)
            deleted, left = await self._runs.delete(ref.tenant_id, concerned)
            async with self._eraser.transaction(ref.tenant_id) as work:
                await requests.add_runs(work, ref.erasure_id, deleted)
        return Count(number=left)

    @activity.defn(name="keepwell.verify_erasure")
    async def verify(self, ref: ErasureRef) -> Count:
        """Look for what was erased everywhere, by its ids and by its words; how much of it there is.

        Where it was found is kept with the erasure, and it is seen to once more.
        """
        async with beating():
            found = await self._found(ref)
            async with self._eraser.transaction(ref.tenant_id) as work:
                await requests.change(work, ref.erasure_id, residue=found)
                if found and found != _BUSY:
                    await walk.erase_again(work, ref.erasure_id)
        return Count(number=sum(found.values()))

    async def _found(self, ref: ErasureRef) -> dict[str, int]:
        async with self._eraser.transaction(ref.tenant_id) as work:
            if await requests.others_run(work, ref.erasure_id):
                # Whoever began before the erasure was committed may still write what they have read.
                return _BUSY
            found = await residue.found_by_ids(work, ref.erasure_id)
            words = await self._words(work, ref.erasure_id)
            elsewhere = await residue.found_by_words(work, "events", words)
            sought = [word for word in words if word not in elsewhere]
            asked = await residue.delete_traces_that_say(work, sought)
            await requests.add_rows(work, ref.erasure_id, {"traces": asked} if asked else {})
            found |= await residue.give_up_on_words(work, ref.erasure_id, sought)
        for name in sorted(residue.BY_WORDS.keys() - residue.RECORDS - residue.CONFIGURED):
            async with self._eraser.transaction(ref.tenant_id) as work:
                hits = await residue.found_by_words(work, name, sought)
            if hits:
                found[name] = found.get(name, 0) + max(hits.values())
        return found

    async def _words(self, work: UnitOfWork, erasure_id: UUID) -> list[str]:
        sealed = await requests.sealed(work, erasure_id)
        return [] if sealed is None or self._sealer is None else self._sealer.open(sealed)

    @activity.defn(name="keepwell.write_receipt")
    async def finish(self, ref: ErasureRef) -> Count:
        """Clear dead rows away, write the receipt, and forget by what it would have been known; its number."""
        async with beating():
            vacuumed = await self._eraser.vacuum(_VACUUMED)
            async with self._eraser.transaction(ref.tenant_id) as work:
                there = await log.of_erasure(work, ref.erasure_id)
                if there is not None:
                    return Count(number=there.number)
                erasure = await requests.get(work, ref.erasure_id, held=True)
                assert erasure is not None
                receipt = await self._receipt(work, erasure, datetime.now(UTC) if vacuumed else None)
                place = await log.next_place(work)
                await log.append(work, place, receipt, chained(place.number, receipt, place.previous), None)
                await requests.change(
                    work,
                    ref.erasure_id,
                    state=ErasureState.DONE.value,
                    done_at=receipt.done_at,
                    sealed=None,
                    residue=None,
                )
                await walk.clear(work, ref.erasure_id)
        return Count(number=place.number)

    async def _receipt(self, work: UnitOfWork, erasure: Erasure, vacuumed_at: datetime | None) -> Receipt:
        assert erasure.accepted_at is not None
        assert erasure.digest is not None
        reached = await walk.extent(work, erasure.id)
        now = datetime.now(UTC)
        result = plan_of(reached.tallies, reached.depth, [], now)
        progress = await requests.progress(work, erasure.id)
        words = await self._words(work, erasure.id)
        return Receipt(
            erasure_id=erasure.id,
            target=erasure.target,
            basis=erasure.basis,
            asked_by=erasure.asked_by,
            confirmed_by=tuple(await requests.confirmed_by(work, erasure.id, erasure.digest)),
            asked_at=erasure.recorded_at,
            accepted_at=erasure.accepted_at,
            done_at=now,
            plan_digest=erasure.digest.hex(),
            result=result.lines,
            result_digest=digest_of(result, reached.digest).hex(),
            rows=progress.rows,
            runs=progress.runs,
            vacuumed_at=vacuumed_at,
            departed=await log.departed(work),
            left_here=await _left_here(work, words),
            without_holder=tuple(await erased_facts.without_holder(work, erasure.id)),
        )

    async def _get(self, ref: ErasureRef) -> Erasure | None:
        async with self._eraser.transaction(ref.tenant_id) as work:
            return await requests.get(work, ref.erasure_id)


async def _left_here(work: UnitOfWork, words: Sequence[str]) -> dict[str, int]:
    """How many rows of independent records have some of the same words, by table: for a person to judge."""
    found: dict[str, int] = {}
    for name in sorted(residue.BY_WORDS.keys() & (residue.RECORDS | residue.CONFIGURED)):
        hits = await residue.found_by_words(work, name, words)
        if hits:
            found[name] = max(hits.values())
    return found
