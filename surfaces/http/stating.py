"""How a route answers a statement: 200 with the verdict, or 202 where nobody has decided in time."""

from typing import Any

from fastapi import Response

from models.statements import Stated
from surfaces.http import telling
from surfaces.http.answers import StatementOutcome

PENDING: dict[int | str, dict[str, Any]] = {
    202: {"model": StatementOutcome, "description": "Stored, and not decided yet; it will be."}
}
"""What such a route says of its answers, besides the one with the verdict."""


def outcome(response: Response, stated: Stated) -> StatementOutcome:
    """The outcome of a statement, with the status of the answer set to what it is."""
    if stated.decided is None:
        response.status_code = 202
    return telling.statement(stated)
