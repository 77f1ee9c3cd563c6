"""What a change of policy means for the memories that are there.

Nothing that is stored is rewritten by it: what changes is what may be read from then on, and how what is said from
then on is decided. So the effects tell which memories are read, recalled, ended or followed in another way, and
which would not be taken today.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority, Standing
from models.contracts import MemoryClass, RecallPriority
from models.controls import About, controls_of
from models.grant_change import grants_lost
from models.policy import Declared, Policy
from models.policy_reach import grant_of, is_confirmed, may_read_anything, reaches_for_somebody, reads
from models.prohibited import prohibited_in
from models.scope import Scope
from models.values import Canonical, ValueSpec, ValueType, canonical

MOST_IDS = 20
"""Memories that an effect names; it counts all of them."""


class EffectKind(StrEnum):
    """What becomes of a memory. `concerns` names the roles, or whatever else it is about.

    | kind | the memory | concerns |
    | --- | --- | --- |
    | `no_longer_declared` | is of an attribute without a class: nobody recalls it, administrators list it | |
    | `declared_again` | is of an attribute that a class has (again): its readers see it | its class |
    | `known_by_another_name` | stays under its name; what is said from now on does not replace it | the new name |
    | `becomes_unreadable_for` | is, for these roles, as if it were not there | roles |
    | `becomes_readable_for` | is seen by these roles as well | roles |
    | `becomes_restriction` | comes first, and has to be heeded, whenever its thing is in play | |
    | `no_longer_restriction` | is recalled by likeness, as any other | |
    | `becomes_instruction` | comes on every recall in its scope | |
    | `no_longer_instruction` | is recalled by likeness, as any other | |
    | `outlived` | is older than its class lets one be now; it keeps the end that it has | |
    | `lapses_sooner` | keeps the end that it has; said or said again from now on, it has an earlier one | |
    | `sensitivity_changed` | is of a class of another sensitivity | the new one |
    | `dimension_gone` | has a scope that no request can name any more | dimensions |
    | `scope_no_longer_fits` | has a scope of no level of its class: it would not be taken today | |
    | `source_no_longer_heard` | rests on a kind of source that would not be heard today | the source |
    | `writer_lost` | governs on the word of a role that would not count today | the role |
    | `standing_too_low` | is supported too little to govern, were it stated today | the standing |
    | `value_no_longer_reads` | has a value that is none of the type of today: it stays a text | the new type |
    | `compared_otherwise` | has a value that compares in another form: said again, it is other terms | the new type |
    | `cardinality_changed` | stays as it is; what is said from now on has keys of the other kind | the new one |
    | `conflict_changed` | stays; what a weaker source says from now on is decided by the other rule | the new one |
    | `prohibits_less` | stays; what is said from now on may be of these kinds | kinds |
    | `now_prohibited` | says what its class refuses now: it stays, and is not taken again | kinds |
    | `nobody_confirms` | waits for a condition that nobody may confirm any more | |
    | `kept_elsewhere` | stays; what is said from now on is refused, with a pointer to the system | the system |
    | `no_longer_about_anybody` | is nobody's own matter any more: nobody has a control over it | |
    | `controls_lost` | is about a person who may not do this with it any more | controls |
    | `no_longer_switched_off` | comes back, although the person whom it is about has switched it off | |
    | `becomes_switched_off` | comes back to nobody, as the person whom it is about has switched off its class | |
    """

    NO_LONGER_DECLARED = "no_longer_declared"
    DECLARED_AGAIN = "declared_again"
    KNOWN_BY_ANOTHER_NAME = "known_by_another_name"
    BECOMES_UNREADABLE_FOR = "becomes_unreadable_for"
    BECOMES_READABLE_FOR = "becomes_readable_for"
    BECOMES_RESTRICTION = "becomes_restriction"
    NO_LONGER_RESTRICTION = "no_longer_restriction"
    BECOMES_INSTRUCTION = "becomes_instruction"
    NO_LONGER_INSTRUCTION = "no_longer_instruction"
    OUTLIVED = "outlived"
    LAPSES_SOONER = "lapses_sooner"
    SENSITIVITY_CHANGED = "sensitivity_changed"
    DIMENSION_GONE = "dimension_gone"
    SCOPE_NO_LONGER_FITS = "scope_no_longer_fits"
    SOURCE_NO_LONGER_HEARD = "source_no_longer_heard"
    WRITER_LOST = "writer_lost"
    STANDING_TOO_LOW = "standing_too_low"
    VALUE_NO_LONGER_READS = "value_no_longer_reads"
    COMPARED_OTHERWISE = "compared_otherwise"
    CARDINALITY_CHANGED = "cardinality_changed"
    CONFLICT_CHANGED = "conflict_changed"
    PROHIBITS_LESS = "prohibits_less"
    NOW_PROHIBITED = "now_prohibited"
    NOBODY_CONFIRMS = "nobody_confirms"
    KEPT_ELSEWHERE = "kept_elsewhere"
    NO_LONGER_ABOUT_ANYBODY = "no_longer_about_anybody"
    CONTROLS_LOST = "controls_lost"
    NO_LONGER_SWITCHED_OFF = "no_longer_switched_off"
    BECOMES_SWITCHED_OFF = "becomes_switched_off"


class Existing(NamedTuple):
    """A memory that has not ended, as far as a policy decides on it.

    A `held` one is a claim that governs nothing. `zone` is that of whoever said it, at `stated_at`. `was` and `becomes`
    say whom it is about, and whether they have it switched off, by the policy of before and by that of after.
    """

    id: UUID
    attribute: str
    scope: Scope
    value: str
    held: bool
    waits: bool
    authority: Authority
    authority_role: str | None
    standing: Standing
    zone: str | None
    stated_at: datetime
    restated_at: datetime
    recorded_at: datetime
    was: About = About(None, False)
    becomes: About = About(None, False)


class Effect(NamedTuple):
    """One effect on the memories of one attribute: how many, and the ids of the first of them."""

    kind: EffectKind
    attribute: str
    concerns: tuple[str, ...]
    memories: int
    ids: tuple[UUID, ...]


Told = tuple[EffectKind, tuple[str, ...]]
_WEIGHTS = (
    (RecallPriority.RESTRICTION, EffectKind.BECOMES_RESTRICTION, EffectKind.NO_LONGER_RESTRICTION),
    (RecallPriority.INSTRUCTION, EffectKind.BECOMES_INSTRUCTION, EffectKind.NO_LONGER_INSTRUCTION),
)


class Reckoning:
    """Takes memories in any number of portions and tells what a change does to them all, as of `now`."""

    def __init__(self, old: Policy, new: Policy, now: datetime) -> None:
        self._old = old
        self._new = new
        self._now = now
        self._gaining = _gaining(old, new)
        self._found: dict[tuple[EffectKind, str, tuple[str, ...]], list[UUID]] = {}
        self._counts: dict[tuple[EffectKind, str, tuple[str, ...]], int] = {}

    def take(self, memories: Iterable[Existing]) -> None:
        """Look at some memories, each of which is taken once."""
        for memory in memories:
            for kind, concerns in self._told(memory):
                what = (kind, memory.attribute, concerns)
                self._counts[what] = self._counts.get(what, 0) + 1
                ids = self._found.setdefault(what, [])
                if len(ids) < MOST_IDS:
                    ids.append(memory.id)

    def effects(self) -> tuple[Effect, ...]:
        """All effects, in the order of their kinds, and then by attribute."""
        order = list(EffectKind)
        found = sorted(self._counts, key=lambda what: (order.index(what[0]), *what[1:]))
        return tuple(Effect(*what, self._counts[what], tuple(self._found[what])) for what in found)

    def _told(self, memory: Existing) -> Iterator[Told]:
        before, after = self._old.declared(memory.attribute), self._new.declared(memory.attribute)
        yield from _held_otherwise(before, after, memory)
        if after is None:
            if before is not None:
                yield EffectKind.NO_LONGER_DECLARED, ()
            return
        if before is None:
            yield EffectKind.DECLARED_AGAIN, (after.class_name,)
            return
        if after.name != memory.attribute == before.name:
            yield EffectKind.KNOWN_BY_ANOTHER_NAME, (after.name,)
        yield from self._readers_changed(before, after, memory)
        yield from _recalled_otherwise(before.memory_class, after.memory_class)
        yield from _ended_otherwise(before.memory_class, after.memory_class, memory, self._now)
        gone = tuple(sorted(memory.scope.keys() - self._new.dimensions))
        if gone and not memory.scope.keys() - self._old.dimensions:
            yield EffectKind.DIMENSION_GONE, gone
        yield from _no_longer_taken(before.memory_class, after.memory_class, memory)
        if _counts(self._old, before, memory) and not _counts(self._new, after, memory):
            yield EffectKind.WRITER_LOST, (memory.authority_role or "",)
        yield from _followed_otherwise(before, after, memory)
        if memory.waits and any(
            is_confirmed(self._old, before, memory.scope, by_verb=by_verb)
            and not is_confirmed(self._new, after, memory.scope, by_verb=by_verb)
            for by_verb in (True, False)
        ):
            yield EffectKind.NOBODY_CONFIRMS, ()

    def _readers_changed(self, before: Declared, after: Declared, memory: Existing) -> Iterator[Told]:
        """Who reads it by the readers of its class; and who gains it by what a role may do now.

        What a role loses, and one that is gone altogether, is told among the grants.
        """
        gained = frozenset(
            name
            for name in self._gaining
            if reads(self._new, name, after.memory_class, memory.scope)
            and not reads(self._old, name, before.memory_class, memory.scope)
        )
        if before.memory_class.readers != after.memory_class.readers:
            could, can = _readers(self._old, before.memory_class), _readers(self._new, after.memory_class)
            if lost := could & _readers(self._new) - can:
                yield EffectKind.BECOMES_UNREADABLE_FOR, tuple(sorted(lost))
            gained |= can - could
        if gained:
            yield EffectKind.BECOMES_READABLE_FOR, tuple(sorted(gained))


def _gaining(old: Policy, new: Policy) -> frozenset[str]:
    """The roles, and systems, that may read, and have more than they had."""
    return frozenset(each.name for each in grants_lost(new, old) if may_read_anything(new, each.name))


def _held_otherwise(before: Declared | None, after: Declared | None, memory: Existing) -> Iterator[Told]:
    """What changes for the person whom it is about."""
    was, becomes = memory.was, memory.becomes
    if was.person is not None and becomes.person is None:
        yield EffectKind.NO_LONGER_ABOUT_ANYBODY, ()
    if was.person is not None and becomes.person is not None:
        had, has = (controls_of(None if each is None else each.memory_class) for each in (before, after))
        if had - has:
            yield EffectKind.CONTROLS_LOST, _words(had - has)
    if was.switched_off and not becomes.switched_off:
        yield EffectKind.NO_LONGER_SWITCHED_OFF, ()
    if becomes.switched_off and not was.switched_off:
        yield EffectKind.BECOMES_SWITCHED_OFF, ()


def _recalled_otherwise(before: MemoryClass, after: MemoryClass) -> Iterator[Told]:
    for weight, becomes, no_longer in _WEIGHTS:
        was, is_now = (each.recall is weight for each in (before, after))
        if was != is_now:
            yield becomes if is_now else no_longer, ()
    if before.sensitivity is not after.sensitivity:
        yield EffectKind.SENSITIVITY_CHANGED, (after.sensitivity.value,)


def _readers(policy: Policy, memory_class: MemoryClass | None = None) -> frozenset[str]:
    """Who may see memories of a class: roles, and systems; without a class all that there are."""
    if memory_class is None or memory_class.readers == "any":
        return frozenset(policy.roles) | frozenset(policy.systems)
    return memory_class.readers


def _ended_otherwise(
    before: MemoryClass, after: MemoryClass, memory: Existing, now: datetime
) -> Iterator[Told]:
    was, becomes = _lapses(before, memory), _lapses(after, memory)
    if becomes is None or (was is not None and was <= now):
        return
    if becomes <= now:
        yield EffectKind.OUTLIVED, ()
    elif was is None or becomes < was:
        yield EffectKind.LAPSES_SOONER, ()


def _lapses(memory_class: MemoryClass, memory: Existing) -> datetime | None:
    """When a memory would lapse by its class: a fact so long after its latest statement, a claim after its record."""
    since = memory.recorded_at if memory.held else memory.restated_at
    lasting: timedelta | None = memory_class.retention.held if memory.held else memory_class.retention.keep
    try:
        return None if lasting is None else since + lasting
    except OverflowError:
        return None


def _no_longer_taken(before: MemoryClass, after: MemoryClass, memory: Existing) -> Iterator[Told]:
    if before.fits(memory.scope) and not after.fits(memory.scope):
        yield EffectKind.SCOPE_NO_LONGER_FITS, ()
    if before.hears(memory.authority) and not after.hears(memory.authority):
        yield EffectKind.SOURCE_NO_LONGER_HEARD, (memory.authority.name.lower(),)
    standing = memory.standing
    if not memory.held and standing.suffices(before.confidence) and not standing.suffices(after.confidence):
        yield EffectKind.STANDING_TOO_LOW, (standing.value,)


def _counts(policy: Policy, declared: Declared, memory: Existing) -> bool:
    """Whether the word of the role on which a memory governs counts for it. Whoever has a role of their own may
    be the one whom the scope names."""
    role = memory.authority_role
    if memory.held or role is None or role not in declared.attribute.write:
        return False
    grant = grant_of(policy, role)
    return grant is not None and reaches_for_somebody(grant, memory.scope)


def _followed_otherwise(before: Declared, after: Declared, memory: Existing) -> Iterator[Told]:
    was, spec = before.attribute, after.attribute
    if _form_of(was) != _form_of(spec):
        then, now = _read(memory, was), _read(memory, spec)
        if then.read and not now.read:
            yield EffectKind.VALUE_NO_LONGER_READS, (spec.type.value,)
        elif then.key != now.key:
            yield EffectKind.COMPARED_OTHERWISE, (spec.type.value,)
    if was.cardinality is not spec.cardinality:
        yield EffectKind.CARDINALITY_CHANGED, (spec.cardinality.value,)
    yield from _taken_otherwise(before.memory_class, after.memory_class, memory)
    system = after.memory_class.system_of_record
    if system is not None and before.memory_class.system_of_record is None:
        yield EffectKind.KEPT_ELSEWHERE, (system,)


def _taken_otherwise(before: MemoryClass, after: MemoryClass, memory: Existing) -> Iterator[Told]:
    """What changes for what is said from now on."""
    if before.conflict is not after.conflict:
        yield EffectKind.CONFLICT_CHANGED, (after.conflict.value,)
    if less := before.prohibited - after.prohibited:
        yield EffectKind.PROHIBITS_LESS, _words(less)
    more = after.prohibited - before.prohibited
    if more and (said := more & prohibited_in(memory.value)):
        yield EffectKind.NOW_PROHIBITED, _words(said)


def _words(kinds: Iterable[StrEnum]) -> tuple[str, ...]:
    return tuple(sorted(kind.value for kind in kinds))


def _form_of(spec: ValueSpec) -> tuple[object, ...]:
    """What decides on the form in which values are compared."""
    return spec.type, spec.values, spec.of, spec.semantic


def _read(memory: Existing, spec: ValueSpec) -> Canonical:
    """The value as it would be read. Which thing it names is not looked up: any text may name one."""
    if spec.type is ValueType.ENTITY:
        return Canonical(f"{spec.type.value}:", read=True)
    return canonical(memory.value, spec, zone=memory.zone, at=memory.stated_at)


def effects_on(old: Policy, new: Policy, memories: Iterable[Existing], now: datetime) -> tuple[Effect, ...]:
    """What a change does to these memories; see `EffectKind`."""
    reckoning = Reckoning(old, new, now)
    reckoning.take(memories)
    return reckoning.effects()


def touched_by(old: Policy, new: Policy) -> frozenset[str]:
    """The attributes of whose memories a change may tell anything; those of all others need not be looked at."""
    known = old.known_names | new.known_names
    if old.dimensions - new.dimensions or _gaining(old, new):
        return known
    return frozenset(name for name in known if _rules_of(old, name) != _rules_of(new, name))


def _rules_of(policy: Policy, name: str) -> object:
    declared = policy.declared(name)
    if declared is None:
        return None
    contract = declared.memory_class.model_copy(update={"attributes": {}})
    grants = {role: grant_of(policy, role) for role in declared.attribute.write | declared.attribute.confirm}
    return declared.name, declared.attribute, declared.class_name, contract, grants
