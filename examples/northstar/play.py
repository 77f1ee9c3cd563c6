"""Play the story: every party speaks with a key of its own, and the copilot answers after each turn."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from keepwell import Keepwell
from keepwell.errors import InvalidInput

from examples.northstar.copilot import Copilot, Reply
from examples.northstar.story import Conversation, Saying, Session, Story, Turn

_NAMED = "northstar "
"""How the names of this story's keys begin."""

Opened = Callable[[str], Keepwell]
"""A client for an API key."""


class Heard(NamedTuple):
    """One turn with the copilot's reply to it, and how many statements the service refused to remember."""

    conversation: Conversation
    session: Session
    turn: Turn
    reply: Reply
    refused: int


class Players:
    """The parties of the story, each a client with a key that speaks for nobody else."""

    def __init__(self, clients: dict[str, Keepwell]) -> None:
        self._clients = clients

    def __getitem__(self, party: str) -> Keepwell:
        return self._clients[party]


@asynccontextmanager
async def keys_for(story: Story, admin: Keepwell) -> AsyncGenerator[dict[str, str]]:
    """A key for every party: customers, the desk, the order system, the copilot. They end with the play.

    Those that a play has left behind which died halfway end first.
    """
    await _revoke_keys(admin)
    try:
        yield await _make_keys(story, admin)
    finally:
        await _revoke_keys(admin)


async def _revoke_keys(admin: Keepwell) -> None:
    for key in await admin.keys():
        if key.name.startswith(_NAMED) and key.revoked_at is None:
            await admin.revoke_key(key.id)


async def _make_keys(story: Story, admin: Keepwell) -> dict[str, str]:
    parties: dict[str, tuple[str, list[str]]] = {name: ("human", ["customer"]) for name in story.customers}
    parties |= {"desk": ("human", ["desk"]), "orders": ("system", []), "copilot": ("agent", ["copilot"])}
    made: dict[str, str] = {}
    for name, (kind, roles) in parties.items():
        key = {"name": f"{_NAMED}{name}", "subject": name, "kind": kind, "roles": roles}
        made[name] = (await admin.create_key(key)).token
    return made


async def play(story: Story, admin: Keepwell, opened: Opened, until: datetime) -> list[Heard]:
    """Play all sessions in the order of their days, the last of them at `until`."""
    sittings = story.sittings()
    first = until - timedelta(days=sittings[-1][1].day, hours=1)
    heard: list[Heard] = []
    async with AsyncExitStack() as stack:
        keys = await stack.enter_async_context(keys_for(story, admin))
        clients = {name: await stack.enter_async_context(opened(key)) for name, key in keys.items()}
        copilot = Copilot(clients["copilot"], story.desk())
        for conversation, session in sittings:
            for number, turn in enumerate(session.turns):
                now = first + timedelta(days=session.day, minutes=number)
                scene = _Scene(Players(clients), conversation, session, first, now)
                refused = await scene.play(turn)
                reply = await copilot.answer(
                    conversation.customer, turn, session.day, now + timedelta(seconds=30)
                )
                heard.append(Heard(conversation, session, turn, reply, refused))
    return heard


class _Scene(NamedTuple):
    """One turn of one session, in its customer's scope."""

    players: Players
    conversation: Conversation
    session: Session
    first: datetime
    now: datetime

    @property
    def scope(self) -> dict[str, str]:
        return {"user": self.conversation.customer}

    async def play(self, turn: Turn) -> int:
        """All that is said in the turn; how many statements were refused."""
        customer = self.conversation.customer
        await self._publish(customer, "message", turn.text)
        if turn.page is not None:
            await self._publish("copilot", "tool_result", turn.page)
        for attribute in turn.takes_back:
            await self._retract(customer, attribute, None)
        for value in turn.done:
            await self._retract("desk", "commitment", value)
        refused = 0
        for saying in (*turn.confirms, *turn.proposes):
            refused += not await self._state(saying)
        return refused

    async def _publish(self, by: str, kind: Literal["message", "tool_result"], text: str) -> None:
        await self.players[by].publish(
            type=kind,
            text=text,
            occurred_at=self.now,
            activity_id=f"{self.conversation.customer}: {self.conversation.title}/{self.session.day}",
            scope=self.scope,
        )

    async def _state(self, saying: Saying) -> bool:
        """Whether the service took a statement in; one about what a system of record holds it refuses."""
        expires = None if saying.expires_on is None else self.first + timedelta(days=saying.expires_on)
        try:
            await self.players[saying.by].remember(
                scope=self.scope,
                entity=saying.entity or f"customer:{self.conversation.customer}",
                attribute=saying.attribute,
                value=saying.value,
                ends_when=saying.ends_when,
                expires_at=expires,
                occurred_at=self.now,
            )
        except InvalidInput:
            return False
        return True

    async def _retract(self, by: str, attribute: str, value: str | None) -> None:
        recalled = await self.players[by].recall(
            scope=self.scope, entities=[f"customer:{self.conversation.customer}"], as_of=self.now, limit=50
        )
        for fact in recalled.facts:
            if fact.attribute == attribute and value in (None, fact.value):
                await self.players[by].retract(fact.id, text="It is taken back.", occurred_at=self.now)
