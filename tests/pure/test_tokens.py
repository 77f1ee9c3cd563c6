"""Tokens are counted as the models' own tokeniser does, from a table that is checked and lies at hand."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall import tokens
from recall.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("a", 1),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
        (" ", 1),
        ("1234567", 3),
    ],
)
def test_known_counts(text: str, count: int) -> None:
    assert count_tokens(text) == count


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|endofprompt|>", "a <|endoftext|> b"])
def test_what_looks_like_a_special_token_is_ordinary_text(text: str) -> None:
    assert count_tokens(text) > 3


@pytest.mark.parametrize("text", ["\x00", "\ud83d", "😀", "मुझे", "\r\n\r\n"], ids=ascii)
def test_any_text_can_be_counted(text: str) -> None:
    assert count_tokens(text) >= 1


@pytest.fixture
def fresh_table() -> Iterator[None]:
    """Let the table be loaded anew, within the test and after it."""
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


@pytest.mark.usefixtures("fresh_table")
def test_a_damaged_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = bytearray(gzip.decompress(tokens._TABLE.read_bytes()))
    damaged[100] ^= 1
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(bytes(damaged), compresslevel=1))
    monkeypatch.setattr(tokens, "_TABLE", path)
    with pytest.raises(RuntimeError, match=r"table\.gz is not the table it should be"):
        count_tokens("hello")
