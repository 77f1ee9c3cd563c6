"""Runs with procedures, as agents report them: stored as what they are, somebody's word on how it went."""

from uuid import UUID

from capture.accept import OF_A_PROCEDURE, Receipt, in_one_transaction
from capture.directives import Directive, hear
from capture.masking import Masker
from models.errors import InvalidInput, NotFound
from models.principals import Principal
from models.procedure_reach import UNKNOWN_PROCEDURE, may_know_of
from models.procedure_runs import NewRun, Run
from models.scope import Scope, parse_scope
from models.statements import Spoken
from models.verbs import Verb
from store import procedure_runs, procedures
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class ProcedureRuns:
    """Takes reports on runs from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def report(self, principal: Principal, procedure_id: UUID, run: NewRun) -> Receipt:
        """Keep what became of a run; the latest word on an activity counts.

        Raises `NotPermitted` for a scope beyond reach, `NotFound` for a procedure or version that is not there, and
        `InvalidInput` for a scope in which the procedure does not apply, or a step that the version does not have.
        """
        run = self._masker.statement(principal.tenant_id, run)
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(run.scope, policy.dimensions)
        policy.require(principal, Verb.PUBLISH, scope)

        async def store(work: UnitOfWork) -> Receipt:
            await self._tenants.require(work, principal.tenant)
            procedure = await procedures.get(work, procedure_id)
            if procedure is None or not may_know_of(policy, principal, procedure):
                raise NotFound(UNKNOWN_PROCEDURE)
            if not Scope(procedure.scope).covers(scope):
                raise InvalidInput("is not one in which the procedure applies", field="scope")
            version = await procedures.numbered(work, procedure_id, run.version)
            if version is None:
                raise NotFound("no such version; report on the one that recall brought", field="version")
            known = {step.id for step in version.content.steps}
            unknown = [at for at, step in enumerate(run.steps) if step.id not in known]
            if unknown:
                raise InvalidInput(
                    "is no step of this version; take the ids from it", field=f"steps.{unknown[0]}.id"
                )
            said = run.model_dump(
                mode="json",
                exclude_none=True,
                exclude_defaults=True,
                exclude={*Spoken.model_fields, "scope"},
            )
            told = {OF_A_PROCEDURE: {"run": said, "id": str(procedure_id)}}
            directive = Directive(Verb.PUBLISH, scope, run, told, f"run {procedure_id}")
            heard = await hear(work, principal, policy, directive)
            if heard.event is not None:
                kept = Run(
                    heard.event.id, version.id, heard.event.activity_id, run.steps, run.outcome, run.pair
                )
                await procedure_runs.add(work, kept, principal)
            return heard.receipt

        return await in_one_transaction(self._database, principal.tenant_id, store)
