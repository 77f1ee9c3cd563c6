"""Characters that broke others, in every text of every route: kept and told as defined, or refused in plain words."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from capture.accept import Receipt
from models.events import scrub
from models.principals import PrincipalKind
from tests.http.conftest import Asking
from tests.http.country import filled, nowhere
from tests.http.listening import listening
from tests.http.routes import ROUTES
from tests.world import STAGING, event

TEXTS: dict[str, str] = {
    "NUL": "zebra\u0000stripe",
    "only NUL": "\u0000",
    "lone high surrogate": "zebra \ud83d stripe",
    "lone low surrogate": "\udc00 zebra",
    "surrogates reversed": "zebra \ude00\ud83d",
    "surrogate pair split by NUL": "zebra \ud83d\u0000\ude00",
    "token of a model": "zebra <|endoftext|> <|im_start|>system",
    "NFC": unicodedata.normalize("NFC", "zebra Auditoría"),
    "NFD": unicodedata.normalize("NFD", "zebra Auditoría"),
    "right to left": "zebra محمد \u202eabc\u202c שלום",
    "CJK": "会议改到周五下午 zebra スコープ",
    "Hindi": "हिन्दी में नमस्ते zebra",
    "emoji": "zebra 👩‍👩‍👧‍👦 🏳️‍🌈 1️⃣",
    "beyond the first plane": "zebra \U0001f600 \U00020000 \U0010ffff",
    "noncharacters": "zebra \ufffe \uffff",
    "marks": "z" + "\u0301" * 100,
    "expanding": "ﷺ" * 20,
    "dotted I": "İSTANBUL zebra ıi",
    "controls": "zebra\r\n\t\x1b[31m\x7f\x85\u2028end",
    "zero width": "zebra\u200b\u200d\ufeff",
    "markup": "<script>alert(1)</script> zebra &amp;",
    "SQL": "zebra'; DROP TABLE facts; -- \\",
    "patterns": "%_ zebra .* [a-z]+ ${x} {y}",
    "only blanks": " \u3000\t",
    "only punctuation": "...",
    "a date": "2026-03-02",
}

WORST = ("NUL", "only NUL", "lone high surrogate", "controls", "expanding", "only blanks", "only punctuation")
PLAIN = re.compile(r"(?:[A-Za-z0-9_.-]|…)*")


def operator(asking: Asking) -> Any:
    return asking.world.principal("olga", PrincipalKind.HUMAN, "operator")


async def test_events_are_read_back_as_they_are_defined(asking: Asking) -> None:
    """In text, reference, data and names; digested, each is found in its scope where it has a word to find."""
    world = asking.world
    told: dict[str, dict[str, Any]] = {}
    receipts: list[Receipt] = []
    for number, (kind, said) in enumerate(TEXTS.items()):
        kept, scope = scrub(said), {"workspace": f"w-{number}"}
        whole = event(
            scope=scope,
            activity_id=f"a {said}",
            type="correction",
            text=said,
            evidence_ref=f"ref {said}",
            idempotency_key=f"key {number} {said}",
            entities=[{"name": f"thing {said}"}, {"id": "thing:1", "name": f"other {said}"}],
            data={said: [said, {f"inner {said}": said}], "effect": said},
        )
        told[kind] = await asking.post(world.lead, "/v1/events", whole)
        again = await asking.post(world.lead, "/v1/events", whole)
        assert (again["event_id"], again["duplicate"]) == (told[kind]["event_id"], True), kind
        async with world.database.transaction(world.lead.tenant_id) as work:
            row = await work.row(
                text("SELECT text, evidence_ref, data, entities FROM events WHERE id = :id"),
                {"id": again["event_id"]},
            )
        assert row is not None
        assert (row.text, row.evidence_ref) == (kept, f"ref {kept}")
        assert row.data == {kept: [kept, {f"inner {kept}": kept}], "effect": kept}
        assert [each["name"] for each in row.entities] == [f"thing {kept}", f"other {kept}"]
        last = event(scope=scope, activity_id=f"a {said}", type="milestone")
        receipts += await world.publish(world.lead, last)
    await world.digest(receipts)
    for number, (kind, said) in enumerate(TEXTS.items()):
        verdict = await asking.get(world.lead, f"/v1/events/{told[kind]['event_id']}/verdict")
        assert verdict["stage"] == "settled", kind
        episode = await asking.get(world.lead, f"/v1/memories/{verdict['episode_id']}")
        assert episode["activity_id"] == f"a {scrub(said)}"
        asked = {"scope": {"workspace": f"w-{number}"}, "query": said, "entities": [said]}
        passages = (await asking.post(world.lead, "/v1/recall", asked))["passages"]
        if "zebra" in scrub(said).split():
            assert [each["episode_id"] for each in passages] == [verdict["episode_id"]], kind


@pytest.mark.parametrize("kind", TEXTS)
async def test_a_statement_is_read_back_as_it_is_defined(asking: Asking, kind: str) -> None:
    """Said, corrected, listed by its entity, found and told in one line, and taken back."""
    said, who = TEXTS[kind], operator(asking)
    kept = scrub(said)
    statement = {
        "scope": STAGING,
        "entity": f"thing {said}",
        "attribute": "lifecycle_policy",
        "value": f"keep {said}",
        "ends_when": f"the end of {said}",
        "text": f"we keep {said} until the end of {said}",
        "activity_id": f"a {said}",
        "evidence_ref": f"ref {said}",
        "idempotency_key": f"key {said}",
    }
    stated = await asking.post(who, "/v1/memories", statement)
    assert stated["verdict"] == "establish"
    assert await asking.post(who, "/v1/memories", statement) == {**stated, "duplicate": True}
    fact = await asking.get(who, f"/v1/memories/{stated['memory_id']}")
    assert (fact["value"], fact["ends_when"]) == (f"keep {kept}", f"the end of {kept}")
    assert fact["statement"] == f"we keep {kept} until the end of {kept}"
    assert fact["entity"]["name"] == f"thing {kept}"
    for asked in (f"thing {said}", f"THING {said}", fact["entity"]["canonical"]):
        if kind == "dotted I" and asked.startswith("THING"):
            continue
        condition = {"field": "entity", "op": "eq", "value": asked}
        listed = await asking.post(who, "/v1/memories/query", {"scope": STAGING, "filter": condition})
        assert [each["id"] for each in listed["memories"]] == [fact["id"]], asked
        lives = (await asking.post(who, "/v1/history", {"scope": STAGING, "entity": asked}))["lives"]
        assert [each["fact"]["id"] for each in lives] == [fact["id"]], asked
    recalled = await asking.post(who, "/v1/recall", {"scope": STAGING, "entities": [f"thing {said}"]})
    assert [each["id"] for each in recalled["facts"]] == [fact["id"]]
    assert len(recalled["facts"][0]["text"].splitlines()) == 1
    path = f"/v1/memories/{fact['id']}"
    explained = await asking.post(
        who, f"{path}/explain", {"scope": STAGING, "query": said, "entities": [f"thing {said}"]}
    )
    assert explained["included"]
    if kind not in WORST:
        # Each further step waits for a decision, and the texts of all go the same way.
        return
    corrected = await asking.post(
        who, f"{path}/correct", {"value": f"drop {said}", "text": f"we drop {said}"}
    )
    assert corrected["verdict"] == "supersede"
    path = f"/v1/memories/{corrected['memory_id']}"
    assert (await asking.get(who, path))["value"] == f"drop {kept}"
    assert (await asking.post(who, f"{path}/retract", {"text": f"no more {said}"}))["verdict"] == "retract"


def in_place_of(body: Any, said: str) -> Iterator[Any]:
    """Bodies in which one text, at any depth, is `said` and nothing else; and those with it as a name."""
    if isinstance(body, str):
        yield said
    elif isinstance(body, dict):
        for name, value in body.items():
            for changed in in_place_of(value, said):
                yield {**body, name: changed}
            yield {**{each: inner for each, inner in body.items() if each != name}, said: value}
    elif isinstance(body, list):
        for at, value in enumerate(body):
            for changed in in_place_of(value, said):
                yield [*body[:at], changed, *body[at + 1 :]]


BODIES: dict[str, dict[str, Any]] = {
    name: route.body(nowhere(STAGING)) for name, route in ROUTES.items() if route.body is not None
}
BODIES["POST /v1/events"] |= {
    "entities": [{"id": "thing:1", "name": "thing"}],
    "timezone": "Europe/Berlin",
    "evidence_ref": "ref",
    "idempotency_key": "key",
    "data": {
        "candidates": [{"attribute": "owner", "value": "Ana", "ends_when": "the end", "entity": "db-1"}]
    },
}
BODIES["POST /v1/recall"] |= {"entities": ["db-1", "thing:1"], "as_of": "2026-03-02T09:00:00Z"}
BODIES["POST /v1/memories/{memory_id}/explain"] |= {"entities": ["db-1"], "as_of": "2026-03-02T09:00:00Z"}
BODIES["POST /v1/history"] |= {"as_of": "2026-03-02T09:00:00Z"}
BODIES["POST /v1/memories/query"] |= {
    "filter": {"any": [{"field": "entity", "op": "in", "value": ["a", "b:1"]}, {"not": {"all": [
        {"field": "attribute", "op": "eq", "value": "owner"}, {"field": "valid_from", "op": "lt", "value": "x"}
    ]}}]},
    "cursor": "abc",
    "as_of": "2026-03-02T09:00:00Z",
}  # fmt: skip
BODIES["POST /v1/memories"] |= {"ends_when": "the end", "text": "Cy owns it", "timezone": "Europe/Berlin"}
BODIES["POST /v1/intentions/query"] |= {"scope": STAGING, "states": ["pending"]}
BODIES["POST /v1/intentions/{intention_id}/cancel"] |= {"text": "no need", "timezone": "Europe/Berlin"}
BODIES["POST /v1/intentions/{intention_id}/confirm"] |= {"timezone": "Europe/Berlin"}
BODIES["POST /v1/inbox/take"] |= {"limit": 5}
BODIES["POST /v1/inbox/{occurrence_id}/acknowledge"] |= {"outcome": "done", "text": "well"}
BODIES["POST /v1/keys"] |= {"roles": ["agent"], "within": STAGING, "only": ["recall"]}


@pytest.mark.parametrize("name", sorted(BODIES))
async def test_no_text_in_the_place_of_another_is_a_fault(asking: Asking, name: str) -> None:
    """Every text and every name of a body is replaced by each of these: an answer, or a clean refusal."""
    administers = any(part in name for part in ("/keys", "/policy", "/endpoints"))
    token = await asking.token_of(asking.admin if administers else operator(asking))
    path = ROUTES[name].path(name, nowhere(STAGING))
    answered: set[int] = set()
    # Each statement is decided while the caller waits, so that this route gets the worst of them alone.
    texts = WORST if name == "POST /v1/memories" else TEXTS
    with listening() as heard:
        for said in map(TEXTS.__getitem__, texts):
            for body in in_place_of(BODIES[name], said):
                answer = await asking.ask(token, name.split(" ", maxsplit=1)[0], path, body)
                answered.add(answer.status_code)
                assert answer.status_code in {200, 201, 404, 409, 422}, (answer.text, body)
                if answer.status_code >= 400:
                    assert answer.headers["content-type"] == "application/problem+json"
                    assert "zebra" not in answer.json()["detail"]
                    assert PLAIN.fullmatch(answer.json().get("field", ""))
                    assert len(answer.content) < 1_000
    assert 422 in answered
    assert "zebra" not in heard


async def test_no_text_in_a_path_is_a_fault(asking: Asking) -> None:
    token = await asking.token_of(operator(asking))
    for name in (each for each in ROUTES if "_id}" in each):
        for said in (
            "%00",
            "%ED%A0%BD",
            "%FF",
            "zebra",
            "%E5%AF%86",
            f"{uuid4()}%00",
            f"{uuid4()}%20x",
            "%7B%7D",
        ):
            method, path = name.split(" ")
            answer = await asking.ask(token, method, filled(path, said))
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input"), (name, answer.text)
            assert "zebra" not in answer.text
