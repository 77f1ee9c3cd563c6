"""Words that are looked for after they were erased, sealed until then: nobody who reads the table reads them."""

import json
from collections.abc import Iterable
from hashlib import blake2b

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from models.errors import InvalidInput

_NONCE_BYTES = 12


class Sealer:
    """Seals words under a key of the operator's: AES-256 in Galois/Counter mode, with a nonce of their own."""

    def __init__(self, key: bytes) -> None:
        self._key = AESGCM(blake2b(key, digest_size=32, person=b"keepwell-erasure").digest())
        self._secret = key

    def seal(self, words: Iterable[str]) -> bytes:
        """These words so that only who has the key can read them."""
        plain = json.dumps(sorted(words), ensure_ascii=False).encode()
        # The same words under the same key have the same nonce, and other words another one.
        nonce = blake2b(plain, digest_size=_NONCE_BYTES, key=self._secret).digest()
        return nonce + self._key.encrypt(nonce, plain, None)

    def open(self, sealed: bytes) -> list[str]:
        """The words again. Raises `InvalidInput` where they were sealed under another key."""
        try:
            plain = self._key.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
        except InvalidTag as refused:
            raise InvalidInput(
                "was changed while something was being erased; put the former key back until that is done",
                field="KEEPWELL_MASKING_KEY",
            ) from refused
        return list(json.loads(plain))
