"""The base of all answers, and how what stands inside otherwise is told on the wire."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from models.authority import Authority
from models.verbs import Verb


class Answer(BaseModel):
    """Base of all answers. One is read from the fields of an internal record that has the same names."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class AuthorityName(StrEnum):
    """What kind of source spoke, weakest first."""

    UNTRUSTED = "untrusted"
    MODEL_INFERRED = "model_inferred"
    HUMAN_INSTRUCTION = "human_instruction"
    VERIFIED_OUTCOME = "verified_outcome"
    AUTHORITATIVE_SOURCE = "authoritative_source"


def _named(value: Any) -> Any:
    return value.name.lower() if isinstance(value, Authority) else value


def _sorted(value: Iterable[Verb] | None) -> list[Verb] | None:
    return None if value is None else sorted(value)


Source = Annotated[AuthorityName, BeforeValidator(_named)]
Verbs = Annotated[list[Verb] | None, BeforeValidator(_sorted)]
