"""What is masked, and what passes: texts in many scripts and forms."""

from collections import Counter

import pytest

from models.masking import holds_mask, mask_fields
from models.sightings import INVISIBLE
from tests.secrets.corpora import Planted, digest, innocent, mask, masked, planted
from tests.world import FINDER

PLANTED = planted()
INNOCENT = innocent()


def named(text: str) -> str:
    """A name for a test without a letter of the secret."""
    return f"{len(text)}-{sum(map(ord, text)) % 9973}"


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: named(case.text))
def test_a_secret_becomes_a_mask_and_nothing_else_changes(case: Planted) -> None:
    assert masked(case.text) == case.masked


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: named(case.text))
def test_a_secret_is_found_deep_in_data_too(case: Planted) -> None:
    told = mask_fields({"data": {"steps": [{"note": case.text}, 7]}}, FINDER, digest)
    assert told.fields == {"data": {"steps": [{"note": case.masked}, 7]}}
    assert len(told.kinds) == 1


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: named(case.text))
def test_what_nobody_sees_hides_no_secret(case: Planted) -> None:
    """A character without width between any two: the masks, and so the digests, are the same."""
    assert INVISIBLE.sub("", masked("\u200b".join(case.text))) == case.masked


@pytest.mark.parametrize("unseen", ["\u00ad", "\u200d", "\u2060", "\u202e", "\ufeff", "\ufe0f", "\U000e0041"])
def test_a_secret_is_masked_from_its_first_letter_to_its_last(unseen: str) -> None:
    text = f"card{unseen} 4111{unseen}1111 1111{unseen} 1111{unseen}!"
    assert masked(text) == f"card{unseen} {mask('card_number', '4111111111111111')}{unseen}!"
    fields = {"data": {f"pass{unseen}word": f"{unseen}dra{unseen}gon"}}
    assert mask_fields(fields, FINDER, digest).kinds == ("password",)


@pytest.mark.parametrize("text", [text for text in INNOCENT if not holds_mask(text)], ids=named)
def test_what_is_no_secret_passes_with_what_nobody_sees(text: str) -> None:
    unseen = "\u200b".join(text)
    assert masked(unseen) == unseen


@pytest.mark.parametrize("text", INNOCENT, ids=named)
def test_what_is_no_secret_passes(text: str) -> None:
    assert masked(text) == text
    fields = {"data": {"steps": [{"note": text, "status": text}], text or "empty": 1}}
    assert mask_fields(fields, FINDER, digest).fields == fields


def test_there_are_texts_enough() -> None:
    assert len(PLANTED) > 240
    assert len(INNOCENT) > 200
    assert len(set(INNOCENT)) == len(INNOCENT)
    assert min(Counter(case.masked.split("[masked:")[1].split(":")[0] for case in PLANTED).values()) > 8


def test_all_at_once() -> None:
    """Texts one after another are masked as they are alone, whatever stands beside them."""
    texts = [case.text for case in PLANTED]
    told = mask_fields({"data": {"texts": texts}}, FINDER, digest)
    assert told.fields["data"]["texts"] == [case.masked for case in PLANTED]


