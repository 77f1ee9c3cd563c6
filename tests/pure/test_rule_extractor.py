"""What the bundled rules read in plain operational English, and what they leave alone."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Terms, is_grounded, said_by
from models.events import EntityMention, EventType, StoredEvent
from models.principals import PrincipalKind, Speaker
from providers.rule_extractor import RuleExtractor
from providers.rule_extractor.dates import End, read_end
from providers.rule_extractor.sentences import sentences

ATTRIBUTES = (
    "lifecycle_policy",
    "change_policy",
    "operating_rule",
    "uses",
    "preference",
    "standing_instruction",
    "owner",
)
WEDNESDAY = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
BENCH = EntityMention(id="cloud-instance:i-09a8f", name="gpu-bench-01")


def said(
    text: str | None,
    *entities: EntityMention,
    kind: EventType = EventType.INSTRUCTION,
    at: datetime = WEDNESDAY,
    timezone: str | None = None,
    data: dict[str, Any] | None = None,
) -> StoredEvent:
    """An event in which a person says `text`."""
    return StoredEvent(
        id=UUID(int=1),
        activity_id=UUID(int=2),
        seq=1,
        type=kind,
        speaker=Speaker(subject="robin", kind=PrincipalKind.HUMAN),
        authority=Authority.HUMAN_INSTRUCTION,
        scope={"workspace": "staging-cloud"},
        occurred_at=at,
        recorded_at=at,
        timezone=timezone,
        text=text,
        entities=entities,
        evidence_ref=None,
        data=data or {},
    )


async def propose(*events: StoredEvent) -> list[Proposal]:
    return await RuleExtractor().propose(events, ATTRIBUTES)


async def only(event: StoredEvent) -> Proposal:
    """The one proposal of `event`, grounded and quoted to the letter."""
    found = await propose(event)
    assert len(found) == 1, found
    assert is_grounded(found[0], said_by(event))
    assert found[0].quote in (event.text or "")
    return found[0]


async def test_a_restriction_with_a_condition_is_read_from_the_sentence_that_states_it() -> None:
    text = (
        "Restart gpu-bench-01. Friday's cleanup broke our QA regression suite. Keep the instance running"
        " until QA migrates the suite to the shared Kubernetes cluster."
    )
    for entities, mention in (((), "gpu-bench-01"), ((BENCH,), "cloud-instance:i-09a8f")):
        proposal = await only(said(text, *entities))
        assert proposal == Proposal(
            event_id=UUID(int=1),
            kind=CandidateKind.STATEMENT,
            attribute="lifecycle_policy",
            mention=mention,
            terms=Terms(
                value="keep running", ends_when="QA migrates the suite to the shared Kubernetes cluster"
            ),
            hedged=False,
            quote="Keep the instance running until QA migrates the suite to the shared Kubernetes cluster.",
        )


async def test_a_hunch_that_something_may_go_is_one_hedged_remark() -> None:
    proposal = await only(
        said("Looks like gpu-bench-01 isn't being used anymore. We can probably shut it down.")
    )
    assert (proposal.kind, proposal.attribute) == (CandidateKind.STATEMENT, "lifecycle_policy")
    assert (proposal.mention, proposal.hedged) == ("gpu-bench-01", True)
    assert proposal.terms == Terms(value="can shut down")
    assert proposal.quote == "We can probably shut it down."


async def test_a_remark_leans_on_the_hedge_of_the_sentence_before_it() -> None:
    assert (await only(said("Looks like gpu-bench-01 is idle. We can shut it down."))).hedged
    assert (await only(said("It seems idle. We can shut it down.", BENCH))).hedged
    assert not (await only(said("gpu-bench-01 is idle. We can shut it down."))).hedged


async def test_what_is_done_instead_is_no_part_of_the_end() -> None:
    proposal = await only(
        said(
            "QA has changed its plans. Keep gpu-bench-01 reserved through the final benchmark instead of"
            " waiting for the Kubernetes migration."
        )
    )
    assert proposal.terms == Terms(value="keep reserved", ends_when="the final benchmark")


STATEMENTS = [
    # text, attribute, mention, value, condition
    ("Keep billing-api running.", "lifecycle_policy", "billing-api", "keep running", None),
    ("Keep billing-api running", "lifecycle_policy", "billing-api", "keep running", None),
    (
        "Keep db.internal online until v1.2.0 is out.",
        "lifecycle_policy",
        "db.internal",
        "keep online",
        "v1.2.0 is out",
    ),
    ("Please keep a-1 up until QA signs off.", "lifecycle_policy", "a-1", "keep up", "QA signs off"),
    (
        "Keep a-1 up and running until QA signs off!",
        "lifecycle_policy",
        "a-1",
        "keep up and running",
        "QA signs off",
    ),
    ("Keep a-1 on at least until QA signs off.", "lifecycle_policy", "a-1", "keep on", "QA signs off"),
    ("Keep a-1 running anyway until QA is done.", "lifecycle_policy", "a-1", "keep running", "QA is done"),
    (
        "Keep a-1 running until QA is done, because they asked.",
        "lifecycle_policy",
        "a-1",
        "keep running",
        "QA is done",
    ),
    (
        "Keep a-1 running until QA is done, and then stop it.",
        "lifecycle_policy",
        "a-1",
        "keep running",
        "QA is done",
    ),
    (
        "Keep a-1 running until Friday, or QA is done.",
        "lifecycle_policy",
        "a-1",
        "keep running",
        "Friday, or QA is done",
    ),
    ("Until QA is done, keep a-1 running.", "lifecycle_policy", "a-1", "keep running", "QA is done"),
    ("Keep a-1 running\nuntil QA is done.", "lifecycle_policy", "a-1", "keep running", "QA is done"),
    (
        "Leave a-1 in place until further notice.",
        "lifecycle_policy",
        "a-1",
        "leave in place",
        "further notice",
    ),
    ("Keep the staging database frozen.", "lifecycle_policy", "staging database", "keep frozen", None),
    ("Keep staging alive till QA is done", "lifecycle_policy", "staging", "keep alive", "QA is done"),
    ("KEEP `a-1` RUNNING.", "lifecycle_policy", "a-1", "keep running", None),
    ("Keep gpu‑bench‑01 running.", "lifecycle_policy", "gpu-bench-01", "keep running", None),
    ("Keep the instance a-1 running.", "lifecycle_policy", "a-1", "keep running", None),
    ("a-1 is busy, so keep it running.", "lifecycle_policy", "a-1", "keep running", None),
    ("Reminder: keep a-1 running.", "lifecycle_policy", "a-1", "keep running", None),
    ("Do not stop a-1 before the audit ends.", "lifecycle_policy", "a-1", "do not stop", "the audit ends"),
    ("Don't shut down a-1 until QA signs off", "lifecycle_policy", "a-1", "don't shut down", "QA signs off"),
    ("Don’t shut a-1 down until QA signs off", "lifecycle_policy", "a-1", "don’t shut down", "QA signs off"),
    (
        "Never delete cloud-instance:i-09a8f.",
        "lifecycle_policy",
        "cloud-instance:i-09a8f",
        "never delete",
        None,
    ),
    ("Do not stop or restart a-1.", "lifecycle_policy", "a-1", "do not stop or restart", None),
    ("You must not terminate a-1.", "lifecycle_policy", "a-1", "must not terminate", None),
    ("Do not touch the QA regression suite.", "change_policy", "QA regression suite", "do not touch", None),
    (
        "Please don't deploy to billing-api until QA is done.",
        "change_policy",
        "billing-api",
        "don't deploy to",
        "QA is done",
    ),
    ("Never modify our staging cluster.", "change_policy", "staging cluster", "never modify", None),
    (
        "Never restart a-1 during business hours.",
        "operating_rule",
        "a-1",
        "never restart during business hours",
        None,
    ),
    (
        "The staging proxy must always log to syslog.",
        "operating_rule",
        "staging proxy",
        "must always log to syslog",
        None,
    ),
    (
        "a-1 must never be restarted before noon.",
        "operating_rule",
        "a-1",
        "must never be restarted before noon",
        None,
    ),
    (
        "a-1 must not be upgraded before the audit ends.",
        "operating_rule",
        "a-1",
        "must not be upgraded",
        "the audit ends",
    ),
    (
        "a-1 should always run from main until v2.0 is out.",
        "operating_rule",
        "a-1",
        "should always run from main",
        "v2.0 is out",
    ),
    ("a-1 must run as root, because of the driver.", "operating_rule", "a-1", "must run as root", None),
    ("Use Postgres 16 instead of MySQL for a-1.", "uses", "a-1", "Postgres 16 instead of MySQL", None),
    ("Use Postgres 16 for a-1 instead of MySQL.", "uses", "a-1", "Postgres 16 instead of MySQL", None),
    ("For a-1, use Postgres 16.", "uses", "a-1", "Postgres 16", None),
    ("Use Postgres 16 for a-1, not MySQL.", "uses", "a-1", "Postgres 16", None),
    (
        "Use Postgres 16 for production until the migration ends.",
        "uses",
        "production",
        "Postgres 16",
        "the migration ends",
    ),
    ("Prefer spot over on-demand for a-1.", "preference", "a-1", "spot over on-demand", None),
    ("I prefer dark mode.", "preference", None, "dark mode", None),
    ("We prefer Slack over email for alerts.", "preference", None, "Slack over email for alerts", None),
    ("From now on, send reports as PDF.", "standing_instruction", None, "send reports as PDF", None),
    (
        "From now on, if a build fails, tell me.",
        "standing_instruction",
        None,
        "if a build fails, tell me",
        None,
    ),
    (
        "Always ask me when you are unsure.",
        "standing_instruction",
        None,
        "always ask me when you are unsure",
        None,
    ),
    ("a-1 is owned by the platform team.", "owner", "a-1", "platform team", None),
    ("The platform team owns a-1.", "owner", "a-1", "platform team", None),
    ("a-1 is owned by Zoë O’Brien.", "owner", "a-1", "Zoë O’Brien", None),
    ("a-1 is no longer used.", "lifecycle_policy", "a-1", "is no longer used", None),
    ("Nobody uses a-1 anymore.", "lifecycle_policy", "a-1", "nobody uses anymore", None),
    ("You can delete a-1.", "lifecycle_policy", "a-1", "can delete", None),
    ("a-1 can be shut down.", "lifecycle_policy", "a-1", "can be shut down", None),
]


@pytest.mark.parametrize(("text", "attribute", "mention", "value", "condition"), STATEMENTS)
async def test_statements(
    text: str, attribute: str, mention: str | None, value: str, condition: str | None
) -> None:
    proposal = await only(said(text))
    assert proposal.kind is CandidateKind.STATEMENT
    assert (proposal.attribute, proposal.mention) == (attribute, mention)
    assert proposal.terms == Terms(value=value, ends_when=condition)
    assert not proposal.hedged


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("We no longer need to keep gpu-bench-01 running.", "lifecycle_policy"),
        ("QA is done, so we no longer need to keep gpu-bench-01 running.", "lifecycle_policy"),
        ("We don’t need to keep gpu-bench-01 running anymore.", "lifecycle_policy"),
        ("There is no need to keep gpu-bench-01 up any longer.", "lifecycle_policy"),
        ("gpu-bench-01 no longer needs to be kept running.", "lifecycle_policy"),
        ("gpu-bench-01 no longer needs to stay up.", "lifecycle_policy"),
        ("No longer keep gpu-bench-01 reserved.", "lifecycle_policy"),
        ("The restriction on gpu-bench-01 no longer applies.", "lifecycle_policy"),
        ("The rule on gpu-bench-01 no longer applies.", "lifecycle_policy"),
        ("The freeze on gpu-bench-01 no longer applies.", "change_policy"),
        ("No longer use MySQL for gpu-bench-01.", "uses"),
        ("gpu-bench-01 is no longer owned by QA.", "owner"),
        ("QA no longer owns gpu-bench-01.", "owner"),
    ],
)
async def test_withdrawals(text: str, attribute: str) -> None:
    proposal = await only(said(text))
    assert proposal.kind is CandidateKind.WITHDRAWAL
    assert (proposal.attribute, proposal.mention, proposal.terms) == (attribute, "gpu-bench-01", None)


@pytest.mark.parametrize(
    "text",
    [
        "I keep running until I am tired",
        "Use your judgement",
        "Use your judgement for the staging database.",
        "I always prefer tea with friends",
        "gpu-bench-01 is fixed. Great job, keep it up!",
        "gpu-bench-01 is fixed. Keep it up, you're almost there!",
        "Keep up the good work until Friday.",
        "Keep your chin up. Keep me up to date until Friday.",
        "Keep everything running until Friday.",
        "Keep them running until Friday.",
        "Keep a server running until Friday.",
        "Do not stop the server until Friday.",
        "Never change the subject.",
        "Our proxy must be down.",
        "gpu-bench-01 must have crashed.",
        "That must be nice.",
        "You should never give up on your dreams!",
        "Always good to see you when you are around.",
        "From now on I will be nicer.",
        "Nobody owns billing-api.",
        "I prefer not to say.",
        # A question, a condition, somebody else's words, a supposition, a negation.
        "Should we keep gpu-bench-01 running?",
        "Keep gpu-bench-01 running until Friday?",
        "If the tests fail, keep gpu-bench-01 running.",
        "Keep gpu-bench-01 running if the tests fail.",
        "Keep gpu-bench-01 running as long as QA needs it.",
        "When QA is done, you can delete gpu-bench-01.",
        "After Friday, we no longer need to keep gpu-bench-01 running.",
        "We will no longer need to keep gpu-bench-01 running.",
        "Bob said keep gpu-bench-01 running.",
        "As Bob said, keep gpu-bench-01 running.",
        "Bob wrote:\nKeep gpu-bench-01 running until Friday.",
        "Bob wrote:\n\nKeep gpu-bench-01 running until Friday.",
        '"Keep gpu-bench-01 running until Friday."',
        "He was clear: “It is needed. Keep gpu-bench-01 running until Friday. Thanks.”",
        "> Keep gpu-bench-01 running until Friday.",
        "```\nKeep gpu-bench-01 running until Friday.\n```",
        "I wouldn't keep gpu-bench-01 running.",
        "I don't think we should keep gpu-bench-01 running.",
        "Imagine gpu-bench-01 must never be stopped.",
        "Don't keep gpu-bench-01 running.",
        # An end that cannot be told is not "no end".
        "Keep gpu-bench-01 running until 2026-13-45.",
        "Keep gpu-bench-01 running until 31 February 2026.",
        "Keep gpu-bench-01 running until 31 February 2026, QA needs it.",
        "Keep gpu-bench-01 running until 2026-12-01 at the latest.",
        "Keep gpu-bench-01 running for two weeks.",
        "Keep gpu-bench-01 running, for two weeks.",
        "Keep gpu-bench-01 running. Until Friday.",
        "Keep gpu-bench-01 running, but not on weekends.",
        "Keep gpu-bench-01 running and healthy until Friday.",
        "Keep gpu-bench-01 running because QA needs it until Friday.",
        "Before Friday, keep gpu-bench-01 running.",
        "Keep gpu-bench-01 running through the load balancer.",
        "We can stop gpu-bench-01 until Friday.",
    ],
)
async def test_what_is_not_read(text: str) -> None:
    assert await propose(said(text)) == []


@pytest.mark.parametrize(
    ("text", "entities", "mention"),
    [
        ("Keep it running.", (BENCH,), "cloud-instance:i-09a8f"),
        ("Keep the server running.", (BENCH,), "cloud-instance:i-09a8f"),
        ("Keep that database running.", (BENCH,), None),
        ("Keep it running.", (EntityMention(name="gpu-bench-01"),), "gpu-bench-01"),
        ("Keep it running.", (BENCH, EntityMention(name="other")), None),
        ("Keep GPU-Bench-01 running.", (BENCH, EntityMention(name="other")), "cloud-instance:i-09a8f"),
        ("Keep the QA thing running.", (EntityMention(id="box:7", name="QA thing"),), "box:7"),
        ("Restart a-1. Then b-2 failed. Keep it running.", (), "b-2"),
        ("Restart a-1 and b-2. Keep it running.", (), None),
        ("Restart a-1, see OPS-12. The follow-up is mine. Keep it running.", (), "a-1"),
        ("Upgrade a-1 to v1.2.0. Keep it running.", (), "a-1"),
        ("Do not touch the staging database. Keep it running.", (), "staging database"),
        ("Keep it running. Restart a-1.", (), None),
    ],
)
async def test_what_a_name_or_a_pronoun_stands_for(
    text: str, entities: tuple[EntityMention, ...], mention: str | None
) -> None:
    read = [p.mention for p in await propose(said(text, *entities)) if p.attribute == "lifecycle_policy"]
    assert read == ([] if mention is None else [mention])


@pytest.mark.parametrize(
    ("text", "value", "hedged"),
    [
        ("Maybe keep a-1 running.", "keep running", True),
        ("I think we should keep a-1 running.", "keep running", True),
        ("Keep a-1 running, I guess.", "keep running", True),
        ("Keep a-1 running until QA thinks it might be done.", "keep running", False),
        ("You could delete a-1.", "could delete", True),
        ("We can stop a-1. I am not sure about the rest.", "can stop", False),
        ("Looks like a-1 isn't being used anymore. Keep it running anyway.", "keep running", False),
        ("Keep a-1 running. I think we can stop it.", "keep running", False),
        ("Keep a-1 running. You can stop it.", "can stop", False),
        ("Keep a-1 running. I think we no longer need to keep a-1 running.", "keep running", False),
        ("Keep a-1 running. Correction: keep a-1 off.", "keep off", False),
        ("Use MySQL for a-1. No, use Postgres for a-1.", "Postgres", False),
    ],
)
async def test_hedges_and_second_thoughts(text: str, value: str, hedged: bool) -> None:
    proposal = await only(said(text))
    assert proposal.terms is not None
    assert (proposal.terms.value, proposal.hedged) == (value, hedged)


@pytest.mark.parametrize(
    ("text", "hedged"),
    [
        ("Keep a-1 running. We no longer need to keep a-1 running.", False),
        ("We no longer need to keep a-1 running. We can probably shut it down.", False),
        ("Looks like a-1 isn't used anymore. We no longer need to keep it running.", True),
        ("I think we no longer need to keep a-1 running.", True),
    ],
)
async def test_a_withdrawal_beside_other_words(text: str, hedged: bool) -> None:
    proposal = await only(said(text))
    assert (proposal.kind, proposal.hedged) == (CandidateKind.WITHDRAWAL, hedged)


async def test_one_sentence_may_say_several_things() -> None:
    found = await propose(
        said("Keep a-1 running until QA signs off, and don't touch b-2 until it is safe; C-3 must never log.")
    )
    assert [(p.mention, p.attribute, p.terms and p.terms.ends_when) for p in found] == [
        ("a-1", "lifecycle_policy", "QA signs off"),
        ("b-2", "change_policy", "it is safe"),
        ("C-3", "operating_rule", None),
    ]


async def test_rules_of_one_entity_stand_side_by_side() -> None:
    found = await propose(
        said("- a-1 must run behind the proxy\n- a-1 must never log PII\n- Keep a-1 running")
    )
    assert [p.terms and p.terms.value for p in found] == [
        "must run behind the proxy",
        "must never log PII",
        "keep running",
    ]
    assert [p.quote for p in found][-1] == "Keep a-1 running"


ENDS = [
    # connective, words, instant in UTC of an event on Wednesday 2026-03-04 at 10:00 UTC in Berlin
    ("until", "2026-12-01", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("through", "2026-12-01", datetime(2026, 12, 1, 23, tzinfo=UTC)),
    ("before", "1 December 2026", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "December 1st, 2026", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "1 December", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "4 March", datetime(2027, 3, 3, 23, tzinfo=UTC)),
    ("until", "the 15th", datetime(2026, 3, 14, 23, tzinfo=UTC)),
    ("until", "29 February", datetime(2028, 2, 28, 23, tzinfo=UTC)),
    ("until", "2026-12-01 18:00", datetime(2026, 12, 1, 17, tzinfo=UTC)),
    ("until", "2026-12-01T18:00:00Z", datetime(2026, 12, 1, 18, tzinfo=UTC)),
    ("until", "2026-12-01T18:00:00+05:30", datetime(2026, 12, 1, 12, 30, tzinfo=UTC)),
    ("until", "tomorrow", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("through", "tomorrow", datetime(2026, 3, 5, 23, tzinfo=UTC)),
    ("until", "today", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "Friday", datetime(2026, 3, 5, 23, tzinfo=UTC)),
    ("through", "Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "Wednesday", datetime(2026, 3, 10, 23, tzinfo=UTC)),
    ("until", "next Monday", datetime(2026, 3, 8, 23, tzinfo=UTC)),
    ("until", "Saturday 7 March 2026", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "the end of the day", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "end of day Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "after Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "the end of the month", datetime(2026, 3, 31, 22, tzinfo=UTC)),
    ("until", "the end of 2026", datetime(2026, 12, 31, 23, tzinfo=UTC)),
    ("until", "next month", datetime(2026, 3, 31, 22, tzinfo=UTC)),
    ("until", "next week", datetime(2026, 3, 8, 23, tzinfo=UTC)),
    ("until", "January", datetime(2026, 12, 31, 23, tzinfo=UTC)),
    ("until", "6pm", datetime(2026, 3, 4, 17, tzinfo=UTC)),
    ("until", "9 a.m.", datetime(2026, 3, 5, 8, tzinfo=UTC)),
    ("until", "11:00", datetime(2026, 3, 5, 10, tzinfo=UTC)),
    ("until", "noon UTC", None),
    ("until", "12:00 UTC", datetime(2026, 3, 4, 12, tzinfo=UTC)),
    ("until", "midnight", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "Friday at 6:30pm", datetime(2026, 3, 6, 17, 30, tzinfo=UTC)),
    ("until", "noon tomorrow", datetime(2026, 3, 5, 11, tzinfo=UTC)),
    ("until", "6pm on Friday", datetime(2026, 3, 6, 17, tzinfo=UTC)),
    # Daylight saving: 02:30 is skipped on 29 March and comes twice on 25 October.
    ("until", "2026-03-29 02:30", datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
    ("until", "2026-10-25 02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
]


@pytest.mark.parametrize(("connective", "words", "instant"), ENDS)
def test_ends_that_are_instants(connective: str, words: str, instant: datetime | None) -> None:
    expected = End(expires_at=instant) if instant else End(ends_when=words)
    assert read_end(connective, words, WEDNESDAY, "Europe/Berlin") == expected


@pytest.mark.parametrize(
    "words",
    [
        *("2026-13-45", "2026-02-30", "31 February 2026", "February 31", "the 45th", "Friday 7 March 2026"),
        *(
            "25:00",
            "13pm",
            "6",
            "01/12/2026",
            "1.12.2026",
            "26-12-01",
            "2026-12-01 or so",
            "9999-12-31T25:00",
        ),
        *("", "  ", "..."),
    ],
)
def test_what_looks_like_a_date_and_is_none_is_refused(words: str) -> None:
    assert read_end("until", words, WEDNESDAY, None) is None


def test_an_end_beyond_the_calendar_or_in_an_unknown_zone_is_refused() -> None:
    assert read_end("through", "9999-12-31", WEDNESDAY, None) is None
    assert read_end("until", "0001-01-01", WEDNESDAY, "Asia/Tokyo") is None
    assert read_end("until", "Friday", WEDNESDAY, "Mars/Olympus") is None


@pytest.mark.parametrize(
    "words", ["QA signs off", "the end of the week", "Friday evening", "may day is over"]
)
def test_other_ends_are_conditions_in_words(words: str) -> None:
    assert read_end("until", words, WEDNESDAY, None) == End(ends_when=words)


async def test_an_end_is_read_in_the_zone_of_the_speaker() -> None:
    late = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
    text = "Keep gpu-bench-01 running until Friday."
    in_utc = await only(said(text, at=late))
    in_tokyo = await only(said(text, at=late, timezone="Asia/Tokyo"))
    assert in_utc.terms == Terms(value="keep running", expires_at=datetime(2026, 3, 6, tzinfo=UTC))
    assert in_tokyo.terms == Terms(value="keep running", expires_at=datetime(2026, 3, 12, 15, tzinfo=UTC))


async def test_structured_candidates_are_statements_and_win_over_the_text() -> None:
    data = {
        "candidates": [
            {
                "attribute": "lifecycle_policy",
                "value": "keep reserved",
                "entity": "GPU-bench-01",
                "ends_when": "Y",
            },
            {"attribute": "standing_instruction", "value": "be brief"},
            {"attribute": "shoe_size", "value": "43"},
        ]
    }
    event = said("Keep gpu-bench-01 running. Do not touch a-1.", BENCH, kind=EventType.OBSERVATION, data=data)
    found = await propose(event)
    assert [(p.attribute, p.mention, p.terms) for p in found] == [
        ("lifecycle_policy", "cloud-instance:i-09a8f", Terms(value="keep reserved", ends_when="Y")),
        ("standing_instruction", None, Terms(value="be brief")),
    ]
    assert {p.quote for p in found} == {event.text}
    both = await propose(event.model_copy(update={"type": EventType.NOTE}))
    assert [p.attribute for p in both] == ["lifecycle_policy", "standing_instruction", "change_policy"]
    wordless = await propose(said(None, kind=EventType.TOOL_CALL, data=data))
    assert [p.quote for p in wordless] == ["keep reserved", "be brief"]
    assert await propose(said("Keep a-1 running.", data={"candidates": 3})) == []


async def test_an_observation_reports_a_state_of_each_entity() -> None:
    event = said("Keep it running. CPU is at 1%.", BENCH, EntityMention(name="b"), kind=EventType.OBSERVATION)
    found = await RuleExtractor().propose([event], ())
    assert [(p.kind, p.attribute, p.mention, p.terms, p.quote) for p in found] == [
        (CandidateKind.OBSERVATION, "observed_state", "cloud-instance:i-09a8f", None, event.text),
        (CandidateKind.OBSERVATION, "observed_state", "b", None, event.text),
    ]
    named = await propose(said("a-1 idles, so does b-2.", kind=EventType.OBSERVATION))
    assert [p.mention for p in named] == ["a-1", "b-2"]
    wordless = await propose(said(None, BENCH, kind=EventType.OBSERVATION))
    assert [p.quote for p in wordless] == [""]


READ = {
    *(EventType.INSTRUCTION, EventType.MESSAGE, EventType.FEEDBACK, EventType.CORRECTION, EventType.NOTE),
    *(
        EventType.TOOL_RESULT,
        EventType.MILESTONE,
        EventType.VERIFICATION_PASSED,
        EventType.VERIFICATION_FAILED,
    ),
}


@pytest.mark.parametrize("kind", [kind for kind in EventType if kind is not EventType.OBSERVATION])
async def test_the_text_of_events_that_bear_words_is_read(kind: EventType) -> None:
    assert bool(await propose(said("Keep a-1 running.", kind=kind))) is (kind in READ)


async def test_only_known_attributes_are_proposed_and_events_keep_their_order() -> None:
    first = said("Keep a-1 running. Do not touch a-1.")
    second = first.model_copy(update={"id": UUID(int=9), "text": "Do not touch b-2."})
    found = await RuleExtractor().propose([first, second], {"change_policy"})
    assert [(p.event_id.int, p.mention) for p in found] == [(1, "a-1"), (9, "b-2")]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Use v1.2.0 of db.internal. Then stop.", ["Use v1.2.0 of db.internal.", "Then stop."]),
        ("Wait, e.g. until noon. Go!", ["Wait, e.g. until noon.", "Go!"]),
        ("until 5 p.m. Friday. Thanks", ["until 5 p.m. Friday.", "Thanks"]),
        ("It took until 5 p.m. We slept.", ["It took until 5 p.m.", "We slept."]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("- one\n- two\n1. three", ["one", "two", "three"]),
        ("Stop a-1\nKeep b-2 up", ["Stop a-1", "Keep b-2 up"]),
        ("Really?! “Yes.” No…", ["Really?!", "“Yes.”", "No…"]),
        (" \n\t ", []),
    ],
)
def test_sentences(text: str, pieces: list[str]) -> None:
    spans = [text[sentence.start : sentence.end] for sentence in sentences(text)]
    assert [span for span in spans if not span.rstrip(".").isdigit()] == pieces


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
