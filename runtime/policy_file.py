"""Read a policy, from its file or as somebody sends it. What cannot be read is refused with the line that is wrong."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from models.complaints import complained
from models.errors import InvalidInput, PolicyInvalid
from models.policy import Misdeclared, Policy
from models.policy_document import document_of
from runtime.yaml_document import Unreadable, line_of, parsed

_BEGINS = "a policy begins with version: 2, then it has dimensions, roles and classes"


def load_policy(path: Path) -> Policy:
    """The policy at `path`; raises `PolicyInvalid` naming file and line."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise PolicyInvalid(f"{path}: cannot be read; point KEEPWELL_POLICY at a YAML file") from unreadable
    try:
        return read_policy(content)
    except Unreadable as wrong:
        raise PolicyInvalid(f"{path}:{wrong.line}: {wrong.message}") from None


def sent_policy(content: str) -> Policy:
    """The policy that a caller sends; raises `InvalidInput` naming the line."""
    try:
        return read_policy(content)
    except Unreadable as wrong:
        raise InvalidInput(f"line {wrong.line}: {wrong.message}", field="content") from None


def written_policy(policy: Policy) -> str:
    """A policy as YAML that reads as the same one, for somebody who wants to change it."""
    return yaml.safe_dump(document_of(policy), sort_keys=False, allow_unicode=True, width=110)


def read_policy(content: str) -> Policy:
    """The policy that `content` declares; raises `Unreadable`."""
    root, document = parsed(content)
    if root is None:
        raise Unreadable(1, f"the document: is empty; {_BEGINS}")
    try:
        return Policy.model_validate(document)
    except ValidationError as invalid:
        complaint = invalid.errors(include_url=False, include_input=False)[0]
        cause = complaint.get("ctx", {}).get("error")
        location = cause.location if isinstance(cause, Misdeclared) else complaint["loc"]
        name = ".".join(str(part) for part in location) or "the document"
        message = complained(complaint["type"], complaint["msg"]).removesuffix(" or put it into data")
        if complaint["type"] in {"model_type", "dict_type"}:
            message = (
                "is no mapping; write names with their values" if location else f"is no mapping; {_BEGINS}"
            )
        raise Unreadable(line_of(root, location), f"{name}: {message}") from None