NAMED = [
    ({"password": "dragon"}, "password"),
    ({"DB_PASSWORD": "dragon"}, "password"),
    ({"dbPassword": "correct horse battery"}, "password"),
    ({"contraseña": "gato"}, "password"),
    ({"密码": "dragon1"}, "password"),
    ({"env": [{"name": "DB_PASSWORD", "value": "dragon"}]}, "password"),
    ({"env": [{"key": "API_TOKEN", "value": "a1b2c3d4"}]}, "token"),
    ({"env": [{"Name": "DB_PASSWORD", "Value": "dragon"}]}, "password"),
    ({"NAME": "API_TOKEN", "VALUE": "a1b2c3d4"}, "token"),
    ({"field": "password", "value": "dragon"}, "password"),
    ({"k": "DB_PASSWORD", "v": "dragon"}, "password"),
    ({"key": "password", "data": "dragon"}, "password"),
    ({"parameter": "db-password", "val": "dragon"}, "password"),
    ({"variable": "PIN", "default_value": 4821}, "authentication_factor"),
    ({"type": "secret", "name": "DB_PASSWORD", "value": {"content": "dragon"}}, "password"),
    ({"credentials": {"user": "a", "value": "hunter2"}}, "password"),
    ({"password": {"value": "dragon"}}, "password"),
    ({"password": {"prod": {"current": ["dragon"]}}}, "password"),
    ({"token": {"access": "abc123def456"}}, "token"),
    ({"api_key": {"data": {"primary": "a1b2c3d4"}}}, "api_key"),
    ({"db_pass": "dragon"}, "password"),
    ({"DBPASS": "dragon"}, "password"),
    ({"mail": {"smtpPass": "dragon"}}, "password"),
    ({"argv": ["mysql", "--password", "dragon"]}, "password"),
    ({"headers": {"Authorization": "Bearer 0a1b2c3d4e5f"}}, "token"),
    ({"headers": [["x-api-key", "9f8e7d6c5b4a3928"]]}, None),
    ({"api_key": "a1b2c3d4"}, "api_key"),
    ({"client_secret": "hunter2"}, "api_key"),
    ({"otp": 482193}, "authentication_factor"),
    ({"pin": "4821"}, "authentication_factor"),
    ({"recovery_codes": ["a1b2-c3d4", "e5f6-a7b8"]}, "authentication_factor"),
    ({"card": 4111111111111111}, "card_number"),
    ({"card": 4111111111111111.0}, "card_number"),
    ({"password": 12345678.0}, "password"),
    ({"pin": 4821.0}, "authentication_factor"),
    ({"ssn": 123456789}, "national_id"),
    (
        {"pem": ["-----BEGIN PRIVATE KEY-----", "MC4CAQAwBQYDK2VwBCIEIJ", "-----END PRIVATE KEY-----"]},
        "private_key",
    ),
    ({"password": "must have at least 12 characters"}, None),
    ({"password": "required"}, None),
    ({"password": ""}, None),
    ({"password": None}, None),
    ({"password": {"type": "string"}}, None),
    ({"password_policy": "strict2025"}, None),
    ({"password": {"policy": "strict2025", "hint": "hunter2"}}, None),
    ({"password": {"value": "required", "default": None}}, None),
    ({"credentials": {"type": "oauth2", "user": "octocat123"}}, None),
    ({"credentials": {"value": "vault", "data": "production"}}, None),
    ({"tokens": {"input": 128000, "output": 4096}}, None),
    ({"token": {"count": 12000, "owner": "octocat123456"}}, None),
    ({"password": {"test": "passed"}}, None),
    ({"credentials": {"default": "profile1"}}, None),
    ({"pin": {"value": 13}}, None),
    ({"user_pass": "git"}, None),
    ({"token": {"data": 128000}}, None),
    ({"field": "password", "message": "hunter2"}, None),
    ({"field": "password", "value": "********"}, None),
    ({"key": "region", "value": "eu-west-1"}, None),
    ({"name": "password_policy", "value": "strict2025"}, None),
    ({"name": 7, "value": "strict2025"}, None),
    ({"test_pass": "green", "first_pass": "done", "bypass": "lane42"}, None),
    ({"login": "octocat123"}, None),
    ({"pin": 13}, None),
    ({"code": 482193}, None),
    ({"max_tokens": 128000}, None),
    ({"usage": {"prompt_tokens": 1234567890}}, None),
    ({"token": "550e8400-e29b-41d4-a716-446655440000"}, "token"),
    ({"page_token": "CAESBgoEABgB1234"}, None),
    ({"order_id": 4539578763621486}, None),
    ({"order": {"id": "4539578763621486"}}, None),
    ({"commit": "3f786850e387550fdab836ed7e6dc881de23001b"}, None),
    ({"timestamp_ms": 1764500000000}, None),
    ({"timestamp_ms": 1764500000000.0}, None),
    ({"password": 0.75}, None),
    ({"secret": 1.25e-10}, None),
    ({"order_id": 4539578763621486.0}, None),
    ({"share": 0.4111111111111111}, None),
    ({"status": "password", "next": "a1b2c3d4"}, None),
    ({"ids": ["4539578763621486"]}, None),
]


@pytest.mark.parametrize(("data", "kind"), NAMED, ids=str)
def test_a_name_says_what_its_value_is(data: dict[str, object], kind: str | None) -> None:
    told = mask_fields({"data": data}, FINDER, digest)
    assert told.kinds == (() if kind is None else (kind,))
    if kind is None:
        assert told.fields == {"data": data}
