"""Episodes that somebody retracts: what they tell is not to be relied on, so nothing rests on it and nobody recalls it.

The events stay in the log: to forget what was said is another thing.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import Receipt, in_one_transaction
from capture.directives import Directive, hear
from capture.masking import Masker
from capture.versions import Why, lose_evidence
from models.errors import Conflict, NotFound, NotPermitted
from models.principals import Principal, PrincipalKind
from models.readers import readable_by
from models.scope import Scope
from models.statements import Withdrawal
from models.verbs import Verb
from store import episodes, evidence
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

OF_AN_EPISODE = "episode"


class EpisodeRetracted(NamedTuple):
    """An episode that is retracted, and the event that says why."""

    episode_id: UUID
    receipt: Receipt


class Retractions:
    """Takes retractions of episodes from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def retract(self, principal: Principal, episode_id: UUID, said: Withdrawal) -> EpisodeRetracted:
        """Retract an episode. What rests on it loses it: see `capture.versions.lose_evidence`.

        Raises `NotFound` for one beyond reach, `NotPermitted` for who may not retract in its scope, or is an agent, and
        `Conflict` for one that is retracted.
        """
        said = self._masker.statement(principal.tenant_id, said)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> EpisodeRetracted:
            await self._tenants.require(work, principal.tenant)
            episode = await episodes.seen(work, episode_id, readable_by(policy, principal))
            if episode is None or not policy.may_know(principal, Verb.READ, episode.scope):
                raise NotFound("no such episode within reach; take an id from recall or a list")
            scope = Scope(episode.scope)
            policy.require(principal, Verb.RETRACT, scope)
            if principal.kind is PrincipalKind.AGENT:
                raise NotPermitted("an agent retracts no episode, as playbooks may rest on it; ask a person")
            told: dict[str, Any] = {OF_AN_EPISODE: {"retract": True, "id": str(episode_id)}}
            directive = Directive(Verb.RETRACT, scope, said, told, f"episode {episode_id}", said.text)
            receipt, event = await hear(work, principal, policy, directive)
            if event is None:
                return EpisodeRetracted(episode_id, receipt)
            now = datetime.now(UTC)
            if not await episodes.retract(work, episode_id, now):
                raise Conflict("is retracted already")
            why = Why("retract", "evidence_retracted", principal.subject, None, event.id, now)
            ended = evidence.Transition(
                episode_id, "active", "retracted", why.rule, why.reason, why.actor, None, event.id, now
            )
            await evidence.declare(work, evidence.Kind.EPISODE, ended)
            await lose_evidence(work, policy, [episode_id], why)
            return EpisodeRetracted(episode_id, receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)
