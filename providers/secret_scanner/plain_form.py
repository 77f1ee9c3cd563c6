"""A text as the rules read it: character for character the same length, in plain ASCII where it means ASCII.

`ｐａｓｓｗｏｒｄ：４１１１` is read like `password:4111`, and ٤١١١ and ४१११ like 4111. Offsets in the plain form are
offsets in the text.
"""

import re
import unicodedata

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_HYPHENS = "\u2010\u2011\u2012\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = "\u2018\u2019\u02bc\uff07"
# The bold, italic and other letters that mathematicians have, and that people dress up their words with.
_MATHEMATICAL = range(0x1D400, 0x1D800)


def _meant() -> dict[int, str]:
    meant = dict.fromkeys(map(ord, _SPACES), " ") | dict.fromkeys(map(ord, _HYPHENS), "-")
    meant |= dict.fromkeys(map(ord, _APOSTROPHES), "'")
    meant |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in meant}
    for code in _MATHEMATICAL:
        letter = unicodedata.normalize("NFKC", chr(code))
        if len(letter) == 1 and letter.isascii():
            meant[code] = letter
    for code in range(0x80, 0x1FC00):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            meant[code] = str(digit)
    # The one letter that becomes two in lower case.
    meant[ord("\u0130")] = "I"
    return meant


_MEANT = _meant()


def plain_form(text: str) -> str:
    """`text` with full-width and other forms of ASCII characters replaced by these; of the same length."""
    return text if text.isascii() else text.translate(_MEANT)


def ascii_form(text: str) -> bytes:
    """`text` with a blank for every character beyond ASCII: a byte for a character."""
    if not text.isascii():
        text = _BEYOND_ASCII.sub(lambda run: " " * len(run.group()), text)
    return text.encode("ascii")
