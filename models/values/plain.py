"""A value's text in plain characters: digits, signs and blanks of one kind, its letters as they are written.

Case is kept, as it tells megabits from megabytes. What no reader can make out without a guess is refused here:
raised digits (10² is not 102), fractions in one character, and texts that are too long to be one value.
"""

import re
import unicodedata

LONGEST = 200
"""No value of a type other than text and list is longer, in characters."""

_ONE_FORM = {
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    **dict.fromkeys(map(ord, "’ʼ‘٬"), "'"),
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    ord("٪"): "%",
    # Marks of direction and width stand in amounts of Hebrew and Arabic text, and are not to be seen.
    **dict.fromkeys([0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F)], ""),
    **dict.fromkeys(range(0x2060, 0x206A), ""),
}
_DIGIT = re.compile(r"\d")


def plain(text: str) -> str | None:
    """`text` in plain characters and single blanks, without quotes around it and a full stop at its end.

    | text | plain |
    | --- | --- |
    | １　０００ € (full width, wide or no-break space) | 1 000 € |
    | ١٬٠٠٠٫٥ | 1'000٫5 |
    | −5 °C | -5 °C |
    | "48h". | 48h |
    | 5 m² | 5 m2 |
    | 10², 5½ | None |
    """
    if len(text) > LONGEST:
        return None
    if not text.isascii():
        if any(_is_numeral_by_itself(text, index) for index in range(len(text))):
            return None
        text = unicodedata.normalize("NFKC", text).translate(_ONE_FORM)
        text = _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), text)
    words = " ".join(text.split()).rstrip(".,;! ")
    if len(words) > 2 and words[0] == words[-1] and words[0] in "\"'":
        words = words[1:-1].strip()
    return words


def _is_numeral_by_itself(text: str, index: int) -> bool:
    """Whether a number in one character stands at `index` and is not the raised digit of a unit, as in m²."""
    character = text[index]
    if character.isascii() or unicodedata.category(character) not in {"No", "Nl"}:
        return False
    before = text[index - 1 : index]
    return not before.isalpha() or before in "eE"
