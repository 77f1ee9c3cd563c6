"""Calls about the tenant's policy: read it, change it, and see who changed it."""

from collections.abc import Mapping
from typing import Any, overload

from keepwell.calls import Calls, request_from
from keepwell.types import NewPolicy, PolicyApplied, PolicyChangeTold, PolicyLog, PolicyTold


class PolicyCalls(Calls):
    """The policy, its changes and their log."""

    async def policy(self, version: int | None = None) -> PolicyTold:
        """The policy that is in force; one that was once applied, for an administrator who names its version."""
        params = {} if version is None else {"version": str(version)}
        return await self._transport.call("GET", "/v1/policy", PolicyTold.model_validate_json, params=params)

    @overload
    async def apply_policy(self, policy: NewPolicy | Mapping[str, Any], /) -> PolicyChangeTold: ...

    @overload
    async def apply_policy(
        self,
        /,
        *,
        content: str,
        reason: str,
        dry_run: bool | None = None,
        expected_version: int | None = None,
    ) -> PolicyChangeTold: ...

    async def apply_policy(
        self, policy: NewPolicy | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> PolicyChangeTold:
        """Apply a policy, or with `dry_run` see which memories that would touch and what it takes from whom.

        Where it may have been applied, as after a lost answer, it is not sent again, since that would be refused
        as a change to what is in force already: see `policy_log`.
        """
        like = 'apply_policy(content="…", reason="…", dry_run=True)'
        body = request_from(NewPolicy, policy, fields, like=like)
        return await self._transport.call(
            "POST",
            "/v1/policy",
            PolicyChangeTold.model_validate_json,
            body=body.as_json(),
            repeatable=body.dry_run,
        )

    async def policy_log(self) -> list[PolicyApplied]:
        """The latest changes of the policy, newest first, with who made them and why."""
        told = await self._transport.call("GET", "/v1/policy/log", PolicyLog.model_validate_json)
        return told.changes
