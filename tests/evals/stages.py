"""Stages for the measured paths: a database of its own, so that the worker of other tests does none of its work."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.engine import make_url
from temporalio.client import Client

from evals.write.stage import Stage, opened_stage
from models.policy import Policy
from runtime.addresses import Addresses
from tests.stores import own_database


@asynccontextmanager
async def stage_on(addresses: Addresses, client: Client, policy: Policy) -> AsyncGenerator[Stage]:
    """A stage under `policy`, whose database is dropped afterwards."""
    async with own_database(addresses) as url:
        admin = make_url(str(addresses.admin_database_url)).set(database=make_url(url).database)
        admin_url = admin.render_as_string(hide_password=False)
        async with opened_stage(policy, url, admin_url, client) as stage:
            yield stage
