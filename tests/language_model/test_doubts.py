"""What a model leaves out of a sentence makes its proposal a hunch; what it adds to it makes it groundless."""

import pytest

from models.candidates import Proposal, is_grounded, said_by
from models.events import EventType
from providers.language_model.answers import Candidates, proposals_of
from providers.language_model.doubts import sentences_with
from tests.language_model.server import candidates
from tests.pure.samples import event


def proposed(text: str, **fields: object) -> Proposal:
    """What becomes of one candidate about one event that says `text`."""
    said = event(text, EventType.CORRECTION)
    [proposal] = proposals_of(Candidates.model_validate_json(candidates(dict(fields))), [said])
    return proposal


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("gpu-bench-01 stays up.", {"mention": "gpu-bench-01", "value": "stays up"}),
        ("Never touch gpu-bench-01.", {"mention": "gpu-bench-01", "value": "Never touch"}),
        (
            "gpu-bench-01 stays up until QA is done.",
            {"mention": "gpu-bench-01", "value": "stays up", "ends_when": "QA is done"},
        ),
        ("Our reports are in metric units.", {"value": "metric units"}),
        ("The owner of billing-api is team-a.", {"mention": "billing-api", "value": "team-a"}),
        ("Keep gpu-bench-01 up.", {"mention": "gpu-bench-01", "value": "keep up"}),
        (
            "The hold on gpu-bench-01 no longer applies.",
            {"mention": "gpu-bench-01", "kind": "withdrawal"},
        ),
        ("We do not need gpu-bench-01 up anymore.", {"mention": "gpu-bench-01", "kind": "withdrawal"}),
        (
            "Please make sure to keep gpu-bench-01 running until QA is done, thanks.",
            {"mention": "gpu-bench-01", "value": "keep running", "ends_when": "QA is done"},
        ),
        ("We must always tag images.", {"value": "tag images"}),
        ("billing-api goes to Postgres 18.", {"mention": "billing-api", "value": "Postgres 18"}),
        (
            "billing-api is owned by team-a.",
            {"mention": "billing-api", "value": "team-a", "attribute": "owner"},
        ),
        (
            "It is forbidden to delete gpu-bench-01.",
            {"mention": "gpu-bench-01", "value": "forbidden to delete"},
        ),
        ("Delete gpu-bench-01 on Friday.", {"mention": "gpu-bench-01", "value": "delete on Friday"}),
        ("Avoid restarting gpu-bench-01.", {"mention": "gpu-bench-01", "value": "avoid restarting"}),
        ("gpu-bench-01's owner is team-a.", {"mention": "gpu-bench-01", "value": "owner is team-a"}),
    ],
)
def test_a_proposal_that_takes_all_of_its_sentence_is_no_hunch(text: str, fields: dict[str, object]) -> None:
    proposal = proposed(text, quote=text, **fields)
    assert not proposal.hedged
    assert is_grounded(proposal, said_by(event(text)))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("Never touch gpu-bench-01.", {"value": "touch"}, id="a never"),
        pytest.param("gpu-bench-01 is not owned by team-a.", {"value": "team-a"}, id="a not"),
        pytest.param("Only QA may stop gpu-bench-01.", {"value": "may stop"}, id="an only"),
        pytest.param("gpu-bench-01 stays up until QA is done.", {"value": "stays up"}, id="an end"),
        pytest.param("gpu-bench-01 stays up for two weeks.", {"value": "stays up"}, id="a duration"),
        pytest.param("Unless QA objects gpu-bench-01 goes.", {"value": "goes"}, id="an exception"),
        pytest.param("When QA is done gpu-bench-01 goes.", {"value": "goes"}, id="a condition"),
        pytest.param("Maybe gpu-bench-01 stays up.", {"value": "stays up"}, id="a hedge"),
        pytest.param("Does gpu-bench-01 stay up?", {"value": "stay up"}, id="a question"),
        pytest.param("The vendor says gpu-bench-01 stays up.", {"value": "stays up"}, id="a report"),
        pytest.param(
            'He wrote "gpu-bench-01 stays up for all of us".', {"value": "stays up"}, id="a quotation"
        ),
        pytest.param(
            "Do not lift the hold on gpu-bench-01.", {"kind": "withdrawal"}, id="a withdrawal that is none"
        ),
        pytest.param(
            "The hold on gpu-bench-01 no longer applies after Friday.",
            {"kind": "withdrawal"},
            id="a withdrawal to come",
        ),
        pytest.param(
            "gpu-bench-01 stays up.", {"value": "stays up", "mention": None}, id="a thing that is left out"
        ),
        pytest.param(
            "Keep gpu-bench-01 and stop dev-box-02.", {"value": "stop"}, id="what is said of another"
        ),
        pytest.param("gpu-bench-01 stops test runs.", {"value": "runs stops"}, id="words in another order"),
        pytest.param(
            "gpu-bench-01 stays up until QA and Dana are done.",
            {"value": "stays up", "ends_when": "Dana are QA"},
            id="an end in another order",
        ),
        pytest.param(
            "gpu-bench-01 stays up until QA is not done.",
            {"value": "stays up", "ends_when": "QA is done"},
            id="an end without its not",
        ),
        pytest.param("Avoid restarting gpu-bench-01.", {"value": "restarting"}, id="an avoid"),
        pytest.param("Please refrain from deleting gpu-bench-01.", {"value": "deleting"}, id="a refrain"),
        pytest.param("It is forbidden to delete gpu-bench-01.", {"value": "delete"}, id="a forbidden"),
        pytest.param("Deleting gpu-bench-01 is prohibited.", {"value": "Deleting"}, id="a prohibited"),
        pytest.param("We banned deleting gpu-bench-01.", {"value": "deleting"}, id="a banned"),
        pytest.param("Anything but delete gpu-bench-01.", {"value": "delete"}, id="an anything but"),
        pytest.param("We failed to delete gpu-bench-01.", {"value": "delete"}, id="a failure"),
        pytest.param("Löscht gpu-bench-01 nicht.", {"value": "Löscht"}, id="a not of another language"),
        pytest.param("You may delete gpu-bench-01.", {"value": "delete"}, id="a leave"),
        pytest.param("Delete gpu-bench-01 on Friday.", {"value": "Delete"}, id="a time"),
        pytest.param("Delete gpu-bench-01 as long as QA is away.", {"value": "Delete"}, id="an as long as"),
        pytest.param(
            "Delete gpu-bench-01 as long as QA is away.",
            {"value": "Delete", "ends_when": "QA is away"},
            id="a condition that is no end",
        ),
        pytest.param(
            "Delete gpu-bench-01 once QA is done.",
            {"value": "Delete", "ends_when": "QA is done"},
            id="a beginning that is no end",
        ),
        pytest.param("Turn gpu-bench-01 off.", {"value": "Turn"}, id="a particle"),
        pytest.param(
            "The owner of prod-db is team-a.", {"value": "team-a", "mention": "team-a"}, id="another subject"
        ),
        pytest.param(
            "gpu-bench-01 is useless.", {"value": "is", "attribute": "uses"}, id="an attribute's cousin"
        ),
    ],
)
def test_what_is_left_out_makes_it_a_hunch(text: str, fields: dict[str, object]) -> None:
    assert proposed(text, **{"mention": "gpu-bench-01", "quote": text, **fields}).hedged


