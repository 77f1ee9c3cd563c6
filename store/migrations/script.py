"""What migrations share: scripts of SQL inside the running transaction, and the wall around a table."""

from alembic import op
from sqlalchemy.util import await_only


def run_script(sql: str) -> None:
    """Run `sql`, statements separated by semicolons; a prepared statement could hold only one."""
    # The driver opens its transaction with the first statement that SQLAlchemy sends.
    op.execute("SELECT 1")
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    await_only(driver.execute(sql))


def wall(table: str, key: str = "tenant_id") -> None:
    """Let the service see and write those rows of `table` alone whose `key` is the transaction's tenant."""
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY tenant ON {table} TO keepwell_service"
        f" USING ({key} = (SELECT NULLIF(current_setting('app.tenant', true), '')::uuid))"
    )
