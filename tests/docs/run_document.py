"""Run the snippets of one Markdown file in order, as somebody who copies them into a terminal.

`python run_document.py FILE`: blocks marked `sh` go to a shell, and what they export stays; blocks marked
`python` share one session, in which `await` may stand at the top. Blocks of any other kind are not run.
"""

import ast
import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOW_ENVIRONMENT = '\nenv -0 > "$SNIPPET_ENVIRONMENT"\n'


def blocks_of(markdown: str) -> list[tuple[str, str, int]]:
    """Language, text and first line of each block that is to be run."""
    return [
        (block[1], block[2], markdown.count("\n", 0, block.start()) + 2)
        for block in _BLOCK.finditer(markdown)
        if block[1] in {"sh", "python"}
    ]


def run_shell(text: str, folder: Path) -> None:
    """Run a block that must end well, and take on what it has exported."""
    shown = folder / "environment"
    environment = {**os.environ, "SNIPPET_ENVIRONMENT": str(shown)}
    subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", text + _SHOW_ENVIRONMENT], env=environment, check=True
    )
    for pair in shown.read_text("utf-8").split("\0"):
        name, equals, value = pair.partition("=")
        if equals and name != "SNIPPET_ENVIRONMENT":
            os.environ[name] = value


def compiled(text: str, name: str, line: int) -> CodeType:
    """A block as code whose tracebacks name the document's own lines."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile("\n" * (line - 1) + text, name, "exec", flags | ast.PyCF_ONLY_AST)
    return compile(tree, name, "exec", flags)


def main() -> None:
    document = Path(sys.argv[1])
    session: dict[str, Any] = {"__name__": "__main__"}
    with asyncio.Runner() as runner:
        for language, text, line in blocks_of(document.read_text("utf-8")):
            print(f"--- {document.name}, line {line}", flush=True)
            if language == "sh":
                run_shell(text, Path.cwd())
                continue
            code = compiled(text, str(document), line)
            if code.co_flags & 0x80:  # a coroutine: it has an `await` at the top
                runner.run(_awaited(code, session))
            else:
                exec(code, session)


async def _awaited(code: CodeType, session: dict[str, Any]) -> None:
    await eval(code, session)


if __name__ == "__main__":
    main()
