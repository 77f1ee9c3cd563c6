"""Serve the application until the process is asked to end; then finish what has been begun."""

import asyncio
import gc
import socket
from types import FrameType

import uvicorn

from models.errors import Unavailable
from runtime import addresses
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.authentication.oidc import verifier_of
from runtime.bell import hung_bell
from runtime.embedder import opened_embedder
from runtime.embedding import require_match
from runtime.masking import masker_of
from runtime.policy_file import load_policy
from runtime.readiness import Readiness
from runtime.reranker import opened_reranker
from runtime.service import Service
from runtime.settings import DEFAULT_HTTP_PORT, Settings
from runtime.temporal import connect
from store import occurrences
from store.engine import Database
from store.news import CHANNEL
from store.policies import Policies
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import Places, RateLimit, export_places
from surfaces.http.protocol import Protocol

POOL_SIZE = 20
BACKLOG = 2_048
DRAIN_SECONDS = 15
"""How long calls that are under way may take once the process is to end."""


class Server(uvicorn.Server):
    """A server that tells its streams when it is to end, so that they do not hold it up."""

    def __init__(self, config: uvicorn.Config, api: Api) -> None:
        super().__init__(config)
        self._api = api
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; a second signal does not wait for calls under way."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._loop.call_soon_threadsafe(self._drain)

    def _drain(self) -> None:
        self._api.draining.set()
        self._api.bell.ring_all()
        self._api.inbox_bell.ring_all()


async def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT.

    Raises `Unavailable` where Postgres does not answer or the port is taken, and the errors of settings, policy,
    masking key and embedder. Temporal may be away: what waits for it is kept.
    """
    shipped = load_policy(settings.policy)
    where = addresses.find(settings)
    client = await connect(where.temporal_address, settings.temporal_namespace, lazy=True)
    masker = masker_of(settings)
    await asyncio.to_thread(masker.warm)
    with _bound(settings) as listening:
        async with (
            Database(where.database_url, pool_size=POOL_SIZE) as database,
            hung_bell(where.database_url, CHANNEL) as bell,
            hung_bell(where.database_url, occurrences.CHANNEL) as inbox_bell,
            opened_embedder(settings) as embedder,
            opened_reranker(settings) as reranker,
        ):
            await require_match(database, embedder)
            # One for all: a change that is made here is obeyed here at once.
            policies = Policies(database, shipped)
            keys = ApiKeys(database, policies)
            api = Api(
                service=Service(
                    database,
                    policies,
                    client,
                    masker=masker,
                    task_queue=settings.task_queue,
                    embedder=embedder,
                    reranker=reranker,
                    webhook_hosts=settings.webhook_allowed_hosts,
                    signal_targets=settings.signal_targets,
                ),
                keys=keys,
                authenticator=Authenticator(keys, verifier_of(settings)),
                rate=RateLimit(settings.requests_per_second),
                streams=Places(),
                exports=export_places(),
                bell=bell,
                inbox_bell=inbox_bell,
                readiness=Readiness(database, client, task_queue=settings.task_queue),
                draining=asyncio.Event(),
            )
            config = uvicorn.Config(
                build(api, settings.oidc_issuer),
                http=Protocol,
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
            # What is there by now stays for good: the collector need not go through it again and again.
            gc.collect()
            gc.freeze()
            await Server(config, api).serve(sockets=[listening])


def _bound(settings: Settings) -> socket.socket:
    """The socket to serve on; raises `Unavailable` where the port is taken."""
    host, port = settings.http_host, settings.http_port or DEFAULT_HTTP_PORT
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as taken:
        raise Unavailable(
            f"cannot listen on {host}:{port}; choose another with KEEPWELL_HTTP_HOST and KEEPWELL_HTTP_PORT"
        ) from taken
    # Connections inherit it. Without, the second half of an answer waits 40 ms for the first to be acknowledged.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
