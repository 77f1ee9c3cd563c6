"""The bundled secret scanner: formats of providers, words that introduce a secret, numbers with check digits.

It reads a text once for each group of rules, in a time that grows with the text alone, and keeps nothing of it.
"""

from collections.abc import Sequence

from models.sightings import Named, Sighting
from providers.secret_scanner import headers, private_keys
from providers.secret_scanner.cards import cards, ibans
from providers.secret_scanner.commands import passwords
from providers.secret_scanner.introduced import Introduced
from providers.secret_scanner.invisible import visible
from providers.secret_scanner.national_ids import national_ids
from providers.secret_scanner.plain_form import plain_form
from providers.secret_scanner.provider_keys import ProviderKeys

_SHORTEST = 4


class SecretScanner:
    """Finds secrets in any text; see `models.sightings.SecretFinder`."""

    def __init__(self) -> None:
        self._provider_keys = ProviderKeys()
        self._introduced = Introduced()

    def find(self, text: str, named: Sequence[Named] = ()) -> list[Sighting]:
        """Secrets in `text`, in no order; they may overlap."""
        if len(text) < _SHORTEST:
            return []
        seen = visible(text)
        plain = plain_form(seen.text)
        lower = plain.lower()
        found = [
            *self._provider_keys.find(plain),
            *self._introduced.find(plain, lower),
            *passwords(plain, lower),
            *headers.find(plain, lower),
            *private_keys.find(plain),
            *cards(plain, lower),
            *ibans(plain),
            *national_ids(plain, lower),
        ]
        for each in seen.named(named):
            found += self._introduced.under(each, plain)
        return seen.sightings(found)
