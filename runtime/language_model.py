"""The language model that the settings name, or none. Importing this imports no model library; using it does."""

from dataclasses import dataclass

from capture.asking import Asking
from capture.proposing import Models
from models.extractions import Budget, Purpose
from providers.protocols import ModelDrafter, ModelExtractor, ModelNarrator
from runtime.settings import Settings
from store.engine import Database


@dataclass(frozen=True)
class LanguageModel:
    """A model for each purpose that it is configured for, and what a tenant may spend on it in a day."""

    budget: Budget
    extractor: ModelExtractor | None = None
    narrator: ModelNarrator | None = None
    drafter: ModelDrafter | None = None

    def on(self, database: Database) -> Models:
        """The model at work over a database, which holds what it answers and what was spent."""
        return Models(Asking(database, self.budget), self.extractor, self.narrator, self.drafter)


def language_model(settings: Settings) -> LanguageModel | None:
    """The configured model; None where rules do all the work. No connection is made yet.

    Takes seconds, for the library, where one is configured. Raises `InvalidInput` for a name that leads nowhere.
    """
    if settings.model is None:
        return None
    # The library takes seconds to import, and most processes never ask a model.
    from providers.language_model import AskingDrafter, AskingExtractor, AskingNarrator, connect  # noqa: PLC0415

    key = None if settings.model_key is None else settings.model_key.get_secret_value()
    connection = connect(settings.model, settings.model_url, key)
    told = (connection, settings.model, settings.model_timeout)
    return LanguageModel(
        Budget(settings.model_daily_tokens, settings.model_daily_requests),
        AskingExtractor(*told) if Purpose.EXTRACT in settings.model_purposes else None,
        AskingNarrator(*told) if Purpose.NARRATE in settings.model_purposes else None,
        AskingDrafter(*told) if Purpose.DRAFT in settings.model_purposes else None,
    )


def told_of(settings: Settings) -> str:
    """The configured model in one line, for an operator."""
    if settings.model is None:
        return "none; rules extract, narrate and draft"
    where = "" if settings.model_url is None else f" at {settings.model_url}"
    purposes = ", ".join(sorted(settings.model_purposes))
    return (
        f"{settings.model}{where} to {purposes}, beside the rules; a tenant may spend"
        f" {settings.model_daily_tokens:,} tokens and {settings.model_daily_requests:,} requests a day"
    )
