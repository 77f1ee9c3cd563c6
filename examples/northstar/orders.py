"""The order system of the example: what it says is so, whatever anybody remembers."""

from typing import NamedTuple


class Order(NamedTuple):
    """An order as the shop's own system has it."""

    customer: str
    shipment_status: str
    refund_eligible: bool


class OrderDesk:
    """Answers for orders, to the day of the story. Asked by id, and never about somebody else's order."""

    def __init__(self, orders: dict[str, list[tuple[int, Order]]]) -> None:
        self._orders = orders

    def look_up(self, customer: str, order_id: str, day: int) -> Order | None:
        """The order as it stands on `day`; None where this customer has no such order by then."""
        known = [order for since, order in self._orders.get(order_id, []) if since <= day]
        return known[-1] if known and known[-1].customer == customer else None
