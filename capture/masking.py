"""Secrets are masked before anything else is done with what a caller says: before it is digested, stored or decided.

What is compared to the letter cannot be masked, so a secret there is refused.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, TypeVar
from uuid import UUID

from pydantic import ValidationError

from models.errors import InvalidInput
from models.events import first_error
from models.masking import Masked, mask_fields
from models.sightings import SecretFinder, digest_key, digest_of
from models.statements import Spoken

S = TypeVar("S", bound=Spoken)


class Masker:
    """Masks for every tenant, each under a key of its own.

    `key` gives the master key. It is asked for with the first text, so that a process that keeps no text needs none.
    """

    def __init__(self, finder: SecretFinder, key: Callable[[], bytes]) -> None:
        self._finder = finder
        self._key = key

    @cached_property
    def _master(self) -> bytes:
        return self._key()

    def warm(self) -> None:
        """Read key and rules now: a process that serves does so before the first call, or does not start."""
        _ = self._master
        self.fields(UUID(int=0), {"text": "password: hunter2"})

    def fields(self, tenant_id: UUID, fields: Mapping[str, Any]) -> Masked:
        """The fields of an event or a statement without secrets; see `models.masking.mask_fields`."""
        return mask_fields(fields, self._finder, partial(digest_of, digest_key(self._master, tenant_id)))

    def masked(self, tenant_id: UUID, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fields without secrets, for whoever does not ask what was masked."""
        return self.fields(tenant_id, fields).fields

    def statement(self, tenant_id: UUID, said: S) -> S:
        """What a caller states, without secrets. Raises `InvalidInput` where one stands in what is compared."""
        told = said.model_dump(mode="json", exclude_unset=True)
        masked = self.fields(tenant_id, told).fields
        if masked == told:
            return said
        try:
            return type(said).model_validate(masked)
        except ValidationError as invalid:
            raise first_error(invalid) from None

    def require_none(self, tenant_id: UUID, fields: Mapping[str, str]) -> None:
        """Raise `InvalidInput` for the first of the fields that holds a secret: it is kept as it is, or not at all."""
        for field, text in fields.items():
            if self.fields(tenant_id, {field: text}).kinds:
                raise InvalidInput(
                    "holds what reads like a credential or a personal number; take it out", field=field
                )
