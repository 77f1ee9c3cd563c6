"""Attribution for whoever reads the whole tenant: what memory was good for in a period."""

from collections import Counter
from datetime import UTC, datetime

from models.attribution import Attribution, AttributionQuery, Loss, funnel, paired_effect
from models.controls import catalogue
from models.errors import InvalidInput
from models.principals import Principal
from models.readers import readable_by
from models.scope import Scope, parse_scope
from models.verbs import Verb
from store import attribution
from store.attribution import Period
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants


class Attributions:
    """Counts for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def of(self, principal: Principal, query: AttributionQuery) -> Attribution:
        """The funnel, the triggers and the paired effect of the recalls of a period, as of one instant.

        Raises `NotPermitted` for whoever does not read the whole tenant, and `InvalidInput` for a period that ends
        before it begins or a scope that nobody can ask in.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        policy.require(principal, Verb.READ, Scope({}))
        since, until = query.period(datetime.now(UTC))
        if since >= until:
            raise InvalidInput("lies after the end of the period; give an earlier one", field="since")
        period = Period(parse_scope(query.scope, policy.dimensions), since, until)
        async with self._database.snapshot(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            recalls = await attribution.recalls(work, period)
            readable, known = readable_by(policy, principal, present), catalogue(policy)
            ended = await attribution.ended(work, period, readable, known)
            triggers = await attribution.triggers(work, period, readable, known)
            pairs = await attribution.pairs(work, period)
        by_kind: dict[str, Counter[Loss | None]] = {"fact": Counter(), "passage": Counter()}
        for each in ended:
            by_kind[each.kind][each.loss] += each.records
        return Attribution(
            scope=dict(period.scope),
            since=since,
            until=until,
            recalls=recalls.made,
            reported=recalls.reported,
            funnels=(funnel("fact", by_kind["fact"]), funnel("passage", by_kind["passage"])),
            triggers=tuple(triggers),
            pairs=paired_effect(pairs),
        )
