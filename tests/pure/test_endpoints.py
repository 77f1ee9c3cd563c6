"""What may be registered as an endpoint, and which secrets sign."""

import base64
from uuid import UUID

import pytest

from models.endpoints import Allowed, NewEndpoint, require_reachable, rotated, secret_of
from models.errors import InvalidInput

TENANT = UUID(int=7)


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("https://169.254.169.254/latest/meta-data", "name another host"),
        ("https://10.0.0.7/in", "KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("http://hooks.example.org/in", "https"),
    ],
)
def test_a_webhook_that_goes_nowhere_public_is_refused_with_the_remedy(address: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy) as refused:
        require_reachable(NewEndpoint(name="hooks", address=address), TENANT, Allowed())
    assert refused.value.field == "address"


def test_what_the_operator_allows_is_taken_and_no_more() -> None:
    new = NewEndpoint(name="hooks", address="http://10.0.0.7:8080/in")
    require_reachable(new, TENANT, Allowed(hosts={"10.0.0.7:8080"}))
    with pytest.raises(InvalidInput):
        require_reachable(new, TENANT, Allowed(hosts={"10.0.0.7:8443"}))


def test_two_secrets_sign_at_most_the_newest_first() -> None:
    first, second, third = (secret_of(bytes([n]) * 32) for n in range(3))
    assert base64.b64decode(first.removeprefix("whsec_")) == bytes(32)
    assert rotated([first], second) == [second, first]
    assert rotated([second, first], third) == [third, second]
