"""Which ids and names go together, as far as an activity has seen: what a decision about one of them is about."""

from collections.abc import Iterable

from keepwell.mentions import MAX_MENTIONS, Thing
from keepwell.names import distinct, folded, keys_of
from keepwell.types.events import EntityMention

MAX_KEYS = 20_000
"""How many ids and names are kept, each with up to `MAX_MENTIONS` others; beyond that the oldest are forgotten."""

_Known = dict[str, dict[str, EntityMention]]


class Identities:
    """What things are called, learned from what was spoken of.

    A person restricts `gpu-bench-01`, a tool lists it as `{"id": "cloud-instance:i-1", "name": "gpu-bench-01"}`, and a
    decision names the id alone: it is about both.
    """

    def __init__(self) -> None:
        self._ids: _Known = {}
        self._names: _Known = {}
        self._perhaps: _Known = {}

    def learn(self, thing: Thing) -> None:
        """Take note of what goes together in how a thing was spoken of."""
        if thing.id is None or thing.name is None:
            return
        told = thing.mentions
        identity, name = told[0], told[-1]
        name_key = keys_of(name)[-1]
        id_key = folded(thing.id) if thing.counted else keys_of(identity)[0]
        _note(self._names if thing.sure else self._perhaps, id_key, name_key, name)
        if not thing.counted:
            _note(self._ids if thing.sure else self._perhaps, name_key, id_key, identity)

    def completed(self, things: Iterable[Thing]) -> tuple[EntityMention, ...]:
        """The mentions of these things, with all that is known to go with them.

        | spoken of by | come |
        | --- | --- |
        | an id, be it with a name | its names, and what may be the same |
        | a name alone | the ids that go by it, all names of these, and what may be the same |

        A name does not lead from one id to another: two things may share it.
        """
        found: dict[tuple[str, ...], EntityMention] = {}

        def add(mentions: Iterable[EntityMention]) -> None:
            for mention in mentions:
                found.setdefault(keys_of(mention), mention)

        for thing in things:
            spoken = [key for mention in thing.mentions for key in keys_of(mention)]
            ids = self._ids.get(spoken[0], {}) if thing.id is None else {}
            add(thing.mentions)
            add(ids.values())
            for key in (*spoken, *ids):
                add(self._names.get(key, {}).values())
            for key in spoken:
                add(self._perhaps.get(key, {}).values())
        return tuple(distinct(found.values()))


def _note(known: _Known, key: str, other: str, mention: EntityMention) -> None:
    others = known.setdefault(key, {})
    others[other] = mention
    for crowded, most in ((others, MAX_MENTIONS), (known, MAX_KEYS)):
        if len(crowded) > most:
            del crowded[next(iter(crowded))]
