"""What must hold of every turn of the story, whoever plays it."""

from collections.abc import Iterator, Sequence

from examples.northstar.play import Heard


def faults(heard: Sequence[Heard]) -> list[str]:
    """All that was not as it should be: one line each."""
    return [
        f"{each.conversation.title}, day {each.session.day}: {each.turn.text!r}: {fault}"
        for each in heard
        for fault in (*_of_memory(each), *_of_questions(each), *_of_records(each))
    ]


def _of_memory(heard: Heard) -> Iterator[str]:
    """What should have been known and was not, and what should not have been."""
    for attribute, value in heard.turn.expects.items():
        if heard.reply.memory.get(attribute) != value:
            yield f"{attribute} is {heard.reply.memory.get(attribute)!r} and not {value!r}"
    for word in heard.turn.never:
        if word in heard.reply.context:
            yield f"{word!r} reached the context"


def _of_questions(heard: Heard) -> Iterator[str]:
    """Where memory cannot decide, the copilot asks; where it can, it does not."""
    for attribute in heard.turn.asks:
        if attribute not in heard.reply.asks:
            yield f"did not ask about {attribute}"
    for attribute in heard.reply.asks:
        if attribute in heard.turn.expects and attribute not in heard.turn.asks:
            yield f"asked about {attribute}, which is known"
    if heard.turn.asks_order is not None and "shipment_status" not in heard.reply.looked_up:
        yield "was not sent to the order system for shipment_status"


def _of_records(heard: Heard) -> Iterator[str]:
    """Each record is there by right, and the trace says why."""
    why = {entry.id: entry.reasons for entry in heard.reply.trace.entries if entry.fate == "selected"}
    for fact in heard.reply.records:
        if not why.get(fact.id):
            yield f"the trace does not say why {fact.attribute} is there"
        if fact.attribute in {"shipment_status", "refund_eligibility"}:
            yield f"{fact.attribute} was remembered"
        if fact.authority == "model_inferred":
            yield f"the copilot's own word came back as {fact.attribute}"
