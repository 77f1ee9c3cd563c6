"""What a guide shows can be pasted line by line into `python -m asyncio`."""

import ast
from codeop import CommandCompiler
from pathlib import Path

import pytest

from tests.docs.run_document import blocks_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
PASTED = ["authentication.md", "client.md", "mcp.md", "quickstart.md", "your-memories.md"]


def entered(text: str) -> list[str]:
    """The statements that the console makes of these lines; raises SyntaxError where it takes them amiss."""
    compiler = CommandCompiler()
    compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    statements: list[str] = []
    lines: list[str] = []
    # Whoever pastes presses Enter in the end.
    for line in [*text.splitlines(), ""]:
        lines.append(line)
        if compiler("\n".join(lines), "<console>", "single") is not None:
            statements.append("\n".join(lines))
            lines = []
    if lines:
        raise SyntaxError("the console waits for more")
    return statements


@pytest.mark.parametrize("guide", PASTED)
def test_a_guide_can_be_pasted(guide: str) -> None:
    blocks = [block for block in blocks_of((DOCS / guide).read_text("utf-8")) if block[0] == "python"]
    assert blocks
    for _, text, line in blocks:
        try:
            entered(text)
        except SyntaxError as amiss:
            pytest.fail(f"{guide}, the block at line {line}: {amiss}")


@pytest.mark.parametrize(
    "text", ["for a in []:\n    b()\nc()\n", "def f():\n    import a\n\n    b()\n", "f(\n"]
)
def test_what_cannot_be_pasted_is_noticed(text: str) -> None:
    with pytest.raises(SyntaxError):
        entered(text)
