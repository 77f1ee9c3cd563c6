"""The masker of a process, and where its key comes from: the settings, or a file of the home folder."""

import secrets
import stat
from hashlib import blake2b
from pathlib import Path

from capture.masking import Masker
from models.errors import InvalidInput
from providers.secret_scanner import SecretScanner
from runtime.embedded.layout import layout_of
from runtime.embedded.private_file import make_private_text, read_text_or_none
from runtime.settings import Settings, is_strong

_KEY_BYTES = 32
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def masker_of(settings: Settings) -> Masker:
    """The masker that the settings lead to. It reads rules and key with the first text, or when it is warmed."""
    return Masker(SecretScanner(), lambda: masking_key(settings))


def masking_key(settings: Settings) -> bytes:
    """The master key of all digests: that of the settings, else that of the home folder, which is made once.

    Raises `InvalidInput` where there is no key and none can be kept, and for a key file that is not as it was made.
    """
    if settings.masking_key is not None:
        return _key_of(settings.masking_key.get_secret_value())
    path = layout_of(settings.home).masking_key
    try:
        text = read_text_or_none(path)
        if text is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = make_private_text(path, secrets.token_hex(_KEY_BYTES) + "\n")
        _require_private(path)
    except OSError as refused:
        raise InvalidInput(
            f"is not set, and no key can be kept in {path.parent}; set it to what openssl rand -hex 32 prints, "
            "the same for every process of this Keepwell",
            field="KEEPWELL_MASKING_KEY",
        ) from refused
    if not is_strong(text):
        raise InvalidInput(
            f"{path} is cut or changed; restore it from a back-up, or delete it: a new key is made then, and secrets "
            "that were masked before cannot be told apart from new ones"
        )
    return _key_of(text)


def _require_private(path: Path) -> None:
    if path.stat().st_mode & _OTHERS:
        raise InvalidInput(f"others may read {path}; run chmod 600 on it, or replace the key if anybody did")


def _key_of(text: str) -> bytes:
    return blake2b(text.strip().encode(), digest_size=_KEY_BYTES).digest()
