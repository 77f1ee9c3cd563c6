"""What a statement comes to, as whoever made it hears it: the verdict, where it came in time and may be told."""

import time
from datetime import UTC, datetime
from uuid import UUID

from capture.recording import Recorded
from models.errors import NotFound, Unavailable
from models.facts import Status, status_at
from models.principals import Principal
from models.readers import readable_by
from models.reconciliation import Verdict
from models.statements import Decided, Stated
from recall.memories import Memories
from runtime.commands import PATIENCE_SECONDS, Commands
from store import candidates, facts
from store.engine import Database
from store.policies import Policies

_GOVERNING = frozenset({Verdict.ESTABLISH, Verdict.RESTATE, Verdict.SUPERSEDE, Verdict.SCHEDULE})


class Answering:
    """Waits for verdicts for any principal."""

    def __init__(self, database: Database, policies: Policies, commands: Commands) -> None:
        self._database = database
        self._policies = policies
        self._commands = commands
        self._memories = Memories(database, policies)

    async def decided(self, principal: Principal, recorded: Recorded) -> Stated:
        """What came of a statement. Where nobody decides in time it stays stored, and says so.

        Whoever may state what they may not read hears that it is stored, and no more.
        """
        tenant = principal.tenant_id
        decided = await self._decision_on(tenant, recorded.candidate_id)
        patience = time.monotonic() + PATIENCE_SECONDS
        while decided is None and recorded.key_id is not None and time.monotonic() < patience:
            try:
                await self._commands.settle_key(tenant, recorded.key_id)
            except Unavailable:
                patience = 0.0
            decided = await self._decision_on(tenant, recorded.candidate_id)
        if decided is not None and not await self._may_hear(principal, decided):
            # The verdict would tell what is there: that it says the same, or something else.
            decided = None
        receipt = recorded.receipt
        governs = decided is not None and await self._governs(tenant, decided)
        return Stated(receipt.event_id, receipt.activity_id, receipt.duplicate, decided, governs)

    async def _may_hear(self, principal: Principal, decided: Decided) -> bool:
        """Whether a decision is told: to readers of the class, and to the person whom the record is about."""
        policy = await self._policies.of(principal.tenant_id)
        if readable_by(policy, principal).shows(decided.attribute):
            return True
        concerned = decided.target_id or decided.fact_id
        if concerned is None:
            return False
        try:
            await self._memories.get(principal, concerned, datetime.now(UTC))
        except NotFound:
            return False
        return True

    async def _decision_on(self, tenant_id: UUID, candidate_id: UUID) -> Decided | None:
        async with self._database.transaction(tenant_id) as work:
            return await candidates.decision_on(work, candidate_id)

    async def _governs(self, tenant_id: UUID, decided: Decided) -> bool:
        """Whether what was stated holds now: it may be meant for later, or be over by now."""
        fact_id = decided.fact_id or decided.target_id
        if decided.verdict not in _GOVERNING or fact_id is None:
            return False
        async with self._database.transaction(tenant_id) as work:
            fact = await facts.get(work, fact_id)
        return fact is not None and status_at(fact, datetime.now(UTC)) is Status.ACTIVE
