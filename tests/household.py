"""People and what is remembered about them, for tests of what a person may do with it."""

from typing import Any
from uuid import UUID

from models.principals import Principal, PrincipalKind
from models.recall import RecallAnswer, RecallRequest
from models.statements import Decided, Statement
from tests.world import World

HUMAN, AGENT, SYSTEM = PrincipalKind
CHAT = {"conversation": "c-1"}


class Household:
    """A tenant with Ana, who is a mere developer, and others who say things about her."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.service = world.service
        self.ana = world.principal("ana", HUMAN, "developer")
        self.operator = world.principal("olga", HUMAN, "operator")
        self.admin = world.principal("root", HUMAN, "admin")

    def person(self, subject: str, *roles: str) -> Principal:
        """Somebody else, in the role of somebody who speaks for themselves unless another is given."""
        return self.world.principal(subject, HUMAN, *(roles or ("user",)))

    async def state(self, who: Principal, attribute: str, value: str, **said: Any) -> Decided:
        """What was decided on a statement, about Ana unless it has another scope."""
        whole = {"scope": {"user": "ana"}, "attribute": attribute, "value": value, **said}
        stated = await self.service.remember(who, Statement.model_validate(whole))
        assert stated.decided is not None
        return stated.decided

    async def remembered(self, who: Principal, attribute: str, value: str, **said: Any) -> UUID:
        """The fact that a statement made."""
        decided = await self.state(who, attribute, value, **said)
        assert decided.fact_id is not None, decided
        return decided.fact_id

    async def recall(self, **fields: Any) -> RecallAnswer:
        """A recall in Ana's scope by somebody who may, unless another is asked for."""
        asked = {"scope": {"user": "ana"}, "query": "tea coffee email phone", **fields}
        return await self.service.recall(self.operator, RecallRequest.model_validate(asked))

    async def values(self, **fields: Any) -> set[str]:
        """The values of the facts that a recall brings back."""
        return {fact.value for fact in (await self.recall(**fields)).facts}
