"""What the observations of a recall say against memory, kept beside its trace: time and again, it makes a review.

It changes nothing about the answer, and nothing about what governs.
"""

from uuid import UUID

from models.mismatches import mismatches_of
from models.recall import RecalledFact
from models.traces import Fate
from recall.considered import Considered
from recall.inquiry import Inquiry
from store import mismatches
from store.unit_of_work import UnitOfWork


async def keep_mismatches(work: UnitOfWork, inquiry: Inquiry, considered: Considered, trace_id: UUID) -> None:
    """Keep which facts the observations of a request contradict; see `models.mismatches`."""
    request = inquiry.request
    if not request.observations:
        return
    recalled = [item for _, item in considered.places if isinstance(item, RecalledFact)]
    yielded = {entry.id for entry in considered.entries if entry.fate is Fate.YIELDED}
    found = mismatches_of(request, recalled, yielded)
    if found:
        await mismatches.add(work, trace_id, found, inquiry.policy.mismatches_to_review)
