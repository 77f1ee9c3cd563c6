"""`keepwell review`, `why`, and `recall --unverified`: what waits, the word on it, and why it was decided so."""

from datetime import UTC, datetime
from typing import Any

from models.observations import LiveObservation
from models.reasons import ReasonCode
from tests.surfaces.terminal import Terminal
from tests.world import SERVER, World, event

HERE = ("--scope", "workspace=staging-cloud")
BENCH = ("--entity", SERVER["id"])
LEAD = {"KEEPWELL_AS": "human:dana", "KEEPWELL_ROLES": "infra_lead"}
SAM = {"KEEPWELL_AS": "human:sam", "KEEPWELL_ROLES": "developer"}
NO_RIGHT = "not_permitted: " + ReasonCode.NOT_PERMITTED.meaning


async def stated(terminal: Terminal, value: str, text: str, **who: str) -> dict[str, Any]:
    """What was decided on a statement about the bench."""
    ended = await terminal.keepwell(
        "remember", "lifecycle_policy", value, *HERE, *BENCH, "--text", text, "--json", **who
    )
    return ended.json


async def test_a_reviewer_reads_both_sides_and_accepts(terminal: Terminal, world: World) -> None:
    kept = await stated(terminal, "keep running", "Keep it running.", **LEAD)
    held = await stated(terminal, "drain", "It may [bold]go[/bold].\x1b[31m", **SAM)
    assert (held["disposition"], held["gate"]) == ("quarantine", "authority")
    said = (await terminal.keepwell("review", "list", **LEAD)).said()
    assert f"id {held['fact_id']}" in said
    assert f"authority gate, {NO_RIGHT}" in said
    assert "lifecycle_policy = drain is held until somebody who may accepts it" in said
    assert "said by sam, human_instruction, " in said
    assert '"It may [bold]go[/bold].\ufffd[31m"' in said
    assert f"against {SERVER['id']} lifecycle_policy = keep running (active, fact {kept['fact_id']})" in said
    assert "said by dana as infra_lead, human_instruction, " in said
    [listed] = (await terminal.keepwell("review", "list", *HERE, "--json", **LEAD)).json["reviews"]
    assert (listed["id"], listed["meaning"]) == (held["fact_id"], ReasonCode.NOT_PERMITTED.meaning)

    accept = ("review", "accept", held["fact_id"])
    (await terminal.keepwell(*accept, **SAM)).refused(3, "review")
    (await terminal.keepwell(*accept, "--ends-when", "the audit is over", **LEAD)).refused(2, "--value")
    edited = await terminal.keepwell(
        *accept, "--value", "drain slowly", "--ends-when", "the audit is over", "--text", "Right.", **LEAD
    )
    assert "supersede: permitted_other_terms. It governs." in edited.said()
    assert (await terminal.keepwell("review", "list", **LEAD)).said() == "Nothing waits.\n"
    (await terminal.keepwell(*accept, **LEAD)).refused(5)


async def test_a_rejection_takes_a_reason(terminal: Terminal, world: World) -> None:
    held = await stated(terminal, "drain", "It may go.", **SAM)
    rejected = await terminal.keepwell("review", "reject", held["fact_id"], "Keep it.", "--json", **LEAD)
    assert (rejected.code, rejected.json["reason"]) == (0, "rejected_in_review")
    (await terminal.keepwell("review", "reject", held["fact_id"], "Keep it.", **LEAD)).refused(5)


async def test_what_is_observed_otherwise_time_and_again_is_shown_and_upheld(
    terminal: Terminal, world: World
) -> None:
    kept = await stated(terminal, "keep running", "Keep it running.", **LEAD)
    for activity in ("a", "b", "c"):
        seen = LiveObservation(
            entity=SERVER["id"], attribute="lifecycle_policy", value="zebra", observed_at=datetime.now(UTC)
        )
        answer = await world.recall(observations=(seen,), activity_id=activity)
    said = (await terminal.keepwell("review", "list", **LEAD)).said()
    assert f"id {kept['fact_id']}" in said
    assert "lifecycle_policy = keep running governs, and is observed otherwise" in said
    assert "observed_otherwise: live observations say otherwise" in said
    assert "observed otherwise on 3 occasions, from " in said
    assert f"in trace {answer.trace_id}" in said
    assert "zebra" not in said
    upheld = await terminal.keepwell(
        "review", "accept", kept["fact_id"], "--text", "It is off for a reboot.", **LEAD
    )
    assert "restate: same_terms. It governs." in upheld.said()
    assert (await terminal.keepwell("review", "list", **LEAD)).said() == "Nothing waits.\n"


