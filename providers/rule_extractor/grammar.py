"""The patterns, as data.

A pattern is matched against the folded words of one clause, joined by single spaces, with "," kept after the
word that it follows. It starts where a clause starts and ends where a clause may end; what follows is read by
`clauses.py`. The value is put together from named groups, so that it holds the words of the event and no
others.

| sentence | attribute | value |
| --- | --- | --- |
| keep, leave X running, up, reserved, frozen … (until Y) | lifecycle_policy | keep running |
| do not, never stop, delete, restart … X (until, before Y) | lifecycle_policy | do not stop |
| do not, never touch, change, deploy … X (until, before Y) | change_policy | do not touch |
| do not, never restart X during, without, outside … | operating_rule | never restart during business hours |
| X must, must not; X should always, never … (until Y) | operating_rule | must always run behind the proxy |
| use A (instead of B) for X; for X, use A | uses | A instead of B |
| prefer A (over B) (for X); I, we prefer … | preference | A over B |
| from now on … ; always … when … | standing_instruction | the rest |
| X is owned by Z; Z owns X | owner | Z |
| no longer need to keep X running; X no longer needs to be kept … | lifecycle_policy | withdrawn |
| no longer use A for X | uses | withdrawn |
| X is no longer owned by Z; Z no longer owns X | owner | withdrawn |
| the rule, restriction on X no longer applies | lifecycle_policy | withdrawn |
| the freeze on X no longer applies | change_policy | withdrawn |
| X is no longer used; X isn't needed anymore | lifecycle_policy, a remark | is no longer used |
| we, you can (probably) stop, delete X; X can be stopped | lifecycle_policy, a remark | can stop |
"""

import re
from dataclasses import dataclass
from functools import cached_property

from models.candidates import CandidateKind
from providers.rule_extractor import vocabulary as v

LIFECYCLE = "lifecycle_policy"
CHANGE = "change_policy"
RULE = "operating_rule"
USES = "uses"
PREFERENCE = "preference"
STANDING = "standing_instruction"
OWNER = "owner"

MANY = frozenset({RULE, PREFERENCE, STANDING})
"""Attributes of which one event may say several things of one entity; of the others its last word counts."""


def _longest_first(alternatives: str) -> str:
    """So that "deploy to" is tried before "deploy"."""
    return "|".join(sorted(alternatives.split("|"), key=len, reverse=True))


_STATES = _longest_first(v.STATES)
_NEGATIONS = _longest_first(v.NEGATIONS)
_FORBIDDING = _longest_first(v.FORBIDDING)
_LIFECYCLE_VERBS = _longest_first(v.LIFECYCLE_VERBS)
_CHANGE_VERBS = _longest_first(v.CHANGE_VERBS)
_LETTING_GO_VERBS = _longest_first(v.LETTING_GO_VERBS)
_LET_GO = _longest_first(v.LET_GO)
_ENDS = r"until|till|til|through|thru|before"
_LEAD = r"(?:at least |up |right |only |just |all the way )?"
_REASONS = (
    r"because|since|instead of|rather than|even if|even though|regardless|no matter|so that|for now"
    r"|please|thanks|thank you|anyway|at all costs|as well|too|again|now that|right now|now|i think"
    r"|i guess|altogether"
)
_STOP = rf"(?=$|,| (?:{_REASONS})\b)"
_OPEN = rf"(?=$|,| (?:{_REASONS}|{_LEAD}(?:{_ENDS}))\b)"
_FIRM = rf"(?=$|,| (?:because|{_LEAD}(?:{_ENDS}))\b)"
_X = r"(?P<x>[^ ,]+(?: [^ ,]+){0,4}?)"
_A = r"(?P<a>[^ ,]+(?: [^ ,]+){0,11}?)"
_Z = r"(?P<z>[^ ,]+(?: [^ ,]+){0,4}?)"
_NOT = rf"(?:(?:you|we) (?P<f>{_FORBIDDING})|(?P<n>{_NEGATIONS}))"
_NOT_CUES = "not don't dont never mustn't shouldn't"
_MAY = r"(?P<v>can|could|may|might)"
_MAY_CUES = "can could may might"
_ADVERBS = r"(?:(?:probably|now|safely|just|also|likely|maybe|perhaps|certainly|definitely|already|simply) )*"
_USED = r"(?P<w>(?:being )?(?:used|needed|required)|in use)"
_LIFTED = (
    r"(?:no longer applies|is over|has been lifted|is lifted|doesn't apply anymore|does not apply anymore)"
)
_DURING = (
    r"(?P<rest>(?:during|outside|without|between|while|on (?:weekends|weekdays|[a-z]+days)) .*"
    r"|on (?:weekends|weekdays|[a-z]+days))$"
)


