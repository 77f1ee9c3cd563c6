"""Read the policy file. What cannot be read is refused with the line that is wrong."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from models.errors import PolicyInvalid
from models.events import complained
from models.policy import Misdeclared, Policy


def load_policy(path: Path) -> Policy:
    """The policy at `path`; raises `PolicyInvalid` naming file and line."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise PolicyInvalid(f"{path}: cannot be read; point KEEPWELL_POLICY at a YAML file") from unreadable
    return read_policy(content, str(path))


def read_policy(content: str, source: str) -> Policy:
    """The policy that `content` declares; raises `PolicyInvalid` naming `source` and line."""
    try:
        document = yaml.safe_load(content)
        root: yaml.Node | None = yaml.SafeLoader(content).get_single_node()
    except yaml.MarkedYAMLError as malformed:
        line = 0 if malformed.problem_mark is None else malformed.problem_mark.line + 1
        raise PolicyInvalid(f"{source}:{line}: not YAML: {malformed.problem}") from None
    except yaml.YAMLError:
        raise PolicyInvalid(f"{source}: not YAML: it holds characters that YAML does not allow") from None
    twice = _first_duplicate(root)
    if twice is not None:
        raise PolicyInvalid(f"{source}:{_first_line(twice)}: {twice.value} stands here a second time")
    try:
        return Policy.model_validate(document)
    except ValidationError as invalid:
        complaint = invalid.errors(include_url=False, include_input=False)[0]
        cause = complaint.get("ctx", {}).get("error")
        location = cause.location if isinstance(cause, Misdeclared) else complaint["loc"]
        name = ".".join(str(part) for part in location) or "the document"
        message = complained(complaint["type"], complaint["msg"]).removesuffix(" or put it into data")
        raise PolicyInvalid(f"{source}:{_line(root, location)}: {name}: {message}") from None


def _first_duplicate(node: yaml.Node | None) -> yaml.ScalarNode | None:
    """The first name that a mapping has twice: YAML would let the second one win in silence."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                return key
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else "")
            found = _first_duplicate(value)
            if found is not None:
                return found
    if isinstance(node, yaml.SequenceNode):
        return next(filter(None, map(_first_duplicate, node.value)), None)
    return None


def _line(node: yaml.Node | None, location: tuple[int | str, ...]) -> int:
    """The line, from 1, of the deepest part of `location` that the document has."""
    line = 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            inside = {key.value: (key, value) for key, value in node.value}
            if part not in inside:
                return line
            key, node = inside[part]
            line = _first_line(key)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = _first_line(node)
    return line


def _first_line(node: yaml.Node | None) -> int:
    return 1 if node is None or node.start_mark is None else node.start_mark.line + 1
