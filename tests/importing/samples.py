"""Small hand-made conversations and event lines."""

import json
from typing import Any


def turn(number: int, speaker: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D1:{number}", "text": text, **fields}


def sample(**fields: Any) -> dict[str, Any]:
    """One conversation of two short sessions between Ada and Ben."""
    return {
        "sample_id": "talk-1",
        "qa": [],
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn(1, "Ada", "The kiln arrived at the pottery."),
                turn(2, "Ben", "Which glaze goes first?"),
                turn(3, "Ada", "The cobalt one.", blip_caption=" a blue bowl "),
                turn(4, "Ada", "Then celadon."),
            ],
            "session_2_date_time": "12:05 am on 1 June, 2023",
            "session_2": [
                {"speaker": "Ben", "dia_id": "D2:1", "text": "The bowls came out cracked."},
                {"speaker": "Ada", "dia_id": "D2:2", "text": "", "blip_caption": "a cracked bowl"},
            ],
            "session_3_date_time": "9:00 am on 2 June, 2023",
        },
        **fields,
    }


def packed(*samples: dict[str, Any]) -> bytes:
    return json.dumps(samples).encode()


def line(**fields: Any) -> bytes:
    """One event as a line of JSON, without its end."""
    event = {
        "activity_id": "act-1",
        "type": "note",
        "scope": {"workspace": "staging-cloud"},
        "occurred_at": "2026-03-02T09:00:00Z",
        **fields,
    }
    return json.dumps(event).encode()
