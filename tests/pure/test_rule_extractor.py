"""What the bundled extractor reads from plain operational English, and what it leaves alone."""

from uuid import UUID

import pytest

from models.candidates import CandidateKind, Proposal, Terms
from models.events import EntityMention
from tests.pure.spoken import BENCH, only, propose, said


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
