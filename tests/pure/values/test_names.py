"""Texts, booleans, versions, entities and enumerations: what is compared by its name."""

import pytest

from models.text import normalise
from models.values import ValueSpec, ValueType, canonical
from tests.pure.values.tables import read, spec

SEMANTIC = spec(ValueType.VERSION, semantic=True)
CHANNEL = spec(ValueType.ENUMERATION, values=["email", "phone", "Text Message"])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Keep it.", "keep it"),
        ("  Keep\nIT ", "keep it"),
        ("", ""),
        ("!!!", "!!!"),
        ("? !", "? !"),
        ("ratio 1:2", "ratio 1:2"),
        ("Date: tomorrow", "date tomorrow"),
        ("notmoney:1:EUR", "notmoney:1:eur"),
        ("money:1000:EUR", "text:money:1000:eur"),
        ("duration:172800", "text:duration:172800"),
        ("“Duration:172800”", "text:duration:172800"),
        ("list:a;b", "text:list:a;b"),
        ("entity:id:x", "text:entity:id:x"),
        ("text:money:1", "text:text:money:1"),
    ],
)
def test_a_text_is_compared_in_its_normal_form_and_is_never_taken_for_another_type(
    text: str, key: str
) -> None:
    assert canonical(text, ValueSpec()) == (key, True)


def test_a_plain_text_is_compared_as_it_is_searched() -> None:
    text = "Ｎever delete “gpu-bench-01” — not EVEN then."
    assert canonical(text, ValueSpec()).key == normalise(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "true"),
        ("Yes.", "true"),
        ("TRUE", "true"),
        ("on", "true"),
        ("Enabled", "true"),
        ("ｔｒｕｅ", "true"),
        ("no", "false"),
        ("False", "false"),
        ("off", "false"),
        ("disabled", "false"),
        ("not enabled", None),
        ("not disabled", None),
        ("isn't on", None),
        ("yes and no", None),
        ("yes?! no", None),
        ("maybe", None),
        ("1", None),
        ("si", None),
        ("", None),
    ],
)
def test_booleans(text: str, value: str | None) -> None:
    assert read(text, ValueType.BOOLEAN) == value


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("v1.2", "v1.2"),
        ("V1.2", "v1.2"),
        ("1.2", "1.2"),
        ("1.2.0", "1.2.0"),
        ("Noble Numbat", "noble numbat"),
        ("", None),
    ],
)
def test_a_version_is_a_name(text: str, key: str | None) -> None:
    assert read(text, ValueType.VERSION) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("v1.2", "1.2.0"),
        ("V1.2", "1.2.0"),
        ("1.2", "1.2.0"),
        ("1.2.0", "1.2.0"),
        ("1.2.0.0", "1.2.0"),
        ("version 1.2", "1.2.0"),
        ("release v1.2", "1.2.0"),
        ("1", "1.0.0"),
        ("１.２", "1.2.0"),
        ("1.2.3.4", "1.2.3.4"),
        ("1.2.30", "1.2.30"),
        ("1.2.0-rc.1", "1.2.0rc1"),
        ("1.2rc1", "1.2.0rc1"),
        ("1.2.0-alpha", "1.2.0a0"),
        ("1.2.0+build.5", "1.2.0+build.5"),
        ("1.2.0-beta+exp.sha", "1.2.0b0+exp.sha"),
        ("1.2.0-SNAPSHOT", "1.2.0-snapshot"),
        ("1.2.0-x.7.z", "1.2.0-x.7.z"),
        ("1.0.post2", "1.0.0.post2"),
        ("1.0.dev3", "1.0.0.dev3"),
        ("2!1.0", "2!1.0.0"),
        ("latest", None),
        ("1.x", None),
        (">=1.2", None),
        ("1.2 or newer", None),
        ("1.2-SNAPSHOT", None),
        ("version", None),
        ("1" * 101, None),
        ("1.²", None),
        ("", None),
    ],
)
def test_a_semantic_version_is_a_release(text: str, key: str | None) -> None:
    assert read(text, SEMANTIC) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("cloud-instance:i-09a8f", "id:cloud-instance:i-09a8f"),
        (" cloud-instance:i-09a8f ", "id:cloud-instance:i-09a8f"),
        ("cloud-instance:I-09A8F", "id:cloud-instance:I-09A8F"),
        ("Cloud-Instance:i-09a8f", "name:cloud-instance:i-09a8f"),
        ("Anna  Maria", "name:anna maria"),
        ("anna maria", "name:anna maria"),
        ("!!!", "name:!!!"),
        ("! \n !", "name:! !"),
        ("", None),
        ("  ", None),
    ],
)
def test_an_entity_is_its_id_to_the_letter_or_its_name(text: str, key: str | None) -> None:
    assert read(text, ValueType.ENTITY) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("email", "email"),
        ("Email.", "email"),
        ("TEXT  message", "text message"),
        ("“phone”", "phone"),
        ("e-mail", None),
        ("fax", None),
        ("email or phone", None),
        ("", None),
    ],
)
def test_an_enumeration_says_one_of_its_values(text: str, key: str | None) -> None:
    assert read(text, CHANNEL) == key
