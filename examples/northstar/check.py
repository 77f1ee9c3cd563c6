"""What must hold of every turn of the story, whoever plays it."""

from collections.abc import Iterator, Sequence

from examples.northstar.play import Heard


def faults(heard: Sequence[Heard]) -> list[str]:
    """All that was not as it should be: one line each."""
    return [fault for each in heard for fault in _faults_of(each)]


def _faults_of(heard: Heard) -> Iterator[str]:
    where = f"{heard.conversation.title}, day {heard.session.day}: {heard.turn.text!r}"
    for attribute, value in heard.turn.expects.items():
        if heard.reply.memory.get(attribute) != value:
            yield f"{where}: {attribute} is {heard.reply.memory.get(attribute)!r} and not {value!r}"
    for word in heard.turn.never:
        if word in heard.reply.context:
            yield f"{where}: {word!r} reached the context"
    for fact in heard.reply.records:
        if fact.attribute in {"shipment_status", "refund_eligibility"}:
            yield f"{where}: {fact.attribute} was remembered"
        if fact.authority == "model_inferred":
            yield f"{where}: the copilot's own word came back as {fact.attribute}"
