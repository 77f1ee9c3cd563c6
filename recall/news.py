"""News: what was decided on the caller's words, and what became of the memories that rest on them."""

from models.errors import Conflict
from models.news import News, NewsPosition
from models.principals import Principal
from models.readers import readable_by
from models.verbs import Verb
from store import news
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants

MOST_AT_ONCE = 100


class NewsReader:
    """Reads news for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def require_news(self, principal: Principal) -> None:
        """Raise `NotPermitted` for a principal that may read nothing anywhere."""
        policy = await self._policies.of(principal.tenant_id)
        policy.require_anywhere(principal, Verb.READ)

    async def begin(self, principal: Principal, last: NewsPosition | None) -> NewsPosition:
        """The position to go on from: the `last` one seen, or that after which everything is still to come.

        Raises `NotFound` for an unknown tenant, and `Conflict` for a position that this database has not come
        to: it is of another one, or of this one before it was restored.
        """
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            now = await news.now(work)
        if last is not None and last.transaction >= now.next_transaction:
            raise Conflict(
                "this database has not come to that position; begin anew without it", field="Last-Event-ID"
            )
        return last or now.position

    async def after(
        self, principal: Principal, position: NewsPosition
    ) -> tuple[list[News], NewsPosition, bool]:
        """News after `position`, the position reached, and whether there may be more at once.

        What lies in a scope, or is of a class, that the principal may not read is passed over.
        """
        policy = await self._policies.of(principal.tenant_id)
        hears = news.Hears(
            readable_by(policy, principal),
            policy.readable_procedures(principal),
            policy.decided_procedures(principal),
        )
        async with self._database.transaction(principal.tenant_id) as work:
            # Read before the news, so that all up to it are among them.
            settled = (await news.now(work)).position
            found = await news.after(work, principal, hears, position, MOST_AT_ONCE)
        known = [each for each, scope in found if policy.may_know(principal, Verb.READ, scope)]
        more = len(found) == MOST_AT_ONCE
        reached = found[-1][0].position if found else position
        return known, reached if more else max(reached, settled), more
