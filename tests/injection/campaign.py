"""Sends attempts and tells what came of them: what governed before, and what governs once all of it is digested."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from models.errors import KeepwellError
from models.statements import Correction, Statement, Withdrawal
from surfaces.http.bodies import validated
from surfaces.importing.jsonlines import import_events
from tests.http.conftest import Asking
from tests.injection.attempts import Attempt, Step, families, filled
from tests.injection.snapshot import Governing, changes, governing, wrongs
from tests.injection.stronghold import AFTER, Sender, Stronghold
from tests.mcp.raw import call
from tests.world import STAGING, event

IN_ONE_TENANT = 4
"""How many families share a tenant, as it takes longer to furnish one than to attack it."""

Found = Callable[[], Awaitable[Asking]]


class Outcome(NamedTuple):
    """What an attempt has come to: what governed before and after it, which steps were refused, and what is wrong."""

    before: Governing
    after: Governing
    afterwards: Governing | None
    refusals: Sequence[str]
    wrongs: Sequence[str]


class Came(NamedTuple):
    """What came of some families: outcomes by attempt, or what failed, and what their controls have changed."""

    outcomes: dict[str, Outcome | Exception]
    controls: dict[str, list[str]]


class Campaign:
    """Makes all attempts as soon as one of them is asked for: most of the time of each is waiting."""

    def __init__(self, found: Found, url: str) -> None:
        self._found = found
        self._url = url
        self._running: dict[str, asyncio.Task[Came]] = {}
        self._few = asyncio.Semaphore(IN_ONE_TENANT)

    async def came_of(self, family: str) -> Came:
        """What came of a family, and of those that share its tenant."""
        if not self._running:
            names, attempts = zip(*families().items(), strict=True)
            for at in range(0, len(names), IN_ONE_TENANT):
                together = [each for some in attempts[at : at + IN_ONE_TENANT] for each in some]
                task = asyncio.create_task(self._run(together))
                self._running |= dict.fromkeys(names[at : at + IN_ONE_TENANT], task)
        return await self._running[family]

    async def outcome(self, family: str, attempt: str) -> Outcome:
        """What came of one attempt."""
        outcome = (await self.came_of(family)).outcomes[attempt]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def end(self) -> None:
        """Leave nothing running."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _furnished(self, attempts: Sequence[Attempt]) -> Stronghold:
        hold = await Stronghold(await self._found()).furnish()
        for sender in {attempt.by for attempt in attempts} | {attempt.control for attempt in attempts} - {
            None
        }:
            await hold.asking.token_of(hold.senders[str(sender)].principal)
        return hold

    async def _run(self, attempts: Sequence[Attempt]) -> Came:
        hold = await self._furnished(attempts)
        outcomes = await self._together(hold, [attempt for attempt in attempts if attempt.quiet])
        for attempt in attempts:
            if not attempt.quiet:
                outcomes[attempt.id] = await self._guarded(hold, attempt)
        controls: dict[str, list[str]] = {}
        before = await governing(hold)
        for day, attempt in enumerate(attempts, start=AFTER + 1):
            if attempt.control is not None:
                sending = Sending(hold, self._url, attempt.control, f"{attempt.id} again", day)
                await sending.steps(attempt.steps)
                after = await governing(hold)
                controls[attempt.id] = changes(before, after)
                before = after
        return Came(outcomes, controls)

    async def _together(
        self, hold: Stronghold, attempts: Sequence[Attempt]
    ) -> dict[str, Outcome | Exception]:
        """Send attempts and compare once: nothing that governs comes back by itself, so a change would be seen.

        Where there is one, each attempt is made again in a tenant of its own, to tell which it was.
        """
        before = await governing(hold)
        sendings = [Sending(hold, self._url, attempt.by, "attempts") for attempt in attempts]
        try:
            for attempt, sending in zip(attempts, sendings, strict=True):
                await sending.take(attempt.steps)
            await hold.digest()
            after = await governing(hold)
            found = await wrongs(hold, [" ".join(sending.texts) for sending in sendings])
            through = bool(found or changes(before, after))
        except Exception:  # noqa: BLE001 - it is raised where the attempt is made again
            through = True
        if through:
            alone = await asyncio.gather(*(self._apart(attempt) for attempt in attempts))
            return {attempt.id: outcome for attempt, outcome in zip(attempts, alone, strict=True)}
        return {
            attempt.id: Outcome(before, after, None, sending.refusals, found)
            for attempt, sending in zip(attempts, sendings, strict=True)
        }

    async def _apart(self, attempt: Attempt) -> Outcome | Exception:
        async with self._few:
            return await self._guarded(await self._furnished([attempt]), attempt)

    async def _guarded(self, hold: Stronghold, attempt: Attempt) -> Outcome | Exception:
        try:
            return await self._alone(hold, attempt)
        except Exception as failure:  # noqa: BLE001 - the test of this attempt raises it, and of no other
            return failure

    async def _alone(self, hold: Stronghold, attempt: Attempt) -> Outcome:
        before = await governing(hold)
        sending = Sending(hold, self._url, attempt.by, attempt.id)
        await sending.steps(attempt.steps)
        after = await governing(hold)
        afterwards = None
        if attempt.then:
            await sending.steps(attempt.then)
            afterwards = await governing(hold)
        return Outcome(before, after, afterwards, sending.refusals, await wrongs(hold, sending.texts))


