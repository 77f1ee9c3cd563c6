"""The way to a model: a provider that pydantic-ai knows by name, or any server that speaks OpenAI's protocol."""

from typing import Any

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from models.errors import InvalidInput


def connect(model: str, url: str | None = None, key: str | None = None) -> Model:
    """The model called `model`, as in `openai:gpt-5-mini`. No connection is made yet.

    With a `url` it is looked for there, at a server that speaks OpenAI's protocol. Without a `key` a provider takes
    its own from the environment. Raises `InvalidInput` for a name that leads nowhere.
    """
    protocol, _, name = model.partition(":")
    if url is not None:
        if protocol != "openai":
            raise InvalidInput(
                "with KEEPWELL_MODEL_URL write it as openai:NAME, after the protocol that the server speaks",
                field="KEEPWELL_MODEL",
            )
        return OpenAIChatModel(name, provider=OpenAICompatibleProvider("endpoint", base_url=url, api_key=key))

    def provider(wanted: str) -> Provider[Any]:
        kind: Any = infer_provider_class(wanted)
        return infer_provider(wanted) if key is None else kind(api_key=key)

    try:
        return infer_model(model, provider)
    except (UserError, ValueError, ImportError, TypeError) as unknown:
        raise InvalidInput(
            f"cannot be used ({type(unknown).__name__}); name a provider that pydantic-ai knows, such as"
            " openai:NAME or anthropic:NAME, and give its key in KEEPWELL_MODEL_KEY",
            field="KEEPWELL_MODEL",
        ) from None
