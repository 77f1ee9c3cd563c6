"""The base of all answers, and authorities by name."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from models.authority import Authority


class AuthorityName(StrEnum):
    """What kind of source spoke, weakest first."""

    UNTRUSTED = "untrusted"
    MODEL_INFERRED = "model_inferred"
    HUMAN_INSTRUCTION = "human_instruction"
    VERIFIED_OUTCOME = "verified_outcome"
    AUTHORITATIVE_SOURCE = "authoritative_source"

    @classmethod
    def of(cls, authority: Authority) -> "AuthorityName":
        return cls(authority.name.lower())


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True)
