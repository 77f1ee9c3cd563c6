"""Switches: a person says that no memories of a class are to be held about them, or that they may be again."""

from models.controls import Switch, SwitchState, require_in_person, require_switchable, switchable
from models.principals import Principal
from models.verbs import Verb
from store import switches
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants


class Switches:
    """Takes and tells switches of persons."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def turn(self, principal: Principal, class_name: str, state: SwitchState) -> Switch:
        """Switch a class off or on for the principal; as it is already, it stays as it was.

        It holds once this returns, for every call that begins then. Raises `NotPermitted` for whoever is no
        person or calls with a credential for less, `InvalidInput` for a class that nobody can switch off, and
        `NotFound` for an unknown tenant.
        """
        policy = await self._policies.of(principal.tenant_id)
        require_in_person(policy, principal, Verb.RETRACT)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            there = (await switches.of(work, [principal.subject]))[principal.subject]
            settled = there.is_settled(policy, class_name, state)
            now = there.of_class(policy, class_name)
            current = now.state if settled or state is SwitchState.OFF else SwitchState.OFF
            require_switchable(policy, class_name, state, current)
            if settled:
                return now
            memory_class = policy.classes.get(class_name)
            return await switches.turn(
                work,
                principal.subject,
                class_name,
                state,
                there.covered_by(policy, class_name, state),
                as_personal=memory_class is not None and memory_class.personal is not None,
            )

    async def every(self, principal: Principal) -> list[Switch]:
        """How the principal has each class that can be switched, or that they have switched off, by name."""
        policy = await self._policies.of(principal.tenant_id)
        require_in_person(policy, principal)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            there = (await switches.of(work, [principal.subject]))[principal.subject]
        told = [there.of_class(policy, name) for name in sorted(switchable(policy) | there.classes.keys())]
        return [
            each for each in told if each.class_name in switchable(policy) or each.state is SwitchState.OFF
        ]
