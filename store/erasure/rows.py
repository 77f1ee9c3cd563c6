"""How many rows were changed or removed, by table."""

Rows = dict[str, int]


def changed(rows: Rows, table: str, number: int) -> None:
    """Count rows of a table; none leaves no line."""
    if number:
        rows[table] = rows.get(table, 0) + number
