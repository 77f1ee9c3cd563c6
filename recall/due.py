"""What is due of the asker's own intentions, looked up on every recall: one indexed query, whatever called for it.

It is about the present. A question about another instant is about what was known then, and brings up none.
"""

from collections.abc import Sequence

from models.due import MOST_DUE, DueIntention
from models.intentions import Owner
from models.scope import Scope
from models.verbs import Verb
from recall.inquiry import Inquiry
from store import occurrences
from store.unit_of_work import UnitOfWork


async def due_of(work: UnitOfWork, inquiry: Inquiry) -> Sequence[DueIntention]:
    """What is due, the oldest first, of those whose scope applies to the request and lies within the asker's reach."""
    request, policy, principal = inquiry.request, inquiry.policy, inquiry.principal
    if request.as_of is not None or request.known_at is not None:
        return ()
    if not policy.may_know(principal, Verb.INTEND, inquiry.scope):
        return ()
    owner = Owner(subject=principal.subject, kind=principal.kind)
    found = await occurrences.open_in(work, owner, inquiry.scope.sub_scope_keys(), MOST_DUE)
    return [each.due for each in found if policy.may_know(principal, Verb.INTEND, Scope(each.scope))]