@dataclass(frozen=True)
class Rule:
    """One pattern and what to make of it. It is tried only where one of the words in `cues` is."""

    name: str
    attribute: str
    pattern: str
    cues: str
    value: str = ""
    """Names of groups, in the order in which they make the value."""
    kind: CandidateKind = CandidateKind.STATEMENT
    subject: bool = False
    """X begins the clause, where any word could stand: a noun phrase needs its article."""
    remark: bool = False
    """Says that something may be let go, and not that it must."""
    ends: bool = False
    """An end may follow, after "until" or "through"."""
    before: bool = False
    """An end may follow after "before" too."""
    free: bool = False
    """The last group runs to the end of the clause, and an end in words is cut off it."""
    first: bool = False
    """Only at the start of a sentence, and it takes the whole of it."""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled."""
        return re.compile(self.pattern)

    @cached_property
    def words(self) -> frozenset[str]:
        """The cues."""
        return frozenset(self.cues.split())

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Names of the groups that make the value."""
        return tuple(self.value.split())


def _withdrawal(name: str, attribute: str, pattern: str, cues: str, *, subject: bool = False) -> Rule:
    return Rule(name, attribute, pattern, cues, kind=CandidateKind.WITHDRAWAL, subject=subject)


def _remark(name: str, pattern: str, cues: str, value: str, *, subject: bool = False) -> Rule:
    return Rule(name, LIFECYCLE, pattern, cues, value, subject=subject, remark=True)


_KEEP = "(?:keep|leave)"
_KEPT = rf"(?:{_STATES})"
_KEPT_SO = rf"(?:(?:be|be kept|be left|stay|remain|keep) {_KEPT}|run)"

WITHDRAWALS = (
    _withdrawal(
        "no longer need to keep",
        LIFECYCLE,
        rf"(?:(?:we|you) )?no longer (?:need|have) to {_KEEP} {_X} {_KEPT}{_STOP}",
        "longer",
    ),
    _withdrawal(
        "no need to keep anymore",
        LIFECYCLE,
        rf"(?:(?:we|you) (?:don't|do not) (?:need|have)|there(?: is|'s) no need) to {_KEEP} {_X} {_KEPT}"
        rf" (?:{v.GIVEN_UP}){_STOP}",
        "keep leave",
    ),
    _withdrawal("no longer keep", LIFECYCLE, rf"no longer {_KEEP} {_X} {_KEPT}{_STOP}", "longer"),
    _withdrawal(
        "no longer needs to be kept",
        LIFECYCLE,
        rf"{_X} no longer (?:needs?|ha(?:s|ve)) to {_KEPT_SO}{_STOP}",
        "longer",
        subject=True,
    ),
    _withdrawal("no longer use", USES, rf"(?:we )?no longer use {_A} for {_X}{_STOP}", "longer"),
    _withdrawal("no longer owned", OWNER, rf"{_X} is no longer owned by {_Z}{_STOP}", "owned", subject=True),
    _withdrawal("no longer owns", OWNER, rf"{_Z} no longer owns {_X}{_STOP}", "owns"),
    _withdrawal(
        "freeze no longer applies",
        CHANGE,
        rf"(?:the|that|this|our) (?:[^ ,]+ )?freeze (?:on|for|of) {_X} {_LIFTED}{_STOP}",
        "freeze",
    ),
    _withdrawal(
        "rule no longer applies",
        LIFECYCLE,
        rf"(?:the|that|this|our) (?:rule|restriction|hold|reservation) (?:on|for|of) {_X} {_LIFTED}{_STOP}",
        "rule restriction hold reservation",
    ),
)

REMARKS = (
    _remark("no longer used", rf"{_X} (?P<v>is no longer) {_USED}{_STOP}", "longer", "v w", subject=True),
    _remark(
        "not used anymore",
        rf"{_X} (?P<v>isn't|is not) {_USED}(?: (?P<g>{v.GIVEN_UP}))?{_STOP}",
        "isn't not",
        "v w g",
        subject=True,
    ),
    _remark(
        "nobody uses anymore",
        rf"(?P<v>nobody|no one|no-one) (?P<w>uses|is using|needs) {_X} (?P<g>{v.GIVEN_UP}){_STOP}",
        "nobody no no-one",
        "v w g",
    ),
    _remark(
        "can stop",
        rf"(?:we|you) {_MAY} {_ADVERBS}(?P<w>{_LETTING_GO_VERBS}) {_X}{_STOP}",
        _MAY_CUES,
        "v w",
    ),
    _remark(
        "can shut down",
        rf"(?:we|you) {_MAY} {_ADVERBS}(?P<w>{v.SEPARABLE_VERBS}) {_X} (?P<g>{v.PARTICLES}){_STOP}",
        _MAY_CUES,
        "v w g",
    ),
    _remark(
        "can be stopped",
        rf"{_X} {_MAY} {_ADVERBS}(?P<w>be) {_ADVERBS}(?P<g>{_LET_GO}){_STOP}",
        _MAY_CUES,
        "v w g",
        subject=True,
    ),
)

