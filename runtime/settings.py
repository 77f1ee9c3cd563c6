"""Settings, from the environment: every name begins with `KEEPWELL_`."""

from pathlib import Path

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from models.errors import InvalidInput
from models.events import first_error

SHIPPED_POLICY = Path(__file__).with_name("policy.yaml")
DEFAULT_HTTP_PORT = 7420
_DRIVER = "postgresql+asyncpg://"


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
    quiet_seconds: float = Field(default=5.0, gt=0, le=3_600)
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

    @field_validator("database_url", "admin_database_url")
    @classmethod
    def _names_the_driver(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(_DRIVER):
            raise ValueError(f"write it as {_DRIVER}USER:PASSWORD@HOST:PORT/DATABASE")
        return value


def load_settings() -> Settings:
    """Settings of this process; raises `InvalidInput` naming the variable that cannot be read."""
    try:
        return Settings()
    except ValidationError as invalid:
        error = first_error(invalid)
        raise InvalidInput(error.message, field=f"KEEPWELL_{(error.field or '').upper()}") from None
