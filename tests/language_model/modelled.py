"""A tenant whose worker has a model beside the rules, and what became of what the model was asked."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import text
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client

from capture.accept import Receipt
from models.extractions import Budget
from models.ids import tenant_id
from providers.language_model import AskingDrafter, AskingExtractor, AskingNarrator, connect
from runtime.language_model import LanguageModel
from tests.language_model.server import Answer, ModelServer, Script, candidates, narrative
from tests.world import World, event
from workflows import ids

MODEL = "openai:local"
PLENTY = Budget(10_000_000, 10_000)
BY_RULE = "Keep gpu-bench-01 running until QA is done."
"""What the bundled rules read."""
BY_MODEL = "billing-api goes to Postgres 18."
"""What they do not."""
SAID = f"{BY_RULE} {BY_MODEL}"
FOUND = {"attribute": "uses", "mention": "billing-api", "value": "Postgres 18", "quote": BY_MODEL}
TOLD = "Dana said that gpu-bench-01 has to run until QA is done."


def language_model(server: ModelServer, budget: Budget = PLENTY, timeout: float = 1.0) -> LanguageModel:
    """The model that a worker has, asked at `server` for every purpose."""
    connection = connect(MODEL, server.url)
    return LanguageModel(
        budget,
        AskingExtractor(connection, MODEL, timeout),
        AskingNarrator(connection, MODEL, timeout),
        AskingDrafter(connection, MODEL, timeout),
    )


def asks_to_narrate(asked: dict[str, Any]) -> bool:
    """Whether a request asks for a narrative."""
    return "You tell in a few plain sentences" in str(asked["messages"][0]["content"])


def script(extract: Answer | None = None, narrate: Answer | None = None) -> Script:
    """Answer each purpose so; with nothing but a good answer where none is given."""
    found = candidates(FOUND) if extract is None else extract
    told = narrative(TOLD) if narrate is None else narrate
    return lambda asked: told if asks_to_narrate(asked) else found


class Asked(NamedTuple):
    """A row of `extractions`, in the order of purposes."""

    purpose: str
    state: str
    reason: str | None
    attempts: int
    tokens: int
    holds_words: bool


class Modelled:
    """The tenant at work."""

    def __init__(self, world: World, server: ModelServer, client: Client) -> None:
        self.world = world
        self.server = server
        self._client = client

    async def say(self, words: str = SAID, activity: str = "act-1", **fields: Any) -> Receipt:
        """The lead says something, and it is digested."""
        return await self.world.say(self.world.lead, words, activity_id=activity, **fields)

    async def rows(self, query: str, **values: Any) -> Sequence[Any]:
        async with self.world.database.transaction(tenant_id(self.world.tenant)) as work:
            return await work.rows(text(query), values)

    async def asked(self, activity_id: UUID) -> list[Asked]:
        """What the model was asked about an activity."""
        found = await self.rows(
            "SELECT * FROM extractions WHERE activity_id = :id ORDER BY purpose, first_seq", id=activity_id
        )
        return [
            Asked(
                row.purpose,
                row.state,
                row.reason,
                row.attempts,
                row.input_tokens + row.output_tokens,
                row.proposed is not None,
            )
            for row in found
        ]

    async def candidates(self, receipt: Receipt) -> dict[str, tuple[str, str, str | None]]:
        """By who proposed it: the attribute, the verdict and the value of each candidate of an event."""
        found = await self.rows(
            "SELECT c.*, d.verdict, d.reason FROM candidates c"
            " JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id WHERE c.event_id = :id",
            id=receipt.event_id,
        )
        return {
            row.extractor: (row.attribute, f"{row.verdict}: {row.reason}", row.value)
            for row in sorted(found, key=lambda row: row.recorded_at)
        }

    async def narrative(self, receipt: Receipt) -> tuple[str, str]:
        """The episode in words, and who told it."""
        [row] = await self.rows(
            "SELECT narrative, narrator FROM episodes WHERE activity_id = :id", id=receipt.activity_id
        )
        return row.narrative, row.narrator

    async def details(self, receipt: Receipt) -> str:
        """What an operator reads of the consolidation in the Web UI."""
        handle = self._client.get_workflow_handle(
            ids.consolidation(self.world.agent.tenant_id, receipt.activity_id)
        )
        metadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
        return metadata.current_details

    async def publish_quietly(self, words: str, activity: str) -> Receipt:
        """The lead says something, and nobody waits until it is digested."""
        [receipt] = await self.world.publish(
            self.world.lead, event(activity_id=activity, type="correction", text=words)
        )
        return receipt
