"""An instant as callers write it: ISO 8601 with an offset, in a query parameter or a body."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator, BeforeValidator

from models.events import aware, written_out

Instant = Annotated[datetime, BeforeValidator(written_out), AfterValidator(aware)]
AsOf = Annotated[
    Instant | None, Query(description="The instant for which statuses are told; now, unless given.")
]
