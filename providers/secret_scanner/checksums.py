"""Check digits: whether a number is one that its issuer could have given out. Arguments are digits, no separators."""

from collections.abc import Sequence

_VERHOEFF_D = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 0, 6, 7, 8, 9, 5), (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7), (4, 0, 1, 2, 3, 9, 5, 6, 7, 8), (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2), (7, 6, 5, 9, 8, 2, 1, 0, 4, 3), (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)  # fmt: skip
_VERHOEFF_P = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 5, 7, 6, 2, 8, 3, 0, 9, 4), (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7), (9, 4, 5, 3, 1, 2, 6, 8, 7, 0), (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5), (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)  # fmt: skip
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ODD_VALUES = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_LATER_VALUES = (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = dict(zip(_LETTERS, _ODD_VALUES * 2 + _LATER_VALUES, strict=True))
"""What a sign counts at an odd place of a codice fiscale; the first ten letters count as the ten digits do."""
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"


def luhn(digits: str) -> bool:
    """Luhn's formula (ISO/IEC 7812-1): cards, Canadian SIN, Swedish personal numbers."""
    doubled = "0246813579"
    return (
        sum(map(int, digits[-1::-2])) + sum(int(doubled[int(digit)]) for digit in digits[-2::-2])
    ) % 10 == 0


def iban(text: str) -> bool:
    """The check digits of an IBAN (ISO 7064 mod 97-10), given in capitals without blanks."""
    turned = text[4:] + text[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def verhoeff(digits: str) -> bool:
    """Verhoeff's scheme: Indian Aadhaar numbers."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _VERHOEFF_D[check][_VERHOEFF_P[place % 8][int(digit)]]
    return check == 0


def iso_7064_mod_11_10(digits: str) -> bool:
    """ISO 7064 mod 11,10: German tax ids."""
    check = 10
    for digit in digits[:-1]:
        check = (int(digit) + check) % 10 or 10
        check = check * 2 % 11
    return (11 - check) % 10 == int(digits[-1])


def weighted(digits: str, weights: Sequence[int]) -> int:
    """The sum of the digits, each times its weight."""
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def cpf(digits: str) -> bool:
    """The two check digits of a Brazilian CPF; eleven equal digits are none."""
    if len(set(digits)) == 1:
        return False
    first = weighted(digits[:9], range(10, 1, -1)) * 10 % 11 % 10
    second = weighted(digits[:10], range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def resident_id(text: str) -> bool:
    """The check character of a Chinese resident id (ISO 7064 mod 11-2)."""
    return (
        "10X98765432"[weighted(text[:17], [2 ** (17 - place) % 11 for place in range(17)]) % 11] == text[17]
    )


def dni(text: str) -> bool:
    """The letter of a Spanish DNI, or of a NIE, whose first letter stands for a digit."""
    digits = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI[int(digits) % 23] == text[-1]


def codice_fiscale(text: str) -> bool:
    """The check letter of an Italian codice fiscale."""
    even = sum(int(letter) if letter.isdigit() else ord(letter) - ord("A") for letter in text[1:15:2])
    return chr(ord("A") + (even + sum(_ODD[letter] for letter in text[0:15:2])) % 26) == text[15]


def nir(text: str) -> bool:
    """The key of a French social security number; the two parts of Corsica count as 19 and 18."""
    number = int(text[:13].replace("2A", "19", 1).replace("2B", "18", 1))
    return 97 - number % 97 == int(text[13:])


def rijksregister(digits: str) -> bool:
    """The check digits of a Belgian national number, for births before and from 2000."""
    return int(digits[9:]) in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def bsn(digits: str) -> bool:
    """The eleven test of a Dutch citizen service number."""
    return weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 == 0


def pesel(digits: str) -> bool:
    """The check digit of a Polish PESEL."""
    return weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 == 0


def ean13(digits: str) -> bool:
    """The check digit of an EAN-13: Swiss social security numbers."""
    return weighted(digits, [1, 3] * 6 + [1]) % 10 == 0


def rrn(digits: str) -> bool:
    """The check digit of a Korean resident registration number given out before October 2020."""
    return (11 - weighted(digits[:12], [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10 == int(digits[12])


def nif(digits: str) -> bool:
    """The check digit of a Portuguese NIF."""
    rest = weighted(digits[:8], range(9, 1, -1)) % 11
    return (0 if rest < 2 else 11 - rest) == int(digits[8])
