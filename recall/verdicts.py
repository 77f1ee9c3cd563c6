"""What became of events: how far each has come, and what was decided on what it proposed."""

from collections.abc import Sequence
from uuid import UUID

from models.controls import catalogue
from models.principals import Principal, PrincipalKind
from models.readers import readable_by
from models.statements import Decided, EventVerdict, stage_of
from models.verbs import Verb
from store import candidates, verdicts, words
from store.engine import Database
from store.policies import Policies
from store.words import Words


class Verdicts:
    """Tells verdicts to principals who reach the events."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def of_events(
        self, principal: Principal, event_ids: Sequence[UUID], verb: Verb = Verb.READ
    ) -> list[EventVerdict]:
        """What became of each event, in the order asked for; one beyond the principal's reach is left out.

        So is what was decided on memories that they may not read.

        Whoever publishes an event again hears of it as it stands, by the `verb` that they may.
        """
        policy = await self._policies.of(principal.tenant_id)
        readable = readable_by(policy, principal)
        async with self._database.transaction(principal.tenant_id) as work:
            known = {
                each.event_id: each
                for each in await verdicts.progress_of(work, event_ids, readable)
                if policy.may_know(principal, verb, each.scope)
            }
            decided: dict[UUID, list[Decided]] = {}
            for each in await candidates.decided_on(work, list(known), readable):
                decided.setdefault(each.event_id, []).append(each)
        return [
            EventVerdict(
                event_id=event_id,
                activity_id=known[event_id].activity_id,
                stage=stage_of(
                    consolidated=known[event_id].consolidated,
                    checkpoint_seen=known[event_id].checkpoint_seen,
                    undecided=known[event_id].undecided,
                    stated=known[event_id].stated,
                ),
                episode_id=known[event_id].episode_id,
                decisions=tuple(decided.get(event_id, ())),
            )
            for event_id in event_ids
            if event_id in known
        ]

    async def said_in(self, principal: Principal, event_ids: Sequence[UUID]) -> dict[UUID, Words]:
        """Where these events apply and what was said there; one beyond the principal's reach is left out."""
        policy = await self._policies.of(principal.tenant_id)
        person = principal.subject if principal.kind is PrincipalKind.HUMAN else None
        async with self._database.transaction(principal.tenant_id) as work:
            found = await words.of_events(
                work, event_ids, readable_by(policy, principal), catalogue(policy), person
            )
        return {
            event_id: said
            for event_id, said in found.items()
            if policy.may_know(principal, Verb.READ, said.scope)
        }
