"""A procedure as a YAML file, for people to write and to keep with their code: read, and written in one canonical form.

What is written reads as the same procedure, and is written again to the same bytes.
"""

from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.complaints import complained
from models.procedures import MOST_BYTES, Name, ProcedureContent
from runtime.yaml_document import Unreadable, line_of, parsed

_BEGINS = "a procedure has procedure, class, scope, trigger and steps"
_NO_BREAKS = 1 << 30


class ProcedureFile(BaseModel):
    """What a file says: which procedure it is, and what it says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    procedure: Name
    class_name: str = Field(alias="class", min_length=1, max_length=100)
    scope: dict[str, str]
    content: ProcedureContent


_HEAD = frozenset({"procedure", "class", "scope"})


def read_procedure(text: str) -> ProcedureFile:
    """The procedure that a file says; raises `Unreadable` with the line that is wrong."""
    if len(text.encode("utf-8", "surrogatepass")) > 4 * MOST_BYTES:
        raise Unreadable(1, f"has more than {4 * MOST_BYTES:,} bytes; split the procedure")
    root, document = parsed(text)
    if not isinstance(document, dict):
        raise Unreadable(1, f"is no mapping; {_BEGINS}")
    fields: dict[str, Any] = {str(name): said for name, said in document.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    head = {name: said for name, said in fields.items() if name in _HEAD}
    said = {name: said for name, said in fields.items() if name not in _HEAD}
    try:
        return ProcedureFile.model_validate({**head, "content": said})
    except ValidationError as invalid:
        complaint = invalid.errors(include_url=False, include_input=False)[0]
        location = tuple(part for part in complaint["loc"] if part != "content")
        name = ".".join(str(part) for part in location if isinstance(part, int) or part.isidentifier())
        message = complained(complaint["type"], complaint["msg"]).removesuffix(" or put it into data")
        raise Unreadable(line_of(root, location), f"{name or 'the document'}: {message}") from None


def written_procedure(
    procedure: str, class_name: str, scope: dict[str, str], content: ProcedureContent
) -> str:
    """A procedure as YAML. Longer words stand as blocks, as long as they read as the same."""
    document: dict[str, Any] = {
        "procedure": procedure,
        "class": class_name,
        "scope": dict(sorted(scope.items())),
        **content.model_dump(mode="json", exclude_defaults=True),
    }
    return yaml.dump(
        document,
        Dumper=_Written,
        sort_keys=False,
        allow_unicode=True,
        width=_NO_BREAKS,
        default_flow_style=False,
    )


class _Written(yaml.SafeDumper):
    """Writes text of several lines as a block."""

    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _text(dumper: Any, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Written.add_representer(str, _text)
