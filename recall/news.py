"""News: what was decided on the caller's words, and what became of the memories that rest on them."""

from models.news import News, NewsPosition
from models.policy import Policy
from models.principals import Principal
from models.verbs import Verb
from store import news
from store.engine import Database
from store.tenants import KnownTenants

MOST_AT_ONCE = 100


class NewsReader:
    """Reads news for any principal."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self._database = database
        self._policy = policy
        self._tenants = KnownTenants()

    async def now(self, principal: Principal) -> NewsPosition:
        """The position after which everything is still to come. Raises `NotFound` for an unknown tenant."""
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            return await news.now(work)

    async def after(
        self, principal: Principal, position: NewsPosition
    ) -> tuple[list[News], NewsPosition, bool]:
        """News after `position`, the position reached, and whether there may be more at once.

        What lies in a scope that the principal may not read is passed over.
        """
        async with self._database.transaction(principal.tenant_id) as work:
            found = await news.after(work, principal, position, MOST_AT_ONCE)
        known = [each for each, scope in found if self._policy.may_know(principal, Verb.READ, scope)]
        reached = found[-1][0].position if found else position
        return known, reached, len(found) == MOST_AT_ONCE
