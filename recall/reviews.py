"""The queue of what is held, disputed or doubted, with the evidence on both sides, for those who may review it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from models.controls import Catalogue, catalogue
from models.cursors import cursor_of, read_cursor
from models.events import aware
from models.facts import Admission, Fact, status_at
from models.mismatches import Mismatches
from models.policy import Policy
from models.principals import Principal
from models.readers import Readable, readable_by
from models.reviews import Heard, ReviewItem, Waiting, needs_other_eyes, waits_as
from models.scope import Scope, parse_scope
from models.switches import Concern, concern_of
from models.verbs import Verb
from store import facts, mismatches, persons, reviews, switches
from store.engine import Database
from store.policies import Policies
from store.reviews import Waits
from store.unit_of_work import UnitOfWork

_AT_ONCE = 200
_MOST_LOOKED_AT = 1_000
"""How many that the reviewer may not see are passed over for one page, before the rest is left to the next one."""
_START = (datetime.min.replace(tzinfo=UTC, year=2), UUID(int=0))


class ReviewPage(NamedTuple):
    """What waits, the oldest first; `next` is the cursor of the following page, None where there is none."""

    items: Sequence[ReviewItem]
    next: str | None


class ReviewQueue:
    """Tells what waits to principals who may review it."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def page(
        self, principal: Principal, within: dict[str, str], cursor: str | None, limit: int
    ) -> ReviewPage:
        """One page of what waits in scopes that have the dimensions of `within`; `{}` for all within reach.

        A page can be shorter than `limit`, and even empty, and still have a `next`.
        """
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(within, policy.dimensions)
        if scope and not policy.may_know(principal, Verb.REVIEW, Scope({})):
            policy.require(principal, Verb.REVIEW, scope)
        policy.require_anywhere(principal, Verb.REVIEW)
        after: reviews.Position | None = _START if cursor is None else read_cursor(cursor, _position)
        reviewer = _Reviewer(policy, principal, datetime.now(UTC))
        looked_at, shown = 0, list[Waits]()
        async with self._database.transaction(principal.tenant_id) as work:
            while after is not None and len(shown) < limit and looked_at < _MOST_LOOKED_AT:
                found, after = await reviews.waiting(
                    work,
                    reviewer.readable,
                    json.dumps(dict(scope)),
                    after,
                    reviewer.now,
                    _AT_ONCE,
                    policy.mismatches_to_review,
                )
                looked_at += _AT_ONCE
                unwanted = await reviewer.unwanted(work, found)
                for each in found:
                    if len(shown) == limit:
                        after = (shown[-1].recorded_at, shown[-1].id)
                        break
                    if each.id not in unwanted and reviewer.may_see(each):
                        shown.append(each)
            items = await reviewer.items(work, shown)
        return ReviewPage(items, None if after is None else _cursor(after))

    async def one(self, principal: Principal, identity: UUID) -> ReviewItem | None:
        """What waits under this id; None where nothing does that the principal may review."""
        policy = await self._policies.of(principal.tenant_id)
        reviewer = _Reviewer(policy, principal, datetime.now(UTC))
        async with self._database.transaction(principal.tenant_id) as work:
            found = await reviews.waiting_one(
                work, reviewer.readable, identity, reviewer.now, policy.mismatches_to_review
            )
            if found is None or not reviewer.may_see(found) or await reviewer.unwanted(work, [found]):
                return None
            [item] = await reviewer.items(work, [found])
        return item


