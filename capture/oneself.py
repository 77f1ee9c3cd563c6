"""What a candidate has to do with the person whom it is about: their own right to say it, and what they do not want."""

from collections.abc import Sequence
from uuid import UUID

from models.authority import Authority
from models.candidates import CandidateKind, Proposal
from models.contracts import Control
from models.controls import Word, class_of, permits
from models.events import StoredEvent
from models.policy import Policy
from models.switches import Concern, concern_of
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
    said_now = restated is None or first is not None
    concerns = [
        _concern(policy, proposal, first or event, said_now=said_now) for proposal, event in proposals
    ]
    people = {person for each in concerns if each is not None and about is None for person in each.people}
    there = await switches.of(work, people)
    found: list[frozenset[str]] = []
    for each in concerns:
        off = each is not None and (each.is_off(there) if about is None else about.switched_off)
        found.append(frozenset({each.declared.class_name}) if each is not None and off else frozenset())
    return found


def _concern(policy: Policy, proposal: Proposal, event: StoredEvent, *, said_now: bool) -> Concern | None:
    declared = policy.declared(proposal.attribute)
    if declared is None or proposal.kind is not CandidateKind.STATEMENT:
        return None
    word = Word(event.speaker.subject, event.speaker.kind, event.authority, counts=True)
    return concern_of(declared, event.scope, word if said_now else None)
