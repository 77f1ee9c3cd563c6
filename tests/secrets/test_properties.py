"""Whatever a text is: masking it twice is masking it once, no secret is left of it, and nothing else is lost."""

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from models.events import scrub
from models.masking import mask_fields
from models.sightings import SecretKind
from providers.secret_scanner import checksums
from providers.secret_scanner.cards import is_card
from tests.secrets.corpora import digest, innocent, masked, planted
from tests.world import FINDER

PLANTED, INNOCENT = planted(), innocent()
PARTS = st.one_of(
    # By their number: a strategy that says what it holds would say too much.
    st.integers(0, len(PLANTED) - 1).map(lambda index: PLANTED[index].text),
    st.integers(0, len(INNOCENT) - 1).map(lambda index: INNOCENT[index]),
    st.sampled_from(
        ["[masked:password:0123456789]", "password: ", "密码是", " is ", "\n", "\x00", '"', "=", "://", "@"]
    ),
    st.text(max_size=12),
    st.text(alphabet="0123456789 -.", max_size=30),
)
TEXTS = st.lists(PARTS, max_size=6).map("".join)
LETTERS = st.text(
    alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", min_size=8, max_size=20
)
CHOSEN = LETTERS.filter(
    lambda text: not text.isalpha() and not text.isdigit() and not re.search(r"(.)\1\1", text)
)
INTRODUCED = [
    "password: {}", "the password is {}", "DB_PASSWORD={} ./run", "密码是{}。", "パスワードは{}です",
    "비밀번호는 {}입니다",
    "пароль: {}", "Das Passwort lautet {}.", "la contraseña es {}", "senha: {}", "كلمة المرور: {}",
    "mot de passe : {}", "पासवर्ड: {}", '"password": "{}"', "psql postgres://app:{}@db/x", "--password {} --verbose",
    "<password>{}</password>",
]  # fmt: skip


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(TEXTS)
def test_masked_twice_is_masked_once(text: str) -> None:
    text = text.replace("\x00", "")
    once = masked(text)
    assert masked(once) == once


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(st.text(alphabet=st.characters(), max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    FINDER.find(text)
    clean = scrub(text)
    assert masked(masked(clean)) == masked(clean)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
JSON = st.recursive(
    st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(JSON)
def test_data_keeps_its_shape(value: Any) -> None:
    told = mask_fields({"data": scrub(value)}, FINDER, digest)
    json.dumps(told.fields)
    assert mask_fields(told.fields, FINDER, digest).fields == told.fields
    if not told.kinds:
        assert told.fields == {"data": scrub(value)}


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(st.sampled_from(INTRODUCED), CHOSEN)
def test_a_password_that_is_introduced_is_gone(sentence: str, password: str) -> None:
    assert password not in masked(sentence.format(password))


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(st.lists(st.integers(0, len(PLANTED) - 1), min_size=1, max_size=5))
def test_of_several_secrets_none_is_left(numbers: list[int]) -> None:
    cases = [PLANTED[number] for number in numbers]
    told = masked("\n".join(case.text for case in cases))
    left = [secret for case in cases for secret in case.secrets if secret in told and len(secret) > 4]
    assert left == []


@settings(deadline=None)  # a busy machine is no fault of a rule
@given(st.from_regex(r"(4\d{15}|5[1-5]\d{14}|3[47]\d{13}|6011\d{12}|35[3-8]\d{13})", fullmatch=True))
def test_a_card_is_masked_if_its_check_digit_is_right(digits: str) -> None:
    right = next(digits[:-1] + str(last) for last in range(10) if checksums.luhn(digits[:-1] + str(last)))
    wrong = right[:-1] + str((int(right[-1]) + 1) % 10)
    if len(set(right)) > 1 and is_card(right, surely=False):
        kind = SecretKind.CARD_NUMBER
        assert masked(f"x {right} y") == f"x [masked:card_number:{digest(kind, right)}] y"
        assert masked(f"卡号{right}。") == f"卡号[masked:card_number:{digest(kind, right)}]。"
        spaced = " ".join(right[at : at + 4] for at in range(0, 16, 4))
        assert len(right) != 16 or masked(spaced) == f"[masked:card_number:{digest(kind, right)}]"
    assert masked(f"x {wrong} y") == f"x {wrong} y"
