"""What a candidate has to do with the person whom it is about: their own right to say it, and what they do not want."""

from collections.abc import Sequence
from uuid import UUID

from models.authority import Authority
from models.candidates import CandidateKind, Proposal
from models.contracts import Control
from models.controls import Word, class_of, permits, person_of
from models.events import StoredEvent
from models.policy import Policy
from store import persons, switches
from store.unit_of_work import UnitOfWork


async def is_own(
    work: UnitOfWork,
    policy: Policy,
    event: StoredEvent,
    kind: CandidateKind,
    attribute: str,
    about_id: UUID | None,
) -> bool:
    """Whether a person corrects or withdraws, by `event`, the memory `about_id` that is about themselves.

    Its class has to let them. What came from a tool or a page is nobody's own word.
    """
    if about_id is None or event.authority is not Authority.HUMAN_INSTRUCTION:
        return False
    about = (await persons.about(work, policy, [about_id]))[about_id]
    control = Control.WITHDRAW if kind is CandidateKind.WITHDRAWAL else Control.CORRECT
    return permits(event.speaker, control, class_of(policy, attribute), about.person)


async def switched_off(
    work: UnitOfWork,
    policy: Policy,
    proposals: Sequence[tuple[Proposal, StoredEvent]],
    restated: UUID | None = None,
    first: StoredEvent | None = None,
) -> list[frozenset[str]]:
    """For each proposal, the class that the person whom its memory would be about has switched off, if it is that one.

    One statement, and none where nothing is proposed about a person. To take something back is always possible.
    Whether the claim or fact `restated` may be said again, by a reviewer or in a wider scope, is for the person whom
    it is about, and not for the speaker; of what was claimed of no thing yet, for who said so `first`.
    """
    about = None if restated is None else (await persons.about(work, policy, [restated])).get(restated)
    asked: list[tuple[str, str] | None] = []
    for proposal, event in proposals:
        declared = policy.declared(proposal.attribute)
        person = None
        if declared is not None and proposal.kind is CandidateKind.STATEMENT:
            said = first or event
            word = Word(said.speaker.subject, said.speaker.kind, said.authority, counts=True)
            words = [word] if restated is None or first is not None else []
            person = person_of(event.scope, declared.memory_class, words) if about is None else about.person
        asked.append(None if declared is None or person is None else (person, declared.class_name))
    off = await switches.off_among(work, {each for each in asked if each is not None})
    return [frozenset({each[1]}) if each is not None and each in off else frozenset() for each in asked]
