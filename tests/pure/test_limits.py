"""How often one may call: what a bucket holds, and that nobody pays for another."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import TooManyRequests
from models.principals import Principal, PrincipalKind
from surfaces.http import limits
from surfaces.http.limits import Bucket, RateLimit, drawn

HUMAN, AGENT, SYSTEM = PrincipalKind


def who(subject: str = "dana", kind: PrincipalKind = HUMAN, tenant: str = "acme", **more: Any) -> Principal:
    return Principal(tenant=tenant, subject=subject, kind=kind, **more)


@pytest.mark.parametrize(
    ("bucket", "now", "per_second", "size", "after", "wait"),
    [
        pytest.param(None, 5.0, 1.0, 10.0, Bucket(9.0, 5.0), 0.0, id="none yet"),
        pytest.param(Bucket(9.0, 5.0), 5.0, 1.0, 10.0, Bucket(8.0, 5.0), 0.0, id="again at once"),
        pytest.param(Bucket(1.0, 5.0), 5.0, 1.0, 10.0, Bucket(0.0, 5.0), 0.0, id="the last token"),
        pytest.param(Bucket(0.0, 5.0), 5.0, 1.0, 10.0, Bucket(0.0, 5.0), 1.0, id="empty"),
        pytest.param(Bucket(0.5, 5.0), 5.0, 2.0, 10.0, Bucket(0.5, 5.0), 0.25, id="half a token"),
        pytest.param(Bucket(0.0, 5.0), 5.5, 1.0, 10.0, Bucket(0.5, 5.5), 0.5, id="half a token later"),
        pytest.param(Bucket(0.0, 5.0), 6.0, 1.0, 10.0, Bucket(0.0, 6.0), 0.0, id="one token later"),
        pytest.param(Bucket(0.0, 5.0), 8.0, 1.0, 10.0, Bucket(2.0, 8.0), 0.0, id="three tokens later"),
        pytest.param(Bucket(0.0, 5.0), 1e9, 1.0, 10.0, Bucket(9.0, 1e9), 0.0, id="never more than full"),
        pytest.param(Bucket(0.0, 5.0), 5.0, 0.1, 10.0, Bucket(0.0, 5.0), 10.0, id="a slow one"),
    ],
)
def test_what_a_bucket_holds(
    bucket: Bucket | None, now: float, per_second: float, size: float, after: Bucket, wait: float
) -> None:
    assert drawn(bucket, now, per_second, size) == (after, wait)


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=200),
    st.floats(0.5, 50),
    st.floats(1, 100),
)
def test_no_more_pass_than_the_rate_allows(pauses: list[float], per_second: float, size: float) -> None:
    """Over any time: a full bucket, and what came since. And whoever waits as long as they were told passes."""
    bucket: Bucket | None = None
    now, passed = 0.0, 0
    for pause in pauses:
        now += pause
        bucket, wait = drawn(bucket, now, per_second, size)
        assert 0 <= bucket.tokens <= size
        passed += wait == 0
        assert passed <= size + now * per_second + 1e-6
        assert wait == 0 or drawn(bucket, now + wait + 1e-9, per_second, size)[1] == 0


def test_a_burst_and_then_the_rate() -> None:
    clock = 0.0
    rate = RateLimit(20, clock=lambda: clock)
    for _ in range(40):
        rate.require(who())
    with pytest.raises(TooManyRequests, match="20 calls a second") as refused:
        rate.require(who())
    assert refused.value.retry_after == pytest.approx(1 / 20)
    clock = 1.0
    for _ in range(20):
        rate.require(who())
    with pytest.raises(TooManyRequests):
        rate.require(who())


def test_even_the_slowest_rate_lets_ten_through() -> None:
    rate = RateLimit(0.01, clock=lambda: 0.0)
    for _ in range(10):
        rate.require(who())
    with pytest.raises(TooManyRequests) as refused:
        rate.require(who())
    assert math.isclose(refused.value.retry_after, 100)


def test_nobody_pays_for_another() -> None:
    """Another subject, kind or tenant is somebody else; another key, role or narrower reach is not."""
    rate = RateLimit(1, clock=lambda: 0.0)
    for _ in range(10):
        rate.require(who())
    for same in (who(roles=("admin",)), who(within={"workspace": "a"}), who(only=frozenset())):
        with pytest.raises(TooManyRequests):
            rate.require(same)
    for other in (who("sam"), who(kind=AGENT), who(kind=SYSTEM), who(tenant="acme-corp")):
        rate.require(other)


def test_whoever_calls_is_not_forgotten_for_those_who_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for so many buckets. It is the one that was silent for longest that goes."""
    monkeypatch.setattr(limits, "_MOST_BUCKETS", 3)
    rate = RateLimit(1, clock=lambda: 0.0)
    for number in range(10):
        rate.require(who())
        rate.require(who(f"once-{number}"))
    with pytest.raises(TooManyRequests):
        rate.require(who())
    assert len(rate._buckets) <= 3
