"""How runs with a procedure went: with the version in force, and with the one on trial beside it."""

from typing import NamedTuple
from uuid import UUID

from models.attribution import PairedEffect
from models.errors import NotFound
from models.principals import Principal
from models.procedure_reach import UNKNOWN_PROCEDURE, may_know_of
from models.procedure_runs import Tally, compare, tally
from models.procedures import Version
from store import procedure_runs, procedures
from store.engine import Database
from store.policies import Policies


class Went(NamedTuple):
    """What came of the runs with one version, by its number."""

    number: int
    tally: Tally


class Runs(NamedTuple):
    """What came of runs with a procedure; None where no version is in force, or none on trial."""

    current: Went | None
    trial: Went | None
    pairs: PairedEffect | None


class RunReader:
    """Reads runs for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def of(self, principal: Principal, procedure_id: UUID) -> Runs:
        """What came of the runs with a procedure. Raises `NotFound`."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            procedure = await procedures.get(work, procedure_id)
            if procedure is None or not may_know_of(policy, principal, procedure):
                raise NotFound(UNKNOWN_PROCEDURE)
            current, trial = (await procedures.in_force(work, [procedure_id]))[procedure_id]
            ids = [each.id for each in (current, trial) if each is not None]
            runs = await procedure_runs.of_versions(work, ids)

        def went(version: Version | None) -> Went | None:
            if version is None:
                return None
            return Went(version.number, tally(runs[version.id], _steps(version)))

        pairs = None
        if current is not None and trial is not None:
            both = (_steps(trial), _steps(current))
            pairs = compare(runs[trial.id], runs[current.id], both).pairs
        return Runs(went(current), went(trial), pairs)


def _steps(version: Version) -> list[str]:
    return [step.id for step in version.content.steps]
