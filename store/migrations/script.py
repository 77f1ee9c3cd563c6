"""Run several statements of SQL at once, inside the running migration's transaction."""

from alembic import op
from sqlalchemy.util import await_only


def run_script(sql: str) -> None:
    """Run `sql`, statements separated by semicolons; a prepared statement could hold only one."""
    # The driver opens its transaction with the first statement that SQLAlchemy sends.
    op.execute("SELECT 1")
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    await_only(driver.execute(sql))
