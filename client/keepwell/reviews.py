"""Calls of a reviewer: what waits for a person, and their word on it."""

from collections.abc import AsyncGenerator, Mapping
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from, with_key
from keepwell.statements import DECIDING
from keepwell.types import (
    Acceptance,
    ReviewPage,
    ReviewQuery,
    ReviewTold,
    StatementOutcome,
    Terms,
    Withdrawal,
)
from keepwell.types.statements import Spoken


class ReviewCalls(Calls):
    """List what waits, accept it, reject it. A review counts once however often it has to be sent."""

    @overload
    async def review_page(self, query: ReviewQuery | Mapping[str, Any], /) -> ReviewPage: ...

    @overload
    async def review_page(
        self, /, *, scope: Mapping[str, str], limit: int | None = None, cursor: str | None = None
    ) -> ReviewPage: ...

    async def review_page(
        self, query: ReviewQuery | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> ReviewPage:
        """One page of what waits in scopes that have the dimensions of `scope`, the oldest first.

        The scope `{}` asks for all that the caller may review. A page can be empty and still have a `next`.
        """
        body = request_from(ReviewQuery, query, fields, like="review_page(scope={…})").as_json()
        return await self._transport.call(
            "POST", "/v1/reviews/query", ReviewPage.model_validate_json, body=body
        )

    @overload
    def reviews(self, query: ReviewQuery | Mapping[str, Any], /) -> AsyncGenerator[ReviewTold]: ...

    @overload
    def reviews(
        self, /, *, scope: Mapping[str, str], page_size: int | None = None
    ) -> AsyncGenerator[ReviewTold]: ...

    async def reviews(
        self, query: ReviewQuery | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> AsyncGenerator[ReviewTold]:
        """All that waits in scopes that have the dimensions of `scope`, a page fetched at a time."""
        if "page_size" in fields:
            fields["limit"] = fields.pop("page_size")
        asked = request_from(ReviewQuery, query, fields, like="reviews(scope={…})")
        while True:
            page = await self.review_page(asked)
            for review in page.reviews:
                yield review
            if page.next is None:
                return
            asked = asked.model_copy(update={"cursor": page.next})

    @overload
    async def accept(
        self, claim_id: UUID | str, acceptance: Acceptance | Mapping[str, Any], /
    ) -> StatementOutcome: ...

    @overload
    async def accept(
        self,
        claim_id: UUID | str,
        /,
        *,
        terms: Terms | Mapping[str, Any] | None = None,
        entity: str | None = None,
        text: str | None = None,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def accept(
        self,
        claim_id: UUID | str,
        acceptance: Acceptance | Mapping[str, Any] | None = None,
        /,
        **fields: Any,
    ) -> StatementOutcome:
        """Accept what waits, with the caller's own right: as it stands, or with other `terms`, all of them.

        `entity`, a canonical id, says what an `unnamed` one is about.
        """
        like = 'accept(claim_id, text="…")'
        said = request_from(Acceptance, acceptance, fields, like=like)
        return await self._review(claim_id, "accept", said)

    @overload
    async def reject(
        self, claim_id: UUID | str, rejection: Withdrawal | Mapping[str, Any], /
    ) -> StatementOutcome: ...

    @overload
    async def reject(
        self,
        claim_id: UUID | str,
        why: str,
        /,
        *,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    @overload
    async def reject(
        self,
        claim_id: UUID | str,
        /,
        *,
        text: str,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def reject(
        self,
        claim_id: UUID | str,
        rejection: Withdrawal | Mapping[str, Any] | str | None = None,
        /,
        **fields: Any,
    ) -> StatementOutcome:
        """Reject what waits; `text`, or a mere text, says why. It stays rejected, however often it is said again."""
        like = 'reject(claim_id, text="…")'
        said = request_from(Withdrawal, rejection, fields, like=like, plain="text")
        return await self._review(claim_id, "reject", said)

    async def _review(self, claim_id: UUID | str, word: str, said: Spoken) -> StatementOutcome:
        path = f"/v1/reviews/{id_in_path(claim_id)}/{word}"
        body = with_key(said).as_json()
        return await self._transport.call(
            "POST", path, StatementOutcome.model_validate_json, body=body, deciding=DECIDING
        )
