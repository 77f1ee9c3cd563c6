"""Somebody who has things erased: asks, waits, and looks for what may be left."""

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import text

from models.erasure.erasures import Erasure, ErasureState, NewErasure
from models.erasure.receipts import Receipt
from models.principals import Principal, PrincipalKind
from store.erasure import log, requests
from store.tables import metadata
from tests.world import World


class Desk:
    """Asks for erasures in one tenant, as an operator who may."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.officer = world.principal("petra", PrincipalKind.HUMAN, "operator")
        self.second = world.principal("paul", PrincipalKind.HUMAN, "operator")

    async def erase(self, target: Mapping[str, Any], **fields: Any) -> Receipt:
        """Have something erased and wait for the receipt."""
        asked = await self.ask(target, **fields)
        return await self.receipt(asked.id)

    async def ask(self, target: Mapping[str, Any], who: Principal | None = None, **fields: Any) -> Erasure:
        new = NewErasure.model_validate({"target": dict(target), **fields})
        return await self.world.service.erasures.ask(who or self.officer, new)

    async def until(self, identity: UUID, *states: ErasureState) -> Erasure:
        """The erasure once it is in one of these states."""
        erasure = await self.erasure(identity)
        try:
            async with asyncio.timeout(60):
                while erasure.state not in states:
                    await asyncio.sleep(0.05)
                    erasure = await self.erasure(identity)
        except TimeoutError:
            raise AssertionError(f"is {erasure.state}, found {erasure.residue}") from None
        return erasure

    async def receipt(self, identity: UUID) -> Receipt:
        await self.until(identity, ErasureState.DONE)
        async with self.world.database.transaction(self.officer.tenant_id) as work:
            logged = await log.of_erasure(work, identity)
        assert logged is not None
        return logged.receipt

    async def erasure(self, identity: UUID) -> Erasure:
        async with self.world.database.transaction(self.officer.tenant_id) as work:
            erasure = await requests.get(work, identity)
        assert erasure is not None
        return erasure

    async def places_of(self, words: str) -> dict[str, int]:
        """In which tables of the tenant, and in how many of their rows, these words stand."""
        found: dict[str, int] = {}
        async with self.world.database.transaction(self.officer.tenant_id) as work:
            for name, table in sorted(metadata.tables.items()):
                if "tenant_id" not in table.c:
                    continue
                said = "t.tenant_id = :tenant AND strpos(lower(t::text), :words) > 0"
                query = text(f"SELECT count(*) AS n FROM {name} t WHERE {said}")
                row = await work.row(query, {"words": words.lower()})
                if row is not None and row.n:
                    found[name] = row.n
        return found
