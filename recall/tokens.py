"""Count tokens as `o200k_base` does, with its table at hand: nothing is downloaded.

The table is OpenAI's, taken as data from the tiktoken distribution's published file; its digest, which
tiktoken pins as well, is checked on loading.
"""

import base64
import gzip
import hashlib
from functools import lru_cache
from pathlib import Path

import tiktoken

_TABLE = Path(__file__).with_name("o200k_base.tiktoken.gz")
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
# The pattern by which o200k_base splits text before it merges bytes (tiktoken_ext/openai_public.py).
_SPLIT = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    table = gzip.decompress(_TABLE.read_bytes())
    if hashlib.sha256(table).hexdigest() != _SHA256:
        raise RuntimeError(f"{_TABLE.name} is not the table it should be; restore it from the repository")
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in (line.split() for line in table.splitlines())
    }
    return tiktoken.Encoding(
        "o200k_base", pat_str=_SPLIT, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 199_999}
    )


def count_tokens(text: str) -> int:
    """Tokens of `text`. What looks like a special token is counted as the ordinary text that it is."""
    return len(_encoding().encode_ordinary(text))
