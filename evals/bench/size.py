"""How much a run does."""

from typing import NamedTuple


class Size(NamedTuple):
    """Counts; those of work are for one round."""

    rounds: int
    singles: int
    batches: int
    of_each_client: int
    records: int
    other_tenants: int
    records_of_others: int
    recalls: int
    worst_recalls: int
    statements: int
    idle_samples: int
    activities: int
    loads: int
    load_seconds: float
    recalls_held: int
    tenants: int
    records_of_usual: int
    records_of_largest: int
    recalls_of_largest: int
    herd: int
    lone_timers: int
    lone_rounds: int
    pending: int
    outages: bool
    due_in_minute: int
    minute_seconds: float
    cues: int


FULL = Size(
    rounds=5,
    singles=80,
    batches=8,
    of_each_client=15,
    records=10_000,
    other_tenants=4,
    records_of_others=1_500,
    recalls=100,
    worst_recalls=10,
    statements=60,
    idle_samples=30,
    activities=100,
    loads=2,
    load_seconds=60.0,
    recalls_held=10_000,
    tenants=2_000,
    records_of_usual=450,
    records_of_largest=100_000,
    recalls_of_largest=40,
    herd=5_000,
    lone_timers=300,
    lone_rounds=3,
    pending=5_000,
    outages=True,
    due_in_minute=500,
    minute_seconds=60.0,
    cues=1_000_000,
)
QUICK = Size(
    rounds=2,
    singles=3,
    batches=1,
    of_each_client=2,
    records=60,
    other_tenants=1,
    records_of_others=20,
    recalls=4,
    worst_recalls=2,
    statements=3,
    idle_samples=2,
    activities=4,
    loads=1,
    load_seconds=1.2,
    recalls_held=20,
    tenants=4,
    records_of_usual=40,
    records_of_largest=80,
    recalls_of_largest=4,
    herd=50,
    lone_timers=5,
    lone_rounds=1,
    pending=60,
    outages=False,
    due_in_minute=20,
    minute_seconds=6.0,
    cues=1_000,
)
