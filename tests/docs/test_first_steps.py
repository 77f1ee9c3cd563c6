"""The first steps lead from one to the next, and can be taken twice."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.run_document import blocks_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *(
        ROOT / f"docs/{page}.md"
        for page in ("authentication", "client", "mcp", "operating", "quickstart", "your-memories")
    ),
]


def made_by(*goals: str) -> str:
    """What make would do, without doing it."""
    asked = ["make", "--no-print-directory", "--dry-run", *goals]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_setup_says_what_comes_next() -> None:
    step = 'echo "Ready. Next: . .venv/bin/activate && keepwell up"'
    assert made_by("setup").rstrip().endswith(step)
    # Others that need it are at their own business.
    assert step not in made_by("lint")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_key_that_a_page_makes_for_a_variable_is_made_again_when_it_is_read_again(page: Path) -> None:
    made = [
        command
        for language, text, _ in blocks_of(page.read_text("utf-8"))
        if language == "sh"
        for command in re.findall(r"\$\((keepwell keys create [^)]*)\)", text)
    ]
    assert made
    assert [command for command in made if "--replace" not in command] == []


def test_links_between_pages_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *ROOT.glob("docs/*.md")):
        for target, _, heading in re.findall(r"\]\(([\w./-]*)(#([\w-]+))?\)", page.read_text("utf-8")):
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name}: {target}"
            if heading and found.suffix == ".md":
                titles = re.findall(r"^#+ (.*)$", found.read_text("utf-8"), re.MULTILINE)
                slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
                assert heading in slugs, f"{page.name}: {target}#{heading}"
