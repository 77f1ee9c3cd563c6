"""Settings, from the environment: every name begins with `KEEPWELL_`."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from models.errors import InvalidInput
from models.events import first_error
from models.extractions import Purpose
from models.signals import allowed_target
from models.webhooks import allowed_host

SHIPPED_POLICY = Path(__file__).with_name("policy.yaml")
DEFAULT_HTTP_PORT = 7420
BUNDLED = "bundled"
NO_EMBEDDER = "none"
NO_RERANKER = "none"
TEI = "tei"
_RERANKER = re.compile(rf"{NO_RERANKER}|{TEI}|cohere:\S+")
_EMBEDDER = re.compile(rf"{BUNDLED}|{NO_EMBEDDER}|openai:\S+")
_DRIVER = "postgresql+asyncpg://"
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BASE_64 = re.compile(r"[A-Za-z0-9+/_\-]+={0,2}")


class Settings(BaseSettings):
    """How one process runs. Without `database_url` and `temporal_address` the embedded stack in `home` is used."""

    model_config = SettingsConfigDict(env_prefix="KEEPWELL_", extra="ignore")

    home: Path = Path(".keepwell")
    database_url: str | None = None
    admin_database_url: str | None = None
    temporal_address: str | None = None
    temporal_namespace: str = "default"
    task_queue: str = "keepwell"
    policy: Path = SHIPPED_POLICY
    masking_key: SecretStr | None = None
    quiet_seconds: float = Field(default=5.0, gt=0, le=3_600)
    reflect_hours: float = Field(default=24.0, gt=0, le=8_760)
    trace_days: int = Field(default=30, ge=1, le=3_650)
    postgres_port: int | None = Field(default=None, ge=1, le=65_535)
    temporal_port: int | None = Field(default=None, ge=1, le=65_535)
    ui_port: int | None = Field(default=None, ge=1, le=65_535)
    http_host: str = "127.0.0.1"
    http_port: int | None = Field(default=None, ge=1, le=65_535)
    requests_per_second: float = Field(default=500.0, gt=0, le=1_000_000)
    oidc_issuer: str | None = None
    oidc_audience: str | None = None
    oidc_jwks_url: str | None = None
    oidc_tenant_claim: str = "tenant"
    oidc_roles_claim: str = "roles"
    oidc_kind_claim: str | None = None
    model: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9/_-]*:\S+$")
    model_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    model_key: SecretStr | None = None
    model_timeout: float = Field(default=60.0, gt=0, le=600)
    model_purposes: Annotated[frozenset[Purpose], NoDecode] = frozenset(Purpose)
    model_daily_tokens: int = Field(default=1_000_000, ge=0)
    model_daily_requests: int = Field(default=2_000, ge=0)
    embedder: str = BUNDLED
    embedder_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    embedder_key: SecretStr | None = None
    embedder_dimension: int | None = Field(default=None, ge=1, le=4_000, validate_default=True)

    reranker: str = NO_RERANKER
    reranker_url: str | None = Field(default=None, pattern=r"^https?://\S+$", validate_default=True)
    reranker_key: SecretStr | None = None
    webhook_allowed_hosts: Annotated[frozenset[str], NoDecode] = frozenset()
    signal_targets: Annotated[frozenset[str], NoDecode] = frozenset()

    @field_validator("model_purposes", mode="before")
    @classmethod
    def _is_a_list_of_words(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        words = [word.strip() for word in value.split(",")]
        if not words or set(words) - set(Purpose):
            raise ValueError(f"write one or more of {', '.join(Purpose)}, with commas between")
        return words

    @field_validator("webhook_allowed_hosts", mode="before")
    @classmethod
    def _is_a_list_of_hosts(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return frozenset(allowed_host(entry.strip()) for entry in value.split(",") if entry.strip())

    @field_validator("signal_targets", mode="before")
    @classmethod
    def _is_a_list_of_targets(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return frozenset(allowed_target(entry.strip()) for entry in value.split(",") if entry.strip())

    @field_validator("embedder")
    @classmethod
    def _is_an_embedder(cls, value: str) -> str:
        if not _EMBEDDER.fullmatch(value):
            raise ValueError(f"write {BUNDLED}, {NO_EMBEDDER}, or openai:NAME for a model behind an endpoint")
        return value

    @field_validator("reranker")
    @classmethod
    def _is_a_reranker(cls, value: str) -> str:
        if not _RERANKER.fullmatch(value):
            raise ValueError(
                f"write {NO_RERANKER}, {TEI}, or cohere:NAME for a model behind an endpoint of that form"
            )
        return value

    @field_validator("reranker_url")
    @classmethod
    def _goes_with_a_reranker(cls, value: str | None, told: ValidationInfo) -> str | None:
        configured = told.data.get("reranker", NO_RERANKER) != NO_RERANKER
        if configured and value is None:
            raise ValueError("set it to where the reranker is, up to and without /rerank")
        if not configured and value is not None:
            raise ValueError(f"leave it out, or set KEEPWELL_RERANKER={TEI} or cohere:NAME")
        return value

    @field_validator("embedder_dimension")
    @classmethod
    def _goes_with_an_endpoint(cls, value: int | None, told: ValidationInfo) -> int | None:
        behind_an_endpoint = told.data.get("embedder", BUNDLED).startswith("openai:")
        if behind_an_endpoint and value is None:
            raise ValueError(
                "set it to how many numbers a vector of the model has; its documentation says so"
            )
        if not behind_an_endpoint and value is not None:
            raise ValueError("leave it out, or set KEEPWELL_EMBEDDER=openai:NAME")
        return value

    @field_validator("database_url", "admin_database_url")
    @classmethod
    def _names_the_driver(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(_DRIVER):
            raise ValueError(f"write it as {_DRIVER}USER:PASSWORD@HOST:PORT/DATABASE")
        return value

    @field_validator("masking_key")
    @classmethod
    def _cannot_be_guessed(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not is_strong(value.get_secret_value()):
            raise ValueError(
                "too easily guessed; set 32 random bytes in hex, as openssl rand -hex 32 prints them, or in base 64, "
                "or a phrase of at least six words"
            )
        return value


def is_strong(key: str) -> bool:
    """Whether a key is long enough that nobody finds it by trying.

    | the key is | it needs |
    | --- | --- |
    | hex digits | 64 of them: 32 bytes |
    | letters, digits and signs of base 64 | 43 of them: 32 bytes |
    | anything else, such as a phrase | 24 characters and six words, or 40 characters |

    Of each at least ten characters differ.
    """
    text = key.strip()
    if len(set(text)) < 10:
        return False
    if _HEX.fullmatch(text):
        return len(text) >= 64
    if _BASE_64.fullmatch(text):
        return len(text.rstrip("=")) >= 43
    return len(text) >= 40 or (len(text) >= 24 and len(text.split()) >= 6)


def load_settings() -> Settings:
    """Settings of this process; raises `InvalidInput` naming the variable that cannot be read."""
    try:
        return Settings()
    except ValidationError as invalid:
        error = first_error(invalid)
        raise InvalidInput(error.message, field=f"KEEPWELL_{(error.field or '').upper()}") from None
