"""Whether a file is a policy that can be applied: all that applying it looks at and that no server is needed for."""

from pathlib import Path
from uuid import UUID

from pydantic import ValidationError

from capture.masking import Masker
from models.errors import InvalidInput, PolicyInvalid
from models.events import first_error
from models.policy import Policy
from models.policy_proposal import NewPolicy
from providers.secret_scanner import SecretScanner
from runtime.policy_file import Unreadable, read_policy

_NOBODYS = UUID(int=0)


def content_of(path: Path) -> str:
    """The text of a file; raises `InvalidInput`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidInput("cannot be read; name a YAML file", field=str(path)) from None


def proposed(content: str, reason: str, *, dry_run: bool = False, expected: int | None = None) -> NewPolicy:
    """What somebody wants to apply; raises `InvalidInput` for what is too long, too short or no text."""
    wanted = {"content": content, "reason": reason, "dry_run": dry_run, "expected_version": expected}
    try:
        return NewPolicy.model_validate(wanted)
    except ValidationError as invalid:
        raise first_error(invalid) from None


def checked_policy(path: Path) -> Policy:
    """The policy at `path`, which somebody can apply and change again.

    Raises `InvalidInput` for what cannot be read, is too long or holds a secret, and `PolicyInvalid` with the line
    for what is no policy, or one that would leave nobody to change it.
    """
    content = content_of(path)
    try:
        policy = read_policy(proposed(content, "a check").content if content else content)
        Masker(SecretScanner(), lambda: bytes(32)).require_none(_NOBODYS, {"content": content})
    except Unreadable as wrong:
        raise PolicyInvalid(f"{path}:{wrong.line}: {wrong.message}") from None
    except InvalidInput as refused:
        raise InvalidInput(refused.message, field=str(path)) from None
    if not policy.administrators:
        raise PolicyInvalid(
            f"{path}: nobody could change this policy again; give a role the verb administer, with tenant_wide"
        )
    return policy
