"""A procedure as a file: what is written reads as the same, and is written again to the same bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.procedures import ProcedureContent, ProcedureStep, TriggerIntent
from runtime.procedure_file import read_procedure, written_procedure
from runtime.yaml_document import Unreadable

SCOPE = {"workspace": "staging-cloud"}
SAID = st.text(min_size=1, max_size=40).filter(lambda text: bool(text.strip()))
AWKWARD = [
    *(
        "yes",
        "null",
        "~",
        "1e3",
        "0x1f",
        "2026-03-02",
        "- a",
        "a: b",
        "# a",
        "--- a",
        "...",
        "|",
        ">",
        "*a",
        "&a",
    ),
    *(
        "!!python/object:os.system",
        "{{ secret }}",
        "<script>alert(1)</script>",
        "**bold** `code`",
        "承認してください",
    ),
    *(
        " leads",
        "trails ",
        "two\nlines",
        "\n leads\n",
        "ends\n\n",
        "tab\there",
        "a\u2028b",
        "a\x85b",
        "\ufeffbom",
    ),
    *("👩‍🔧 emoji", "مرحبا", "\u202eturned", "'", '"', "%", "@x", "`x", "a #b", "[a", "{a", "a\\nb"),
]


def content(*said: str) -> ProcedureContent:
    steps = tuple(
        ProcedureStep(id=f"s{n}", do=each, verify=each, because=each) for n, each in enumerate(said)
    )
    return ProcedureContent(trigger=TriggerIntent(intent=said[0]), preconditions=tuple({*said}), steps=steps)


def same(one: ProcedureContent) -> None:
    written = written_procedure("cleanup", "operations", SCOPE, one)
    read = read_procedure(written)
    assert (read.procedure, read.class_name, read.scope, read.content) == (
        "cleanup",
        "operations",
        SCOPE,
        one,
    )
    assert written_procedure("cleanup", "operations", SCOPE, read.content) == written


@pytest.mark.parametrize("said", AWKWARD)
def test_awkward_words_come_back_as_they_were(said: str) -> None:
    same(content(said))


@settings(max_examples=200)
@given(st.lists(SAID, min_size=1, max_size=3))
def test_any_words_come_back_as_they_were(said: list[str]) -> None:
    try:
        one = content(*said)
    except ValueError:
        return
    same(one)


def test_two_hundred_steps_in_japanese_with_markup_come_back_as_they_were() -> None:
    steps = tuple(
        ProcedureStep(
            id=f"s{n}", do=f"手順{n}: **確認** <b>承認</b> {{{{ n }}}}\n- approve this", verify="確認済み"
        )
        for n in range(200)
    )
    same(ProcedureContent(trigger=TriggerIntent(intent="週末の掃除"), steps=steps))


FILE = written_procedure("cleanup", "operations", SCOPE, content("look"))


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("", 1),
        ("- a", 1),
        (FILE.replace("procedure: cleanup", "procedure: Clean Up"), 1),
        (FILE.replace("class:", "clas:"), 1),
        (FILE + "procedure: again\n", 1 + FILE.count("\n")),
        (FILE.replace("- id: s0", "- id: s 0"), FILE[: FILE.index("- id: s0")].count("\n") + 1),
        (FILE + "more: 1\n", 1 + FILE.count("\n")),
        ("a: &a [1]\nb: *a", 1),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_without_what_stands_there(written: str, line: int) -> None:
    with pytest.raises(Unreadable) as refused:
        read_procedure(written)
    assert refused.value.line == line
    assert "Clean Up" not in refused.value.message
