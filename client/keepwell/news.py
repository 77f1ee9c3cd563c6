"""The stream of news: verdicts, transitions and intentions as they happen, over as many connections as it takes."""

import logging
import time
from collections.abc import AsyncGenerator

from httpx2 import ServerSentEvent
from pydantic import ValidationError

from keepwell.calls import Calls
from keepwell.errors import ApiError, Conflict, InvalidInput, KeepwellError, invalid_input
from keepwell.retry import LONGEST_TOLD
from keepwell.types import (
    IntentionNews,
    News,
    ProposalNews,
    TransitionNews,
    VerdictNews,
    VersionNews,
)
from keepwell.types.news import Told

_log = logging.getLogger("keepwell")

_SILENCE = 60.0
"""Seconds without a byte after which a connection counts as lost: the service sends a comment more often."""


class NewsCalls(Calls):
    """Follow what becomes of the caller's words."""

    async def news(self, after: str | None = None) -> AsyncGenerator[News]:
        """What happens from now on, or has happened since the news with the id `after`.

        A connection that breaks is opened again and goes on after the last item, for as long as somebody
        iterates; the first one is tried as often as any call. An error that another attempt would not mend is
        raised. So is one about an `after` that the service does not know; where it does not know the place any
        more up to which it has told itself, as after a restore of its database, the stream begins anew, with what
        happens from then on, and says so in the log. Leave it with `contextlib.aclosing`, or it stays open until
        it is collected.
        """
        retry = self._transport.retry
        failures, was_open = 0, False
        last = _position(after)
        while True:
            error: KeepwellError | None = None
            pause: float | None = None
            headers = {} if last is None else {"Last-Event-ID": last}
            began = time.monotonic()
            try:
                async with self._transport.stream("/v1/stream", headers, _SILENCE) as source:
                    was_open = True
                    async for sent in source:
                        last = sent.id or last
                        pause = pause if sent.retry is None else sent.retry / 1000
                        told = _read(sent)
                        if told is not None:
                            failures = 0
                            yield News(sent.id, told)
            except (Conflict, InvalidInput) as refused:
                last = _anew(refused, last, was_open)
            except KeepwellError as lost:
                error = lost
            if time.monotonic() - began > retry.longest_pause:
                # It was quiet and not broken. One that ends as soon as it is open is tried less and less often.
                failures = 0
            failures += 1
            if error is not None and (not error.retryable or (not was_open and failures >= retry.attempts)):
                raise error
            if failures == 2 and was_open:
                _log.warning("the stream of news is interrupted; trying to go on")
            if isinstance(error, ApiError) and error.retry_after is not None:
                pause = error.retry_after
            await self._transport.pause(retry.pause(failures) if pause is None else min(pause, LONGEST_TOLD))


def _position(after: object) -> str | None:
    """`after` as it goes into a header; raises `InvalidInput` for what is no id."""
    if after is None or (isinstance(after, str) and after.isascii() and after.isprintable()):
        return after
    raise invalid_input("is not the id of a piece of news; leave it out to begin now", field="after")


def _anew(refused: Conflict | InvalidInput, last: str | None, was_open: bool) -> None:
    """Where to go on once the place `last` was refused: from now, None.

    Raises where there was no place to refuse, and where only the caller has named it.
    """
    if last is None:
        raise refused
    if not was_open:
        detail = "is no place that the service knows, or none any more; leave it out to begin now"
        said = refused.problem.model_copy(update={"detail": detail, "field": "after"})
        raise type(refused)(said) from None
    _log.warning("the service does not know where the stream of news was; it begins anew, from now")


_SHAPES: dict[str, type[Told]] = {
    "verdict": VerdictNews,
    "transition": TransitionNews,
    "intention": IntentionNews,
    "proposal": ProposalNews,
    "procedure": VersionNews,
}


def _read(sent: ServerSentEvent) -> Told | None:
    """The news in one event; None for a kind that this client does not know."""
    shape = _SHAPES.get(sent.event)
    try:
        return None if shape is None else shape.model_validate_json(sent.data)
    except ValidationError:
        _log.warning("an item of the stream of news could not be read; update the client")
        return None
