"""What a caller is told of secrets: their kinds, and the field in which one is refused."""

from typing import Any

from tests.http.conftest import Asking
from tests.world import STAGING, event

PASSWORD = "Tr0ub4dor&3"
CARD = "4111 1111 1111 1111"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
SECRETS = (PASSWORD, CARD, TOKEN)


def stated(**said: Any) -> dict[str, Any]:
    return {"scope": STAGING, "entity": "db-main-1", "attribute": "owner", "value": "Ana", **said}


async def test_over_http_kinds_are_told_and_names_of_fields(asking: Asking) -> None:
    lead = asking.world.lead
    body = event(text=f"the password is {PASSWORD}", data={"card": CARD})
    told = await asking.post(lead, "/v1/events", body)
    assert told["masked"] == ["card_number", "password"]
    batch = await asking.post(lead, "/v1/events/batch", {"events": [event(text="fine"), body]})
    assert [each["masked"] for each in batch["events"]] == [[], ["card_number", "password"]]
    refusals: list[tuple[str, dict[str, Any], str]] = [
        ("/v1/events", event(text="fine", activity_id=f"run {TOKEN}"), "activity_id"),
        ("/v1/events", event(text="fine", scope={"workspace": TOKEN}), "scope"),
        ("/v1/events", event(text="fine", idempotency_key=TOKEN), "idempotency_key"),
        (
            "/v1/memories",
            stated(activity_id=TOKEN),
            "activity_id",
        ),
        (
            "/v1/memories",
            stated(scope={"workspace": CARD}),
            "scope",
        ),
    ]
    for path, sent, field in refusals:
        answer = await asking.ask(lead, "POST", path, sent)
        assert (answer.status_code, answer.json()["field"]) == (422, field)
        assert [secret for secret in SECRETS if secret in answer.text] == []
        assert "send another name for it" in answer.json()["detail"]
