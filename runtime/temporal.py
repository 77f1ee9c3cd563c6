"""The connection to a Temporal server."""

from temporalio.client import Client
from temporalio.service import RPCError

from models.errors import Unavailable
from runtime.plugin import keepwell_plugin


async def connect(address: str, namespace: str, *, lazy: bool = False) -> Client:
    """A client that speaks our messages; raises `Unavailable` when the server does not answer.

    A `lazy` one connects with its first call, for a process that can do most of its work without.
    """
    try:
        return await Client.connect(address, namespace=namespace, plugins=[keepwell_plugin()], lazy=lazy)
    except (RPCError, RuntimeError) as lost:
        raise Unavailable(
            f"Temporal does not answer at {address}; check that it runs (keepwell up starts one)"
        ) from lost