async def test_why_tells_events_facts_and_claims_in_the_same_words(terminal: Terminal, world: World) -> None:
    kept = await stated(terminal, "keep running", "Keep it running.", **LEAD)
    held = await stated(terminal, "drain", "It may go.", **SAM)

    of_event = (await terminal.keepwell("why", held["event_id"], **LEAD)).said()
    assert "statement of lifecycle_policy: quarantine by hold_unverified" in of_event
    assert f"authority gate, {NO_RIGHT}" in of_event
    assert f"made fact {held['fact_id']}" in of_event
    assert f"concerns fact {kept['fact_id']}" in of_event
    told = (await terminal.keepwell("why", held["event_id"], "--json", **LEAD)).json["event"]
    [decided] = told["decisions"]
    assert (decided["disposition"], decided["gate"], decided["meaning"]) == (
        "quarantine",
        "authority",
        ReasonCode.NOT_PERMITTED.meaning,
    )

    of_fact = (await terminal.keepwell("why", kept["fact_id"], **LEAD)).said()
    assert "lifecycle_policy = keep running (active, " in of_fact
    assert "nothing → active by establish, dana as infra_lead" in of_fact
    assert "permitted_statement: " + ReasonCode.PERMITTED_STATEMENT.meaning in of_fact
    [change] = (await terminal.keepwell("why", kept["fact_id"], "--json", **LEAD)).json["fact"]["changes"]
    assert change["meaning"] == ReasonCode.PERMITTED_STATEMENT.meaning

    claim = await terminal.keepwell("why", held["fact_id"], "--json", **LEAD)
    assert set(claim.json) == {"fact", "waits"}
    assert claim.json["waits"]["challenged"]["id"] == kept["fact_id"]
    of_claim = (await terminal.keepwell("why", held["fact_id"], **LEAD)).said()
    assert "nothing → quarantined by hold_unverified, sam" in of_claim
    assert "is held until somebody who may accepts it" in of_claim
    # Who may not review reads the life of the claim, and nothing of the queue.
    assert set((await terminal.keepwell("why", held["fact_id"], "--json", **SAM)).json) == {"fact"}


async def test_why_knows_nothing_beyond_reach(terminal: Terminal, world: World) -> None:
    held = await stated(terminal, "drain", "It may go.", **SAM)
    eve = {"KEEPWELL_AS": "human:eve", "KEEPWELL_ROLES": "user"}
    for identity in (held["event_id"], held["fact_id"], "00000000-0000-0000-0000-000000000000"):
        (await terminal.keepwell("why", identity, **eve)).refused(4, "no such event, fact or claim")
    (await terminal.keepwell("why", "x", **LEAD)).refused(2, "is not an id")


async def test_why_tells_what_nobody_can_name(terminal: Terminal, world: World) -> None:
    for identity in ("cloud-instance:i-1", "cloud-instance:i-2"):
        seen = event(text="seen", entities=[{"id": identity, "name": "gpu"}])
        await world.digest(await world.publish(world.lead, seen, event(type="activity_completed")))
    await terminal.keepwell("remember", "lifecycle_policy", "drain", *HERE, "--entity", "gpu", **LEAD)
    [listed] = (await terminal.keepwell("review", "list", "--json", **LEAD)).json["reviews"]
    said = (await terminal.keepwell("why", listed["id"], **LEAD)).said()
    assert "gpu lifecycle_policy = drain means several things here; accept it with --entity" in said
    accepted = await terminal.keepwell(
        "review", "accept", listed["id"], "--entity", "cloud-instance:i-2", **LEAD
    )
    assert "It governs." in accepted.said()


async def test_claims_are_shown_apart_where_they_are_asked_for(terminal: Terminal, world: World) -> None:
    held = await stated(terminal, "drain", "It may go.", **SAM)
    plain = (await terminal.keepwell("recall", *HERE, *BENCH, **SAM)).said()
    assert "Nothing that applies." in plain
    assert held["fact_id"] not in plain
    shown = (await terminal.keepwell("recall", *HERE, *BENCH, "--unverified", **SAM)).said()
    assert "Nothing that applies." in shown
    assert "quarantined unverified: " in shown
    assert f"claim {held['fact_id']} · about_entity_in_play · not in force" in shown
    assert (await terminal.keepwell("recall", *HERE, *BENCH, "--unverified", "--json", **SAM)).json[
        "facts"
    ] == []


