"""Changing the policy of a tenant: tell what is in force and what was, what a change would touch, and apply it.

Whatever is applied is a new version with its reason and who applied it; no version is rewritten or taken back.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from capture.masking import Masker
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.grant_change import grants_lost
from models.policy import Policy
from models.policy_change import Effect, Reckoning
from models.policy_document import digest_of, document_of
from models.policy_proposal import NewPolicy, PolicyChange
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb
from runtime.policy_file import sent_policy, written_policy
from store import existing, policies, tenants
from store.engine import Database
from store.policies import Applied, InForce, Policies
from store.unit_of_work import UnitOfWork


class PolicyRead(NamedTuple):
    """A policy as it is read. `content` is YAML, as it was applied, and is told to administrators alone."""

    version: int
    digest: str
    document: dict[str, Any]
    content: str | None


class PolicyChanges:
    """Reads and changes policies for any principal."""

    def __init__(self, database: Database, known: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = known
        self._masker = masker

    async def in_force(self, principal: Principal) -> PolicyRead:
        """The policy that is in force; raises `NotPermitted` for whoever may read nothing anywhere.

        Version 0 is the one that the process was started with, written anew, without its comments.
        """
        version, policy, _ = await self._policies.in_force(principal.tenant_id)
        policy.require_anywhere(principal, Verb.READ)
        content = None
        if policy.allows(principal, Verb.ADMINISTER, Scope({})):
            content = await self._content(principal, version) or written_policy(policy)
        return PolicyRead(version, digest_of(policy), document_of(policy), content)

    async def of_version(self, principal: Principal, version: int) -> PolicyRead:
        """A policy as it was once applied; raises `NotPermitted` for whoever does not administer, and `NotFound`."""
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            found = await policies.content_of(work, version)
        if found is None:
            raise NotFound("no such version was applied; the log has all that there are")
        policy, content = found
        return PolicyRead(version, digest_of(policy), document_of(policy), content)

    async def log(self, principal: Principal) -> Sequence[Applied]:
        """The latest changes, newest first; raises `NotPermitted` for whoever does not administer."""
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            return await policies.log(work)

    async def apply(self, principal: Principal, new: NewPolicy) -> PolicyChange:
        """Apply a policy, or with `dry_run` tell what that would do. This process obeys it at once.

        | the change | raises |
        | --- | --- |
        | is asked for by somebody who does not administer the whole tenant, or by an agent | `NotPermitted` |
        | holds a secret, or is made for a reason that does | `InvalidInput` |
        | cannot be read | `InvalidInput`, naming the line |
        | would leave whoever asks unable to change the policy again | `InvalidInput` |
        | was made from a version that is not in force by now | `Conflict` |
        | says what the tenant's own policy in force says already | `Conflict` |
        """
        await self._require_administrator(principal)
        if principal.kind is PrincipalKind.AGENT:
            raise NotPermitted("no agent changes the policy, whatever its roles; a person or a system may")
        # Looking through a long document and reading it take a while, and other calls need not wait for it.
        said = {"reason": new.reason, "content": new.content}
        await asyncio.to_thread(self._masker.require_none, principal.tenant_id, said)
        policy = await asyncio.to_thread(sent_policy, new.content)
        if not policy.allows(principal, Verb.ADMINISTER, Scope({})):
            raise InvalidInput(
                "with this policy you could not change it again; leave a role of yours the verb administer, with"
                " tenant_wide",
                field="content",
            )
        # A change is made from what is in force, whatever this process has known so far.
        self._policies.changed(principal.tenant_id)
        before = await self._policies.in_force(principal.tenant_id)
        before.policy.require(principal, Verb.ADMINISTER, Scope({}))
        _require_follows(before, policy, new.expected_version)
        now = datetime.now(UTC)
        version = before.version + 1
        async with self._database.transaction(principal.tenant_id) as work:
            if not await tenants.exists(work, work.tenant_id):
                raise NotFound(f"unknown tenant; make it with: keepwell tenants add {principal.tenant}")
            effects = await _effects(work, before.policy, policy, now)
            if not new.dry_run and not await policies.add(
                work, version, new.content, policy, principal, new.reason
            ):
                raise Conflict(_OVERTAKEN, field="expected_version")
        if not new.dry_run:
            self._policies.changed(principal.tenant_id)
        return PolicyChange(
            version, digest_of(policy), not new.dry_run, effects, grants_lost(before.policy, policy)
        )

    async def _content(self, principal: Principal, version: int) -> str | None:
        if version == 0:
            return None
        async with self._database.transaction(principal.tenant_id) as work:
            found = await policies.content_of(work, version)
        return None if found is None else found[1]

    async def _require_administrator(self, principal: Principal) -> None:
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, Verb.ADMINISTER, Scope({}))


_OVERTAKEN = "another version is in force by now; look at that one, and make the change from it"


def _require_follows(before: InForce, policy: Policy, expected: int | None) -> None:
    if expected not in (None, before.version):
        raise Conflict(_OVERTAKEN, field="expected_version")
    if before.version > 0 and policy == before.policy:
        raise Conflict("says what the policy in force says, comments aside; there is nothing to change")


async def _effects(work: UnitOfWork, old: Policy, new: Policy, now: datetime) -> tuple[Effect, ...]:
    reckoning = Reckoning(old, new, now)
    async for portion in existing.portions(work, old, new, now):
        # Thousands of values are read as their types say, and other calls need not wait for that.
        await asyncio.to_thread(reckoning.take, portion)
    return reckoning.effects()
