"""The procedure that a recall brings: looked up among those in force where the request applies, in one indexed query.

It is about the present. A question about another instant is about what was known then, and brings none.
"""

from models.procedure_choice import Applying, RecalledProcedure, Situation, chosen
from recall.inquiry import Inquiry
from store import procedures
from store.unit_of_work import UnitOfWork

MOST_PROCEDURES = 1_000
"""So many of the scopes of a request are looked at."""


async def playbook_for(work: UnitOfWork, inquiry: Inquiry) -> RecalledProcedure | None:
    """The one procedure that fits the request, whose class the asker reads; None where none does."""
    request, principal = inquiry.request, inquiry.principal
    if request.as_of is not None or request.known_at is not None:
        return None
    classes = inquiry.policy.readable_procedures(principal)
    if not classes:
        return None
    found = await procedures.applying(work, classes, inquiry.scope.sub_scope_keys(), MOST_PROCEDURES)
    asked = Situation(request.query, request.entities, principal.subject, request.activity_id)
    return chosen((Applying(*each) for each in found), asked)