class _Reviewer(NamedTuple):
    """Who asks, by which policy, at which instant."""

    policy: Policy
    principal: Principal
    now: datetime

    @property
    def readable(self) -> Readable:
        """Of which attributes they may see memories."""
        return readable_by(self.policy, self.principal)

    @property
    def known(self) -> Catalogue:
        """Of which class each attribute is."""
        return catalogue(self.policy)

    async def unwanted(self, work: UnitOfWork, found: Sequence[Waits]) -> set[UUID]:
        """Those about somebody who has switched their class off; what is about no thing yet goes by its words."""
        about = await persons.about(work, self.policy, [each.id for each in found if each.unnamed is None])
        concerns: dict[UUID, Concern] = {}
        for each in found:
            declared = None if each.unnamed is None else self.policy.declared(each.attribute)
            if declared is not None:
                concerns[each.id] = concern_of(declared, each.scope, each.word)
        there = await switches.of(work, {person for each in concerns.values() for person in each.people})
        off = {each for each, of in about.items() if of.switched_off}
        return off | {each for each, concern in concerns.items() if concern.is_off(there)}

    def may_see(self, waits: Waits) -> bool:
        """Whether it still waits, and for this one, by its scope."""
        lapses_at = self._lapses_at(waits)
        lapsed = waits.unnamed is not None and lapses_at is not None and lapses_at <= self.now
        return not lapsed and self.policy.allows(self.principal, Verb.REVIEW, Scope(waits.scope))

    def _lapses_at(self, waits: Waits) -> datetime | None:
        declared = self.policy.declared(waits.attribute)
        return None if declared is None else waits.recorded_at + declared.memory_class.retention.held

    async def items(self, work: UnitOfWork, shown: Sequence[Waits]) -> list[ReviewItem]:
        """What waits, with the evidence on both sides."""
        claims = {
            fact.id: fact
            for fact in await facts.by_ids(work, [each.id for each in shown if each.unnamed is None])
        }
        against = [fact.challenges for fact in claims.values() if fact.challenges is not None]
        about = await persons.about(work, self.policy, against)
        wanted = [each for each in against if not about[each].switched_off]
        challenged = {fact.id: fact for fact in await facts.by_ids(work, wanted)}
        told = await reviews.heard(
            work, [*(each.id for each in shown), *challenged], self.readable, self.known
        )
        told = {record: list(map(self._as_far_as_known, heard)) for record, heard in told.items()}
        doubted = [fact.id for fact in claims.values() if fact.admission is Admission.ADMITTED]
        seen = await mismatches.of_facts(work, doubted)
        return [self._item(each, claims, challenged, told, seen.get(each.id)) for each in shown]

    def _as_far_as_known(self, heard: Heard) -> Heard:
        """What was said, without the words where they lie in a scope that the reviewer does not reach."""
        known = self.policy.may_know(self.principal, Verb.READ, Scope(heard.scope))
        return heard if known else heard._replace(text=None)

    def _item(
        self,
        waits: Waits,
        claims: dict[UUID, Fact],
        challenged: dict[UUID, Fact],
        told: Mapping[UUID, list[Heard]],
        seen: Mismatches | None,
    ) -> ReviewItem:
        claim = claims.get(waits.id)
        other = None if claim is None or claim.challenges is None else challenged.get(claim.challenges)
        heard = tuple(told.get(waits.id, ()))
        declared = self.policy.declared(waits.attribute)
        four_eyes = declared is not None and declared.memory_class.review.four_eyes
        said_by = {each.subject for each in heard}
        return ReviewItem(
            id=waits.id,
            waiting=Waiting.UNNAMED if claim is None else waits_as(claim),
            reason=waits.reason,
            class_name=None if declared is None else declared.class_name,
            recorded_at=waits.recorded_at,
            lapses_at=self._lapses_at(waits) if claim is None else claim.lapses_at,
            claim=claim,
            unnamed=waits.unnamed,
            heard=heard,
            challenged=other,
            challenged_status=None if other is None else status_at(other, self.now),
            challenged_heard=() if other is None else tuple(told.get(other.id, ())),
            not_by=tuple(sorted(who for who in said_by if needs_other_eyes(claim, four_eyes, said_by, who))),
            mismatches=seen,
        )


def _cursor(after: tuple[datetime, UUID]) -> str:
    return cursor_of([after[0].isoformat(), str(after[1])])


def _position(parts: Any) -> tuple[datetime, UUID]:
    recorded_at, identity = parts
    return aware(datetime.fromisoformat(recorded_at)), UUID(identity)
