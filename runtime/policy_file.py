"""Read the policy file. What cannot be read is refused with the line that is wrong."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from models.errors import PolicyInvalid
from models.policy import Policy


def load_policy(path: Path) -> Policy:
    """The policy at `path`; raises `PolicyInvalid` naming file and line."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as unreadable:
        raise PolicyInvalid(f"{path}: cannot be read; point KEEPWELL_POLICY at a YAML file") from unreadable
    try:
        document = yaml.safe_load(content)
        root: yaml.Node | None = yaml.SafeLoader(content).get_single_node()
    except yaml.MarkedYAMLError as malformed:
        line = 0 if malformed.problem_mark is None else malformed.problem_mark.line + 1
        raise PolicyInvalid(f"{path}:{line}: not YAML: {malformed.problem}") from None
    except yaml.YAMLError:
        raise PolicyInvalid(f"{path}: not YAML: it holds characters that YAML does not allow") from None
    try:
        return Policy.model_validate(document)
    except ValidationError as invalid:
        complaint = invalid.errors(include_url=False, include_input=False)[0]
        location = complaint["loc"]
        name = ".".join(str(part) for part in location) or "the document"
        message = complaint["msg"].removeprefix("Value error, ")
        raise PolicyInvalid(f"{path}:{_line(root, location)}: {name}: {message}") from None


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
