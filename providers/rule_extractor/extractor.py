"""`RuleExtractor`: events in, proposals out, and nothing else. What it reads is listed in `grammar.py`."""

from collections.abc import Collection, Sequence

from models.candidates import CandidateKind, Proposal, StructuredCandidate, Terms, structured_candidates
from models.errors import InvalidInput
from models.events import EventType, StoredEvent
from providers.rule_extractor.mentions import Entities, antecedents
from providers.rule_extractor.reader import MAX_PROPOSALS, read_text
from providers.rule_extractor.sentences import sentences

OBSERVED_STATE = "observed_state"

READ = frozenset(
    {
        EventType.INSTRUCTION,
        EventType.MESSAGE,
        EventType.FEEDBACK,
        EventType.CORRECTION,
        EventType.NOTE,
        EventType.TOOL_RESULT,
        EventType.MILESTONE,
        EventType.VERIFICATION_PASSED,
        EventType.VERIFICATION_FAILED,
    }
)
"""Events whose text is read. An observation's is not: whatever it says, it reports a state."""


class RuleExtractor:
    """Reads plain operational English without a model. What it does not understand it leaves alone."""

    name = "rules/1"

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        """Candidates of `events` in their order, for `attributes`; `observed_state` is always among them."""
        return [proposal for event in events for proposal in proposals_of(event, frozenset(attributes))]


def proposals_of(event: StoredEvent, attributes: frozenset[str]) -> list[Proposal]:
    """What one event proposes.

    | event | proposals |
    | --- | --- |
    | carries candidates in its data | a statement of each, and what its text says of other keys |
    | carries candidates that cannot be read | none |
    | an observation without candidates | one observation of each entity that it lists, else names |
    | a type in `READ` | what its text says |
    | any other | none |
    """
    try:
        structured = structured_candidates(event.data)
    except InvalidInput:
        return []
    entities = Entities(event)
    stated = [_stated(event, item, entities) for item in structured if item.attribute in attributes]
    if event.type is EventType.OBSERVATION and not structured:
        return _observed(event, entities)
    if event.type not in READ or not event.text:
        return stated
    said = {(proposal.mention, proposal.attribute) for proposal in stated}
    read = read_text(event, entities, attributes)
    return [*stated, *(one for one in read if (one.mention, one.attribute) not in said)]


def _stated(event: StoredEvent, item: StructuredCandidate, entities: Entities) -> Proposal:
    return Proposal(
        event_id=event.id,
        kind=CandidateKind.STATEMENT,
        attribute=item.attribute,
        mention=None if item.entity is None else entities.canonical(item.entity),
        terms=Terms(
            value=item.value,
            ends_when=item.ends_when,
            expires_at=item.expires_at,
            valid_from=item.valid_from,
        ),
        quote=event.text or item.value,
    )


def _observed(event: StoredEvent, entities: Entities) -> list[Proposal]:
    text = event.text or ""
    found = list(entities.mentions)
    if not found:
        named = (name for sentence in sentences(text) for name in antecedents(sentence.words, entities))
        found = list(dict.fromkeys(named))[:MAX_PROPOSALS]
    return [
        Proposal(
            event_id=event.id,
            kind=CandidateKind.OBSERVATION,
            attribute=OBSERVED_STATE,
            mention=mention,
            terms=None,
            quote=text,
        )
        for mention in found
    ]