def test_the_sentence_counts_and_not_the_part_that_is_quoted() -> None:
    text = "All is well. Never ever touch gpu-bench-01! Thanks."
    proposal = proposed(text, mention="gpu-bench-01", value="touch", quote="touch gpu-bench-01")
    assert proposal.quote == "Never ever touch gpu-bench-01!"
    assert proposal.hedged


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"value": "evil-corp"}, "a value that nobody said"),
        ({"value": "team-a", "mention": "prod-db"}, "a thing that nobody named"),
        ({"value": "team-a", "mention": "gpu-bench-0"}, "a part of a name"),
        ({"value": "team-a", "mention": "it"}, "a pronoun that is not there"),
        ({"value": "team-a", "ends_when": "Friday"}, "an end that nobody stated"),
        ({"value": "team-a", "quote": "team-a owns all"}, "a quote that nobody said"),
    ],
)
def test_what_contradicts_the_event_is_groundless(fields: dict[str, object], why: str) -> None:
    text = "gpu-bench-01 is watched by team-a."
    proposal = proposed(text, **{"mention": "gpu-bench-01", "quote": text, **fields})
    assert not is_grounded(proposal, said_by(event(text))), why


def test_the_fewest_sentences_that_hold_a_quote() -> None:
    text = "One is here. Two is here. Three is there."
    spans = {
        quote: sentences_with(quote, text) for quote in ("two is", "here. Two is here", "is here", "four", "")
    }
    assert {quote: [text[each.start : each.end] for each in found] for quote, found in spans.items()} == {
        "two is": ["Two is here."],
        "here. Two is here": ["One is here.", "Two is here."],
        "is here": ["One is here."],
        "four": [],
        "": [],
    }