class Sending:
    """Takes the steps of one attempt. A refusal is noted, and the next step is taken all the same."""

    def __init__(self, hold: Stronghold, url: str, by: str, activity: str, day: int = AFTER) -> None:
        self._hold = hold
        self._url = url
        self._by = by
        self._activity = activity
        self._day = day
        self._words = dict(hold.words)
        self.refusals: list[str] = []
        self.texts: list[str] = []

    async def steps(self, steps: Sequence[Step]) -> None:
        """Take these steps, and wait until all that came of them is decided."""
        await self.take(steps)
        await self._hold.digest()

    async def take(self, steps: Sequence[Step]) -> None:
        """Take these steps."""
        for step in steps:
            sender = self._hold.senders[step.by or self._by]
            given = filled(getattr(step, step.way), self._words)
            try:
                await getattr(self, f"_{step.way}")(sender, given)
            except KeepwellError as refused:
                if refused.http_status >= 500:
                    raise
                self.refusals.append(refused.code)

    def _event(self, sender: Sender, said: dict[str, Any]) -> dict[str, Any]:
        self.texts += [said["text"]] if isinstance(said.get("text"), str) else []
        fields = {name: value for name, value in said.items() if name != "day"}
        return event(
            said.get("day", self._day), **{"type": sender.kind, "activity_id": self._activity, **fields}
        )

    async def _publish(self, sender: Sender, said: list[dict[str, Any]]) -> None:
        events = [self._event(sender, each) for each in said]
        receipts = await self._hold.world.publish(sender.principal, *events)
        self._words["proof"] = str(receipts[-1].event_id)

    async def _remember(self, sender: Sender, said: dict[str, Any]) -> None:
        statement = validated({"scope": STAGING, **self._when(), **said}, Statement)
        await self._hold.world.service.remember(sender.principal, statement)

    async def _correct(self, sender: Sender, said: dict[str, Any]) -> None:
        terms = {name: value for name, value in said.items() if name != "fact"}
        correction = validated({**terms, **self._when()}, Correction)
        await self._hold.world.service.correct(sender.principal, UUID(said["fact"]), correction)

    async def _retract(self, sender: Sender, said: dict[str, Any]) -> None:
        withdrawal = validated({"text": said["text"], **self._when()}, Withdrawal)
        await self._hold.world.service.retract(sender.principal, UUID(said["fact"]), withdrawal)

    async def _confirm(self, sender: Sender, said: dict[str, Any]) -> None:
        fact, proof = UUID(said["fact"]), UUID(said["evidence"])
        await self._hold.world.service.confirm(sender.principal, fact, proof)

    async def _lines(self, sender: Sender, lines: list[str]) -> None:
        source = io.BytesIO("\n".join(lines).encode())
        await import_events(self._hold.world.service, sender.principal, source, actors_allowed=False)

    async def _tool(self, sender: Sender, said: dict[str, Any]) -> None:
        """A call of a tool by a model over a connection that is the sender's."""
        token = await self._hold.asking.token_of(sender.principal)
        answer = await call(self._url, token, "legacy", said["name"], **said["arguments"])
        told = json.loads(answer.text) if answer.text.startswith("{") else _told_in_a_stream(answer.text)
        assert answer.status_code < 500
        if answer.is_error or "error" in told or told["result"].get("isError"):
            self.refusals.append("tool")

    async def _http(self, sender: Sender, said: dict[str, Any]) -> None:
        answer = await self._hold.asking.ask(sender.principal, **said)
        assert answer.status_code < 500
        if not answer.is_success:
            self.refusals.append(answer.json()["code"])

    def _when(self) -> dict[str, Any]:
        return {"occurred_at": event(self._day)["occurred_at"]}


def _told_in_a_stream(body: str) -> Any:
    [line] = [line for line in body.splitlines() if line.startswith("data: {")]
    return json.loads(line.removeprefix("data: "))
