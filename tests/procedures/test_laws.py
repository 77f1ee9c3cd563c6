"""Laws of versions and proposals that the database itself enforces, whatever the code above it does."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from models.proposals import DecisionResult
from store.evidence import Kind, Transition, declare
from tests.procedures.bench import Bench, content
from tests.world import MONDAY

LAWS = [
    pytest.param(
        "UPDATE procedure_versions SET status = 'current' WHERE number = 1",
        "is out of force, or says something else",
        id="nothing comes back",
    ),
    pytest.param(
        "UPDATE procedure_versions SET status = 'suspended' WHERE number = 2",
        "changed state without a transition",
        id="no change of status without a transition",
    ),
    pytest.param(
        "UPDATE proposals SET state = 'open' WHERE state = 'approved'",
        "is settled and stays settled",
        id="what is settled stays settled",
    ),
    pytest.param(
        "UPDATE proposals SET state = 'lapsed', remind_at = NULL, escalate_at = NULL, lapses_at = NULL"
        " WHERE state = 'open'",
        "changed state without a transition",
        id="no change of state without a transition",
    ),
    pytest.param(
        "UPDATE procedure_versions SET number = 7 WHERE number = 2", "permission denied", id="numbers stay"
    ),
    pytest.param(
        "UPDATE procedure_versions SET content = '{}' WHERE number = 2",
        "permission denied",
        id="content stays",
    ),
    pytest.param("DELETE FROM procedure_versions", "permission denied", id="versions stay"),
    pytest.param("DELETE FROM proposals", "permission denied", id="proposals stay"),
    pytest.param("DELETE FROM proposal_decisions", "permission denied", id="decisions stay"),
    pytest.param(
        """
        INSERT INTO procedure_versions SELECT (jsonb_populate_record(v, jsonb_build_object(
            'id', gen_random_uuid(), 'number', 9, 'status', 'current'))).* FROM procedure_versions v WHERE number = 2
        """,
        "procedure_versions_current",
        id="one version is current",
    ),
    pytest.param(
        """
        INSERT INTO procedure_versions SELECT (jsonb_populate_record(v, jsonb_build_object(
            'id', gen_random_uuid(), 'number', 8 + g, 'status', 'trial', 'trial', '{"agents": ["a"], "share": 0}'::jsonb
        ))).* FROM procedure_versions v, generate_series(1, 2) AS g WHERE number = 2
        """,
        "procedure_versions_on_trial",
        id="one version is on trial",
    ),
    pytest.param(
        """
        INSERT INTO procedure_versions SELECT (jsonb_populate_record(v, jsonb_build_object(
            'id', gen_random_uuid(), 'number', 9, 'status', 'deprecated'))).* FROM procedure_versions v WHERE number = 2
        """,
        "changed state without a transition|lineage",
        id="nothing begins without a transition",
    ),
]


@pytest.mark.parametrize(("statement", "law"), LAWS)
async def test_the_database_refuses_what_would_break_a_promise(
    bench: Bench, statement: str, law: str
) -> None:
    await bench.approved("look")
    await bench.approved("look", "stop")
    await bench.propose(content("look", "ask", "stop"))
    before = await bench.versions()
    with pytest.raises(DBAPIError, match=law):
        async with bench.world.database.transaction(bench.dana.tenant_id) as work:
            await work.run(text(statement))
    assert await bench.versions() == before


async def test_a_record_without_lineage_does_not_come_to_be(bench: Bench) -> None:
    await bench.approved("look")
    statement = """
        INSERT INTO procedure_versions SELECT (jsonb_populate_record(v, jsonb_build_object(
            'id', CAST(:id AS text), 'number', 9, 'status', 'deprecated'))).* FROM procedure_versions v
    """
    identity = await bench.procedure_id()
    assert identity is not None

    async def written_without_lineage() -> None:
        async with bench.world.database.transaction(bench.dana.tenant_id) as work:
            await work.run(text(statement), {"id": str(identity)})
            said = Transition(identity, None, "deprecated", "test", "test", "dana", None, None, MONDAY)
            await declare(work, Kind.PROCEDURE, said)

    with pytest.raises(DBAPIError, match="lineage"):
        await written_without_lineage()


async def test_another_tenant_sees_none_of_it(bench: Bench) -> None:
    identity = await bench.propose(content("look"))
    stranger = bench.dana.model_copy(update={"tenant": f"{bench.dana.tenant}-other"})
    await bench.service.add_tenant(stranger)
    async with bench.world.database.transaction(stranger.tenant_id) as work:
        for table in ("procedures", "proposals", "procedure_versions", "proposal_decisions", "experiences"):
            assert not await work.rows(text(f"SELECT 1 FROM {table}"))
    assert await bench.decide(identity) is DecisionResult.APPROVED
