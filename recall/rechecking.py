"""What was found before a second look, without what may be told no longer once that is over.

A look may take seconds. What was retired, retracted, forgotten or switched off meanwhile is neither told nor traced.
Nothing is found anew: the answer stays that of the instant at which it was begun.
"""

from collections.abc import Collection, Sequence
from uuid import UUID

from models.recall import RecalledFact
from recall.arranging import arrange
from recall.considered import Gathered
from recall.inquiry import Inquiry, instant_of
from store.rechecked import still_told
from store.unit_of_work import UnitOfWork


async def rechecked(
    work: UnitOfWork, inquiry: Inquiry, gathered: Gathered, claims: Sequence[RecalledFact] = ()
) -> tuple[Gathered, Sequence[RecalledFact]]:
    """What is left of what was gathered, and of the claims beside it."""
    found = gathered.found
    records = (*found.facts, *found.passages, *found.partners, *gathered.waiting, *claims)
    ids = [each.id for each in records]
    # Who asks about now means the instant at which the answer is given, and who names an instant means that.
    search, now = gathered.search, instant_of(inquiry.request)
    told = await still_told(work, ids, search.readable, search.known, now, search.known_at)
    if told.issuperset(ids):
        return gathered, claims
    return _only(told, inquiry, gathered), [claim for claim in claims if claim.id in told]


def _only(told: Collection[UUID], inquiry: Inquiry, gathered: Gathered) -> Gathered:
    found = gathered.found
    left = found._replace(
        facts=[fact for fact in found.facts if fact.id in told],
        passages=[passage for passage in found.passages if passage.id in told],
        partners=[partner for partner in found.partners if partner.id in told],
        sides=[side for side in found.sides if side.id in told],
    )
    waiting = [event for event in gathered.waiting if event.id in told]
    before = [item for item in gathered.ranked if item.id in told]
    return arrange(inquiry.policy, gathered.brought._replace(found=left, waiting=waiting), before)
