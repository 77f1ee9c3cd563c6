"""Procedures: playbooks that people approve. Each word on one counts once however often it is sent."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from, with_key
from keepwell.types import (
    DecisionCounted,
    EpisodeRetractedTold,
    NewDecision,
    NewProposal,
    NewRun,
    ProcedureContent,
    ProcedurePage,
    ProcedureQuery,
    ProcedureRead,
    ProcedureTold,
    ProposalChanged,
    ProposalPage,
    ProposalQuery,
    ProposalRead,
    ProposalState,
    ProposalTold,
    ReflectionTold,
    Retreat,
    Revision,
    Rollback,
    RolledBackTold,
    RunKept,
    RunsTold,
    StepReport,
    Withdrawal,
)
from keepwell.types.statements import Spoken
from keepwell.types.wire import Answer

A = TypeVar("A", bound=Answer)
_LIKE = 'propose("cleanup", class_name="operations", scope={…}, content={…})'


class ProcedureCalls(Calls):
    """Propose a procedure, decide on proposals, read what is in force, and report how runs went."""

    async def propose(
        self,
        procedure: str | NewProposal,
        /,
        *,
        class_name: str | None = None,
        scope: Mapping[str, str] | None = None,
        content: ProcedureContent | Mapping[str, Any] | None = None,
        base: int | None = None,
        **more: Any,
    ) -> ProposalChanged:
        """Propose a new procedure by its name, or other content for one of which version `base` is in force.

        It waits for a reviewer. Raises `Conflict` where another version is in force.
        """
        fields = {"class_name": class_name, "scope": scope, "content": content, "base": base, **more}
        new = request_from(NewProposal, procedure, fields, like=_LIKE, plain="procedure")
        return await self._word("/v1/proposals", new, ProposalChanged)

    async def proposal_page(
        self,
        query: ProposalQuery | Mapping[str, Any] | None = None,
        /,
        *,
        scope: Mapping[str, str] | None = None,
        states: Sequence[ProposalState] | None = None,
        after: UUID | None = None,
        limit: int | None = None,
    ) -> ProposalPage:
        """One page of proposals that wait for somebody, or of those in other states, the oldest first."""
        fields = {"scope": scope, "states": states, "after": after, "limit": limit}
        asked = request_from(ProposalQuery, query, fields, like="proposal_page(scope={})")
        return await self._transport.call(
            "POST", "/v1/proposals/query", ProposalPage.model_validate_json, body=asked.as_json()
        )

    async def proposals(
        self, *, scope: Mapping[str, str], states: Sequence[ProposalState] | None = None
    ) -> AsyncGenerator[ProposalTold]:
        """All of them, a page fetched at a time."""
        after = None
        while True:
            page = await self.proposal_page(scope=scope, states=states, after=after)
            for each in page.proposals:
                yield each
            if page.next is None:
                return
            after = page.next

    async def proposal(self, proposal_id: UUID | str) -> ProposalRead:
        """What a proposal changes, with the evidence for and against beside each change."""
        path = f"/v1/proposals/{id_in_path(proposal_id)}"
        return await self._transport.call("GET", path, ProposalRead.model_validate_json)

    async def revise_proposal(self, proposal_id: UUID | str, /, **fields: Any) -> ProposalChanged:
        """Give a proposal other `content`, written on its `revision`."""
        said = request_from(Revision, None, fields, like="revise_proposal(id, revision=1, content={…})")
        return await self._word(f"/v1/proposals/{id_in_path(proposal_id)}/revise", said, ProposalChanged)

    async def withdraw_proposal(self, proposal_id: UUID | str, /, **fields: Any) -> ProposalChanged:
        """Take one's own proposal back; `because` says why."""
        said = request_from(Retreat, None, fields, like='withdraw_proposal(id, because="…")')
        return await self._word(f"/v1/proposals/{id_in_path(proposal_id)}/withdraw", said, ProposalChanged)

    async def decide(self, proposal_id: UUID | str, /, **fields: Any) -> DecisionCounted:
        """Decide on the `revision` of a proposal that was seen: `choice` is to approve, try, request_changes or reject.

        `content` edits what is approved. Raises `Conflict` where another decision has come first, or the proposal has
        another revision by now, and `NotPermitted` for one's own draft.
        """
        said = request_from(NewDecision, None, fields, like='decide(id, revision=1, choice="approve")')
        return await self._word(f"/v1/proposals/{id_in_path(proposal_id)}/decisions", said, DecisionCounted)

    async def procedure_page(
        self,
        query: ProcedureQuery | Mapping[str, Any] | None = None,
        /,
        *,
        scope: Mapping[str, str] | None = None,
        after: UUID | None = None,
        limit: int | None = None,
    ) -> ProcedurePage:
        """One page of procedures, each with what of it is in force."""
        fields = {"scope": scope, "after": after, "limit": limit}
        asked = request_from(ProcedureQuery, query, fields, like="procedure_page(scope={})")
        return await self._transport.call(
            "POST", "/v1/procedures/query", ProcedurePage.model_validate_json, body=asked.as_json()
        )

    async def procedures(self, *, scope: Mapping[str, str]) -> AsyncGenerator[ProcedureTold]:
        """All of them, a page fetched at a time."""
        after = None
        while True:
            page = await self.procedure_page(scope=scope, after=after)
            for each in page.procedures:
                yield each
            if page.next is None:
                return
            after = page.next

    async def procedure(self, procedure_id: UUID | str) -> ProcedureRead:
        """A procedure with all its versions: what each says, who approved it, and the episodes behind it."""
        path = f"/v1/procedures/{id_in_path(procedure_id)}"
        return await self._transport.call("GET", path, ProcedureRead.model_validate_json)

    async def roll_back(
        self, procedure_id: UUID | str, /, *, to: int, because: str, **fields: Any
    ) -> RolledBackTold:
        """Have a procedure say again what version `to` said, at once, as a version of its own."""
        like = 'roll_back(id, to=1, because="…")'
        said = request_from(Rollback, None, {"to": to, "because": because, **fields}, like=like)
        return await self._word(f"/v1/procedures/{id_in_path(procedure_id)}/rollback", said, RolledBackTold)

    async def report_run(
        self,
        procedure_id: UUID | str,
        /,
        *,
        version: int,
        scope: Mapping[str, str],
        activity_id: str,
        steps: Sequence[StepReport | Mapping[str, Any]] = (),
        **more: Any,
    ) -> RunKept:
        """Report which steps of a `version` were done, skipped or failed in an activity, and its `outcome`."""
        fields = {"version": version, "scope": scope, "activity_id": activity_id, "steps": steps, **more}
        said = request_from(
            NewRun, None, fields, like='report_run(id, version=1, scope={…}, activity_id="…")'
        )
        return await self._word(f"/v1/procedures/{id_in_path(procedure_id)}/runs", said, RunKept)

    async def runs(self, procedure_id: UUID | str) -> RunsTold:
        """How runs with the version in force went, and with the one on trial beside it."""
        path = f"/v1/procedures/{id_in_path(procedure_id)}/runs"
        return await self._transport.call("GET", path, RunsTold.model_validate_json)

    async def reflect(self) -> ReflectionTold:
        """Read what is new in experience, and propose what recurs, now."""
        return await self._transport.call("POST", "/v1/reflections", ReflectionTold.model_validate_json)

    async def retract_episode(self, episode_id: UUID | str, /, **fields: Any) -> EpisodeRetractedTold:
        """Retract an episode; `text` says why. What rests on it is reviewed, or suspended."""
        said = request_from(Withdrawal, None, fields, like='retract_episode(id, text="…")')
        return await self._word(f"/v1/episodes/{id_in_path(episode_id)}/retract", said, EpisodeRetractedTold)

    async def _word(self, path: str, said: Spoken, shape: type[A]) -> A:
        return await self._transport.call(
            "POST", path, shape.model_validate_json, body=with_key(said).as_json()
        )
