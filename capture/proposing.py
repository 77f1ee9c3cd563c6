"""Who proposes: rules always, and a model beside them where one is configured.

What both propose is put together. What callers state in structured form, and what a rule can read, is read by rule:
of two proposals of one event for one fact key the rule's counts, since it reads a sentence to its end or not at all.
A model adds what rules cannot read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter

from capture.asking import Asking, Reply
from models.candidates import Proposal, Proposed
from models.contracts import Attribute, Cardinality
from models.episodes import Outline, in_order
from models.events import StoredEvent
from models.extractions import Fallback, Purpose, windows
from models.policy import Policy
from providers.protocols import (
    AttributeBrief,
    Extractor,
    ModelDrafter,
    ModelExtractor,
    ModelNarrator,
    Narrator,
)
from store.extractions import About

_PROPOSALS = TypeAdapter(list[Proposal])
_MANY_OR_ONE = {
    Cardinality.ONE: "one value at a time",
    Cardinality.MANY: "several values side by side",
}


class Found(NamedTuple):
    """What was proposed of events. `extraction_ids` are those whose answers it holds, applied with it or not at all."""

    proposed: list[Proposed]
    extraction_ids: list[UUID]
    fallback: Fallback | None = None


class Told(NamedTuple):
    """An episode in words, and who told it. `extraction_id` is the one whose answer it holds, if it holds one."""

    narrative: str
    narrator: str
    extraction_id: UUID | None = None
    fallback: Fallback | None = None


class Models(NamedTuple):
    """The models that are configured, each for its purpose, and how they are asked."""

    asking: Asking
    extractor: ModelExtractor | None = None
    narrator: ModelNarrator | None = None
    drafter: ModelDrafter | None = None


def proposals_in(proposed: Any) -> list[Proposal]:
    """Proposals as they are stored."""
    return _PROPOSALS.validate_python(proposed)


def stored_form(proposals: Sequence[Proposal]) -> Any:
    """Proposals as JSON."""
    return _PROPOSALS.dump_python(list(proposals), mode="json")


class Proposers:
    """Proposes facts for any tenant."""

    def __init__(self, rules: Extractor, models: Models | None = None) -> None:
        self._rules = rules
        self._models = models

    @property
    def rules(self) -> str:
        """The name under which rules propose."""
        return self._rules.name

    async def read(self, policy: Policy, events: Sequence[StoredEvent]) -> list[Proposed]:
        """What rules propose of `events`."""
        proposals = await self._rules.propose(in_order(events), policy.known_names)
        ids = {event.id for event in events}
        # A citation of an event that was not shown is a provider's fault; there is nothing to hold.
        return [Proposed(each, self._rules.name) for each in proposals if each.event_id in ids]

    async def ask(
        self,
        policy: Policy,
        tenant_id: UUID,
        activity_id: UUID,
        events: Sequence[StoredEvent],
        redo_id: UUID | None = None,
    ) -> Found:
        """What the model proposes of `events`, as many questions as they need; nothing where none is configured.

        Raises as `Asking.reply` does. Parts that have their answer by then keep it.
        """
        found = Found([], [])
        if self._models is None or self._models.extractor is None:
            return found
        extractor, fallback = self._models.extractor, None
        for window in windows(events):
            question = extractor.question(window, _briefs(policy))
            if question is None:
                continue
            about = About(activity_id, Purpose.EXTRACT, window[0].seq, window[-1].seq, redo_id)
            reply = await self._models.asking.reply(tenant_id, about, extractor.name, question, stored_form)
            fallback = fallback or reply.fallback
            if reply.proposed is not None:
                found.extraction_ids.append(about.id)
                found.proposed.extend(_proposed(reply))
        return found._replace(fallback=fallback)


def _briefs(policy: Policy) -> list[AttributeBrief]:
    """What a model may propose: every attribute that is remembered at all, with its type and what it is for."""
    return [
        AttributeBrief(
            name,
            f"{name.replace('_', ' ')}, {_type(attribute)}; {_MANY_OR_ONE[attribute.cardinality]};"
            f" matters for: {contract.design.decision}",
        )
        for contract in policy.classes.values()
        if contract.system_of_record is None
        for name, attribute in contract.attributes.items()
    ]


def _type(attribute: Attribute) -> str:
    if attribute.values:
        return f"one of {', '.join(attribute.values)}"
    return attribute.type.value


def _proposed(reply: Reply) -> list[Proposed]:
    extraction = reply.extraction
    return [Proposed(each, extraction.extractor, extraction.id) for each in proposals_in(reply.proposed)]


class Narrators:
    """Tells episodes for any tenant."""

    def __init__(self, rules: Narrator, models: Models | None = None) -> None:
        self._rules = rules
        self._models = models

    async def tell(
        self, tenant_id: UUID, about: About, outline: Outline, events: Sequence[StoredEvent]
    ) -> Told:
        """The activity in words: the model's, else the template's. Raises as `Asking.reply` does."""
        fallback = None
        if self._models is not None and self._models.narrator is not None:
            narrator = self._models.narrator
            question = narrator.question(outline, events)
            reply = await self._models.asking.reply(tenant_id, about, narrator.name, question, str)
            if reply.proposed is not None:
                return Told(str(reply.proposed), reply.extraction.extractor, about.id)
            # A narrative that has been applied is the episode's already, and nothing that is told here replaces it.
            fallback = reply.fallback
        return Told(await self._rules.narrate(outline, events), self._rules.name, fallback=fallback)