STATEMENTS = (
    Rule(
        "keep", LIFECYCLE, rf"(?P<v>keep|leave) {_X} (?P<w>{_STATES}){_OPEN}", "keep leave", "v w", ends=True
    ),
    Rule(
        "do not stop",
        LIFECYCLE,
        rf"{_NOT} (?P<v>(?:{_LIFECYCLE_VERBS})(?: (?:or|and) (?:{_LIFECYCLE_VERBS}|{_CHANGE_VERBS}))?)"
        rf" {_X}{_OPEN}",
        _NOT_CUES,
        "f n v",
        ends=True,
        before=True,
    ),
    Rule(
        "do not shut down",
        LIFECYCLE,
        rf"{_NOT} (?P<v>{v.SEPARABLE_VERBS}) {_X} (?P<w>{v.PARTICLES}){_OPEN}",
        _NOT_CUES,
        "f n v w",
        ends=True,
        before=True,
    ),
    Rule(
        "do not touch",
        CHANGE,
        rf"{_NOT} (?P<v>(?:{_CHANGE_VERBS})(?: (?:or|and) (?:{_CHANGE_VERBS}|{_LIFECYCLE_VERBS}))?)"
        rf" {_X}{_OPEN}",
        _NOT_CUES,
        "f n v",
        ends=True,
        before=True,
    ),
    Rule(
        "never restart during",
        RULE,
        rf"{_NOT} (?P<v>{_LIFECYCLE_VERBS}|{_CHANGE_VERBS}) {_X} {_DURING}",
        _NOT_CUES,
        "f n v rest",
        free=True,
        ends=True,
    ),
    Rule(
        "must",
        RULE,
        rf"{_X} (?P<v>must(?: always| never| not)?|mustn't|should (?:always|never)) (?P<rest>.+)",
        "must mustn't should",
        "v rest",
        subject=True,
        free=True,
        ends=True,
    ),
    Rule(
        "use for, instead",
        USES,
        rf"(?:we )?(?:now )?use {_A} for {_X}"
        rf" (?P<b>(?:instead of|rather than) [^ ,]+(?: [^ ,]+){{0,5}}?){_FIRM}",
        "use",
        "a b",
        ends=True,
    ),
    Rule(
        "use for", USES, rf"(?:we )?(?:now )?use {_A} for {_X}(?:(?= not\b)|{_FIRM})", "use", "a", ends=True
    ),
    Rule("for, use", USES, rf"for {_X}, (?:please )?use {_A}{_FIRM}", "use", "a", ends=True),
    Rule("prefer for", PREFERENCE, rf"(?:(?:i|we) )?prefer {_A} for {_X}{_OPEN}", "prefer", "a", ends=True),
    Rule("prefer", PREFERENCE, r"(?:(?:i|we) )?prefer (?P<rest>.+)", "prefer", "rest", free=True, ends=True),
    Rule("owned by", OWNER, rf"{_X} is (?:now )?owned by {_Z}{_OPEN}", "owned", "z", subject=True, ends=True),
    Rule("owns", OWNER, rf"{_Z} (?:now )?owns {_X}{_OPEN}", "owns", "z", ends=True),
)

STANDING_INSTRUCTIONS = (
    Rule(
        "from now on",
        STANDING,
        r"from now on,? (?P<rest>.+)",
        "from",
        "rest",
        free=True,
        ends=True,
        first=True,
    ),
    Rule(
        "always when",
        STANDING,
        r"(?P<v>always) (?P<rest>.* (?:when|whenever|before) .+)",
        "always",
        "v rest",
        free=True,
        first=True,
    ),
)

RULES = (*STANDING_INSTRUCTIONS, *WITHDRAWALS, *REMARKS, *STATEMENTS)
"""In the order in which they are tried; the first that reads a place is the only one."""

PREFIX = re.compile(
    r"(?:please|so|and|but|also|ok|okay|hey|hi|yes|no|well|again|just|always|remember to"
    r"|make sure (?:to|that|you|we)|be sure to|ensure(?: that)?|note that|(?:we|you) (?:need|have|want) to"
    r"|(?:we|you) (?:should|must)(?: probably| definitely| really| also| just)?|i need (?:you|us) to"
    r"|i want (?:you|us) to|i'd like you to|let's|let us|for now|reminder|important|fyi|instead|meanwhile"
    r"|for the record|@[^ ,]+|maybe|perhaps|probably|apparently|likely|possibly|presumably"
    r"|(?:it |this )?(?:looks like|seems like|seems that|seems|appears that|appears)"
    r"|i(?:'m| am) not sure,? but|(?:i|we) (?:think|guess|believe|suppose|assume)(?: that)?),? "
)
"""What may stand before an instruction without changing it; the hedges among these are seen by `HEDGES`."""

MOST_PREFIXES = 4
HEDGES = re.compile(v.HEDGES)
REPORTS = re.compile(v.REPORTS)
BORROWED = re.compile(v.BORROWED)
OPENING_CONDITIONS = re.compile(v.OPENING_CONDITIONS)
FRONTED_END = re.compile(rf"(?:^|[,;] ){_LEAD}(?:{_ENDS})\b")
DURATION = re.compile(
    r"\b(?:for|another|next|within) (?:[^ ,]+ ){0,3}"
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekend|months?|years?|quarter|sprint)\b"
)
