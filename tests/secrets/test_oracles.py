"""Numbers of persons: those that others call valid are masked, and those that they do not are left alone."""

import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import stdnum.au.tfn
import stdnum.be.nn
import stdnum.br.cpf
import stdnum.ca.sin
import stdnum.ch.ssn
import stdnum.cn.ric
import stdnum.de.idnr
import stdnum.es.dni
import stdnum.es.nie
import stdnum.fr.nir
import stdnum.gb.nhs
import stdnum.iban
import stdnum.in_.aadhaar
import stdnum.it.codicefiscale
import stdnum.jp.in_
import stdnum.kr.rrn
import stdnum.luhn
import stdnum.nl.bsn
import stdnum.pl.pesel
import stdnum.pt.nif
import stdnum.se.personnummer
import stdnum.verhoeff

from providers.secret_scanner import checksums
from tests.secrets.corpora import masked

DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Numbers(NamedTuple):
    """Numbers of a kind: a sentence for one, how one is drawn (`#` a digit, `A` a letter), who says if it is valid."""

    sentence: str
    form: str
    is_valid: Callable[[str], Any]
    drawn: Mapping[str, list[str]] = MappingProxyType({})


DATES = {"{yymmdd}": ["850717", "991231", "010203", "640229"], "{date}": ["19850717", "19991231", "20010203"]}
KINDS = {
    "dni": Numbers("DNI {}", "########A", stdnum.es.dni.is_valid),
    "nie": Numbers("NIE {}", "X#######A", stdnum.es.nie.is_valid),
    "nir": Numbers("{}", "1850578###084##", stdnum.fr.nir.is_valid),
    "idnr": Numbers("Steuer-ID {}", "###########", stdnum.de.idnr.is_valid),
    "nhs": Numbers("NHS number {}", "### ### ####", stdnum.gb.nhs.is_valid),
    "cpf": Numbers("CPF {}", "###.###.###-##", stdnum.br.cpf.is_valid),
    "aadhaar": Numbers("Aadhaar {}", "4### #### ####", stdnum.in_.aadhaar.is_valid),
    "ric": Numbers("身份证{}。", "110105{date}####", stdnum.cn.ric.is_valid, DATES),
    "bsn": Numbers("BSN {}", "#########", stdnum.nl.bsn.is_valid),
    "pesel": Numbers(
        "PESEL {}", "{yymmdd}#####", stdnum.pl.pesel.is_valid, {"{yymmdd}": ["850717", "640229"]}
    ),
    "nn": Numbers("{}", "85.07.17-###.##", stdnum.be.nn.is_valid),
    "ahv": Numbers("AHV {}", "756.####.####.##", stdnum.ch.ssn.is_valid),
    "rrn": Numbers(
        "주민등록번호는 {}입니다", "{yymmdd}-1######", stdnum.kr.rrn.is_valid, {"{yymmdd}": ["850717"]}
    ),
    "in_": Numbers("マイナンバー {}", "#### #### ####", stdnum.jp.in_.is_valid),
    "nif": Numbers("NIF {}", "2########", stdnum.pt.nif.is_valid),
    "sin": Numbers("SIN {}", "1## ### ###", stdnum.ca.sin.is_valid),
    "personnummer": Numbers("personnummer {}", "850717-####", stdnum.se.personnummer.is_valid),
    "tfn": Numbers("TFN {}", "### ### ###", stdnum.au.tfn.is_valid),
    "iban": Numbers("{} bitte", "DE####################", stdnum.iban.is_valid),
    "long iban": Numbers("IBAN：{}", "MT##MALT#####AAAAAA############", stdnum.iban.is_valid),
}
BY_NAME_ALONE = {"rrn"}
"""Where the word beside a number is enough, as later ones have no check digit."""


def drawn(numbers: Numbers, source: random.Random) -> str:
    text = numbers.form
    for name, choices in numbers.drawn.items():
        text = text.replace(name, source.choice(choices))
    return "".join({"#": source.choice(DIGITS), "A": source.choice(LETTERS)}.get(sign, sign) for sign in text)


def neighbours(number: str) -> Iterator[str]:
    """The number with another last sign that stands for something."""
    last = number[-1]
    for other in LETTERS if last.isalpha() else DIGITS:
        if other != last:
            yield number[:-1] + other


@pytest.mark.parametrize("name", KINDS)
def test_valid_numbers_are_masked_and_others_pass(name: str) -> None:
    numbers, source = KINDS[name], random.Random(name)
    valid: set[str] = set()
    for _ in range(200_000):
        number = drawn(numbers, source)
        if numbers.is_valid(number):
            valid.add(number)
        if len(valid) == 15:
            break
    assert len(valid) == 15
    for number in valid:
        text = numbers.sentence.format(number)
        assert number not in masked(text), name
        assert masked(text).count("[masked:") == 1
        if name in BY_NAME_ALONE:
            continue
        wrong = next(other for other in neighbours(number) if not numbers.is_valid(other))
        assert masked(numbers.sentence.format(wrong)) == numbers.sentence.format(wrong), name


def test_check_digits_are_those_of_others() -> None:
    source = random.Random(7)
    for _ in range(3_000):
        digits = "".join(source.choices(DIGITS, k=source.randint(12, 19)))
        assert checksums.luhn(digits) == stdnum.luhn.is_valid(digits)
        assert checksums.verhoeff(digits) == stdnum.verhoeff.is_valid(digits)


def test_every_codice_fiscale_has_its_letter() -> None:
    source = random.Random(7)
    for _ in range(500):
        form = "AAAAAA##A##A###"
        code = "".join({"#": source.choice(DIGITS), "A": source.choice(LETTERS)}[sign] for sign in form)
        right = stdnum.it.codicefiscale.calc_check_digit(code)
        assert [letter for letter in LETTERS if checksums.codice_fiscale(code + letter)] == [right]
