"""Calls that state a fact, other terms for it, its withdrawal or its end, and return with the verdict."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from, with_key
from keepwell.types import (
    ConfirmationTold,
    Correction,
    EvidenceGiven,
    Promotion,
    Statement,
    StatementOutcome,
    Withdrawal,
)
from keepwell.types.statements import Spoken

DECIDING = 10.0
"""Seconds for which the service waits for the verdict, before it answers that it is pending."""


class StatementCalls(Calls):
    """Remember, correct, retract, promote and confirm.

    Each statement that comes without an idempotency key gets one, so that it counts once however often it has
    to be sent.
    """

    @overload
    async def remember(self, statement: Statement | Mapping[str, Any], /) -> StatementOutcome: ...

    @overload
    async def remember(
        self,
        /,
        *,
        scope: Mapping[str, str],
        attribute: str,
        value: str,
        entity: str | None = None,
        text: str | None = None,
        ends_when: str | None = None,
        expires_at: datetime | None = None,
        valid_from: datetime | None = None,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def remember(
        self, statement: Statement | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> StatementOutcome:
        """State a fact: in `scope`, `attribute` of `entity` is `value`.

        While the outcome's `verdict` is `pending` the statement is stored and will be decided.
        """
        like = 'remember(scope={…}, entity="…", attribute="…", value="…")'
        return await self._state("/v1/memories", request_from(Statement, statement, fields, like=like))

    @overload
    async def correct(
        self, memory_id: UUID | str, correction: Correction | Mapping[str, Any], /
    ) -> StatementOutcome: ...

    @overload
    async def correct(
        self,
        memory_id: UUID | str,
        /,
        *,
        value: str,
        text: str | None = None,
        ends_when: str | None = None,
        expires_at: datetime | None = None,
        valid_from: datetime | None = None,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def correct(
        self,
        memory_id: UUID | str,
        correction: Correction | Mapping[str, Any] | None = None,
        /,
        **fields: Any,
    ) -> StatementOutcome:
        """State other terms for a fact, all of them: what is left unsaid does not carry over.

        A correction without `ends_when` drops the condition of before, one without `expires_at` the instant: say
        again what is to stay.
        """
        path = f"/v1/memories/{id_in_path(memory_id)}/correct"
        like = 'correct(memory_id, value="…", ends_when="…")'
        return await self._state(path, request_from(Correction, correction, fields, like=like))

    @overload
    async def retract(
        self, memory_id: UUID | str, withdrawal: Withdrawal | Mapping[str, Any], /
    ) -> StatementOutcome: ...

    @overload
    async def retract(
        self,
        memory_id: UUID | str,
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
    async def retract(
        self,
        memory_id: UUID | str,
        /,
        *,
        text: str,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def retract(
        self,
        memory_id: UUID | str,
        withdrawal: Withdrawal | Mapping[str, Any] | str | None = None,
        /,
        **fields: Any,
    ) -> StatementOutcome:
        """Take a fact back; `text`, or a mere text, says why."""
        path = f"/v1/memories/{id_in_path(memory_id)}/retract"
        like = 'retract(memory_id, text="…")'
        said = request_from(Withdrawal, withdrawal, fields, like=like, plain="text")
        return await self._state(path, said)

    @overload
    async def promote(
        self, memory_id: UUID | str, promotion: Promotion | Mapping[str, Any], /
    ) -> StatementOutcome: ...

    @overload
    async def promote(
        self,
        memory_id: UUID | str,
        /,
        *,
        scope: Mapping[str, str],
        text: str | None = None,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
    ) -> StatementOutcome: ...

    async def promote(
        self,
        memory_id: UUID | str,
        promotion: Promotion | Mapping[str, Any] | None = None,
        /,
        **fields: Any,
    ) -> StatementOutcome:
        """Let a fact hold in a wider scope as well, with the terms that it has, once it is validated.

        Two people stand behind a validated fact, whoever promotes it among them, or a verified source does; until
        then the promotion waits for a reviewer. The outcome's `memory_id` is the fact of the wider scope.
        """
        path = f"/v1/memories/{id_in_path(memory_id)}/promote"
        like = 'promote(memory_id, scope={"team": "platform"})'
        return await self._state(path, request_from(Promotion, promotion, fields, like=like))

    async def confirm(
        self, memory_id: UUID | str, evidence: EvidenceGiven | Mapping[str, Any] | UUID | str
    ) -> ConfirmationTold:
        """Say that the condition which ends a fact is met, shown by a published event.

        Said again with the same evidence it answers the same.
        """
        given = evidence if isinstance(evidence, (EvidenceGiven, Mapping)) else {"evidence": evidence}
        body = request_from(EvidenceGiven, given, {}, like="confirm(memory_id, event_id)").as_json()
        path = f"/v1/memories/{id_in_path(memory_id)}/confirm"
        return await self._transport.call(
            "POST", path, ConfirmationTold.model_validate_json, body=body, deciding=DECIDING
        )

    async def _state(self, path: str, said: Spoken) -> StatementOutcome:
        body = with_key(said).as_json()
        return await self._transport.call(
            "POST", path, StatementOutcome.model_validate_json, body=body, deciding=DECIDING
        )
