"""Resume: have every promise that Postgres knows of seen to again, after Temporal's store was lost or set back."""

from collections import Counter

from runtime import addresses
from runtime.settings import Settings
from store import tenants, unfinished
from store.engine import Database, Role
from store.outbox import Kind


async def resume(settings: Settings) -> Counter[Kind]:
    """Hand over what is not done, of all tenants; how much of each kind. Raises `Unavailable`.

    Safe at any time: a workflow that runs already looks once more, and what is done is done by nobody again.
    """
    url = addresses.find(settings).database_url
    found = Counter[Kind]()
    async with Database(url, pool_size=1) as database, Database(url, Role.RELAY, pool_size=1) as relay:
        async with relay.relay() as work:
            known = await tenants.every(work)
        for tenant_id in known:
            async with database.transaction(tenant_id) as work:
                found += await unfinished.hand_over(work)
    return found
