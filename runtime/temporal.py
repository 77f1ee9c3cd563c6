"""The connection to a Temporal server."""

from temporalio.client import Client
from temporalio.service import RPCError

from models.errors import Unavailable
from runtime.plugin import keepwell_plugin


async def connect(address: str, namespace: str) -> Client:
    """A client that speaks our messages; raises `Unavailable` when the server does not answer."""
    try:
        return await Client.connect(address, namespace=namespace, plugins=[keepwell_plugin()])
    except (RPCError, RuntimeError) as lost:
        raise Unavailable(
            f"Temporal does not answer at {address}; check that it runs (keepwell up starts one)"
        ) from lost
