"""The copilot: recalls before it answers, asks the order system about orders, and proposes what it gathers.

It is a few rules and no model, so that the story plays the same each time. What it shows is the frame around a model:
which memories may reach the context, on whose word, and what is never remembered.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from keepwell import Keepwell
from keepwell.rendering import render
from keepwell.types import RecalledFactTold, TraceTold

from examples.northstar.orders import OrderDesk
from examples.northstar.story import Turn

_PREFERENCES = ("contact_channel", "reply_language", "form_of_address")


class Reply(NamedTuple):
    """What the copilot had before it and what it made of it. `memory` is by attribute, `records` as recalled.

    `asks` are the attributes that it asks a person about, as memory cannot decide them, and `looked_up` those that it
    takes from a system of record. `trace` says how the recall came about.
    """

    context: str
    memory: Mapping[str, str]
    records: tuple[RecalledFactTold, ...]
    asks: tuple[str, ...]
    looked_up: tuple[str, ...]
    trace: TraceTold
    text: str


class Copilot:
    """Answers customers, each in a scope of their own."""

    def __init__(self, memory: Keepwell, orders: OrderDesk) -> None:
        self._memory = memory
        self._orders = orders

    async def answer(self, customer: str, turn: Turn, day: int, now: datetime) -> Reply:
        """Recall for this customer alone, ask about the order, and answer."""
        recalled = await self._memory.recall(
            turn.text,
            scope={"user": customer},
            entities=[f"customer:{customer}", *turn.about],
            needs=["contact_channel", *(["shipment_status"] if turn.asks_order else [])],
            as_of=now,
            limit=20,
        )
        assert recalled.trace_id is not None
        trace = await self._memory.trace(recalled.trace_id)
        known = {fact.attribute: fact.value for fact in recalled.facts}
        # Facts alone: what was once said in a conversation may have ended since.
        context = render(recalled.facts, [])
        unknown = [need.attribute for need in recalled.unmet if need.fallback == "ask"]
        disputed = {each.attribute: each.question for each in recalled.conflicts if each.question}
        words = [f"By {known['contact_channel']}." if "contact_channel" in known else "How may we reach you?"]
        words += disputed.values()
        words += [f"In {known['reply_language']}."] if "reply_language" in known else []
        words += [
            f"Still to be done: {fact.value}." for fact in recalled.facts if fact.attribute == "commitment"
        ]
        if turn.asks_order is not None:
            words.append(self._about_order(customer, turn.asks_order, day))
        return Reply(
            context=context,
            memory=known,
            records=tuple(recalled.facts),
            asks=(*unknown, *disputed),
            looked_up=tuple(need.attribute for need in recalled.unmet if need.system == "orders"),
            trace=trace,
            text=" ".join(words),
        )

    def _about_order(self, customer: str, order_id: str, day: int) -> str:
        order = self._orders.look_up(customer, order_id, day)
        if order is None:
            return f"I find no order {order_id} of yours."
        refund = "can" if order.refund_eligible else "cannot"
        return f"Order {order_id} is {order.shipment_status} and {refund} be refunded."
