"""Whatever the text, a proposal is quoted and grounded, and the work is bounded."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.candidates import is_grounded, said_by
from models.events import EntityMention
from tests.pure.spoken import propose, said

NAMES = st.sampled_from(
    [
        "a-1",
        "`a-1`",
        "the staging database",
        "it",
        "the instance",
        "billing-api",
        "“a-1”",
        "cloud:x",
        "İ-1",
        "a-1's",
    ]
)
ENDINGS = st.sampled_from(
    [
        "",
        " until QA (finally) signs off",
        " until Friday",
        " through 2026-12-01",
        " before Straße 7 is “done”",
        " till",
    ]
)
TEMPLATES = st.sampled_from(
    [
        "Keep {x} running{end}",
        "Don’t stop or touch {x}{end}",
        "{x} must never be ﬁled, nor ½ done{end}",
        "Use “A b” instead of C for {x}{end}",
        "I prefer tea over ﬁne coffee for {x}{end}",
        "From now on, please — do (not) shout{end}",
        "{x} is owned by the Zoë & co{end}",
        "We no longer need to keep {x} running",
        "Looks like {x} isn't being used anymore",
        "You can probably shut {x} down",
        "{x}: fine, {x}",
        "He said: “keep {x} up{end}”",
    ]
)
SENTENCES = st.builds(
    lambda template, x, end, stop: template.format(x=x, end=end) + stop,
    TEMPLATES,
    NAMES,
    ENDINGS,
    st.sampled_from([".", "!", "?", "…", ", I think.", "\n", "\n\n", " - ", " because it's late.", ";"]),
)
TEXTS = st.lists(st.one_of(SENTENCES, st.text(max_size=30)), max_size=6).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, listed=st.booleans(), timezone=st.sampled_from([None, "Europe/Berlin", "Asia/Kolkata"]))
async def test_every_proposal_is_quoted_and_grounded(text: str, listed: bool, timezone: str | None) -> None:
    event = said(text, *((EntityMention(id="cloud:i-7", name="a-1"),) if listed else ()), timezone=timezone)
    found = await propose(event)
    for proposal in found:
        assert proposal.quote in text
        assert is_grounded(proposal, said_by(event)), proposal
    assert found == await propose(event)


@pytest.mark.parametrize(
    "piece",
    [
        "keep ",
        "Keep a-1 running until ",
        "Keep a-1 running. ",
        "please, and, so, maybe, x running ",
        "use a for ",
        "Do not stop or stop a b c d e f g. ",
        "the a b c database must ",
        "a, ",
        "a-",
        "a",
        ".",
        '"a ',
        "'a ",
        "\n",
        " \n",
        "\n          ",
        ">\n",
        "<a ",
        "<a>",
        "<!--",
        "[image: ",
        "Assistant: a\n",
        "summary of the page, ",
        "e\u0301\u0323",
        "Keep\n",
        "always before when ",
        "until, ",
    ],
)
async def test_long_text_is_read_in_bounded_work(piece: str) -> None:
    """200 KB of what a careless pattern would choke on; the suite's timeout is the bound."""
    await propose(said(piece * (200 * 1024 // len(piece))))


async def test_a_document_gives_a_bounded_number_of_proposals() -> None:
    text = "".join(f"Keep a-{number} running.\n" for number in range(1_000))
    assert len(await propose(said(text))) == 200