async def test_the_words_of_a_reviewer_are_read_again(terminal: Terminal, world: World) -> None:
    held = await stated(terminal, "drain", "It may go.", **SAM)
    reject = ("review", "reject", held["fact_id"], "The auditors still [bold]need[/bold] it.", "--json")
    rejected = (await terminal.keepwell(*reject, **LEAD)).json
    words = 'said: "The auditors still [bold]need[/bold] it."'
    of_claim = (await terminal.keepwell("why", held["fact_id"], **SAM)).said()
    of_event = (await terminal.keepwell("why", rejected["event_id"], **SAM)).said()
    assert words in of_claim
    assert 'said: "It may go."' in of_claim
    assert words in of_event
    for said in (of_claim, of_event):
        assert "  in workspace=staging-cloud\n" in said
    history = (await terminal.keepwell("history", held["fact_id"], **SAM)).said()
    assert "  in workspace=staging-cloud\n" in history
    assert "auditors" in history
    [life] = (await terminal.keepwell("history", held["fact_id"], "--json", **SAM)).json
    assert [change["text"] for change in life["changes"]] == [
        "It may go.",
        "The auditors still [bold]need[/bold] it.",
    ]
    told = (await terminal.keepwell("why", rejected["event_id"], "--json", **SAM)).json["event"]
    assert told["text"] == "The auditors still [bold]need[/bold] it."


async def test_what_does_not_govern_says_why_and_what_next(terminal: Terminal, world: World) -> None:
    say = ("remember", "lifecycle_policy", "drain", *HERE, *BENCH)
    held = await terminal.keepwell(*say, **SAM)
    assert held.code == 1
    assert (
        f"hold_unverified: not_permitted. It does not govern.\n  {ReasonCode.NOT_PERMITTED.meaning}"
        in held.out
    )
    assert "  next: keepwell why " in held.out
    assert "keepwell review list" in held.out
    governs = (await terminal.keepwell(*say, **LEAD)).said()
    assert "next: " not in governs


async def test_a_promoted_fact_says_from_what(terminal: Terminal, world: World) -> None:
    say = ("remember", "owner", "Ana", *BENCH, *HERE, "--scope", "project=search", "--json")
    narrow = (await terminal.keepwell(*say, **LEAD)).json["fact_id"]
    kim = {**LEAD, "KEEPWELL_AS": "human:kim"}
    wide = (await terminal.keepwell("promote", narrow, *HERE, "--json", **kim)).json["fact_id"]
    said = (await terminal.keepwell("why", wide, **LEAD)).said()
    assert f"  in workspace=staging-cloud\n  promoted from fact {narrow}\n" in said
    assert (await terminal.keepwell("why", wide, "--json", **LEAD)).json["fact"]["made_from"] == [narrow]
    assert "promoted" not in (await terminal.keepwell("why", narrow, **LEAD)).said()


async def test_who_may_not_review_is_told_where(terminal: Terminal, world: World) -> None:
    (await terminal.keepwell("review", "list", *HERE, **SAM)).refused(
        3, "scope: no role of this principal may review in this scope"
    )
    (await terminal.keepwell("review", "list", **SAM)).refused(
        3, "no role of this principal may review anywhere"
    )
    (await terminal.keepwell("review", "accept", "nonsense", **LEAD)).refused(
        2, "claim: is not an id; take one from keepwell review list"
    )
    (await terminal.keepwell("review", "list", "--scope", "{}", *HERE, **LEAD)).refused(
        2, "--scope: {} stands alone, for the whole tenant"
    )


async def test_what_waits_says_where(terminal: Terminal, world: World) -> None:
    held = await stated(terminal, "drain", "It may go.", **SAM)
    said = (await terminal.keepwell("review", "list", **LEAD)).said()
    assert f"id {held['fact_id']} in workspace=staging-cloud\n" in said


async def test_a_dispute_goes_as_the_page_tells_it(terminal: Terminal, world: World) -> None:
    build = ("--entity", "build-7", "--scope", "workspace=staging")
    kim = {**LEAD, "KEEPWELL_AS": "human:kim"}
    reported = await terminal.keepwell("remember", "outcome", "passed", *build, "--as", "system:qa-pipeline")
    assert "It governs." in reported.said()
    said = await terminal.keepwell("remember", "outcome", "failed", *build, "--json", **LEAD)
    assert (said.code, said.json["verdict"]) == (1, "dispute")
    listed = (await terminal.keepwell("review", "list", **kim)).said()
    assert "outcome = failed is disputed until a person settles it" in listed
    assert "cannot be accepted by dana, who said it" in listed
    accepted = await terminal.keepwell("review", "accept", said.json["fact_id"], **kim)
    assert "It governs." in accepted.said()
