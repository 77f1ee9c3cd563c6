"""Read the cases from their files. What cannot be read is refused, with the file and the case that is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from typing import cast as taken_for

import yaml
from pydantic import ValidationError

from evals.write.cases import Case, Part, Voice
from models.errors import InvalidInput
from models.policy import Policy
from models.principals import PrincipalKind

HERE = Path(__file__).parent
FOLDERS: Mapping[Part, Path] = {"development": HERE / "cases", "held out": HERE / "held_out"}
"""The two parts of the data. No test of an extractor reads the second one."""


def read_cast(path: Path = HERE / "cast.yaml") -> dict[str, Voice]:
    """Who speaks in the cases, by name."""
    return {name: Voice.model_validate(voice) for name, voice in _yaml(path).items()}


def read_cases(
    cast: Mapping[str, Voice], policy: Policy, folders: Mapping[Part, Path] = FOLDERS
) -> list[Case]:
    """All cases of both parts, checked; raises `InvalidInput` naming the file and the case that is wrong."""
    cases: list[Case] = []
    where: dict[str, Path] = {}
    for part, folder in folders.items():
        for path in sorted(folder.glob("*.yaml")):
            for case in _cases_of(path, part):
                if case.id in where:
                    raise InvalidInput(f"{path}: {case.id}: stands in {where[case.id]} already; rename it")
                where[case.id] = path
                _require_known(case, path, cast, policy)
                cases.append(case)
    return cases


def _cases_of(path: Path, part: Part) -> Iterator[Case]:
    listed: list[Any] = _yaml(path)
    for number, raw in enumerate(listed, 1):
        name = f"case {number}"
        try:
            name = raw.get("id", name)
            yield Case.model_validate({**_planted_in(raw), "part": part})
        except ValidationError as invalid:
            complaint = invalid.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, complaint["loc"])) or "the case"
            message = complaint["msg"].removeprefix("Value error, ")
            raise InvalidInput(f"{path}: {name}: {field}: {message}") from None
        except (AttributeError, TypeError, KeyError) as unreadable:
            raise InvalidInput(f"{path}: {name}: is no case; give it an id and events") from unreadable


def _planted_in(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The case with its planted strings in place of `<<1>>`, `<<2>>`, in all that is said and wanted.

    They are kept in parts, so that no scanner of repositories takes an invented key for a live one.
    """
    strings = ["".join(each["string"]) for each in raw.get("planted", ())]
    return {
        name: value if name == "planted" else _with_strings(value, strings) for name, value in raw.items()
    }


def _with_strings(value: Any, strings: Sequence[str]) -> Any:
    match value:
        case str():
            for number, string in enumerate(strings, 1):
                value = value.replace(f"<<{number}>>", string)
            return value
        case list():
            return [_with_strings(each, strings) for each in taken_for("list[Any]", value)]
        case dict():
            items = taken_for("dict[Any, Any]", value).items()
            return {_with_strings(key, strings): _with_strings(inner, strings) for key, inner in items}
        case _:
            return value


def _require_known(case: Case, path: Path, cast: Mapping[str, Voice], policy: Policy) -> None:
    for said in (*case.given, *case.events):
        if said.by not in cast:
            raise InvalidInput(f"{path}: {case.id}: nobody in the cast is called {said.by}; add them")
    for said in case.events:
        if said.authorised and cast[said.by].kind is PrincipalKind.AGENT:
            raise InvalidInput(f"{path}: {case.id}: an agent is never authorised; label its events so")
    for expected in case.expected:
        declared = policy.declared(expected.attribute)
        if declared is None or declared.class_name != expected.memory_class:
            raise InvalidInput(
                f"{path}: {case.id}: the class {expected.memory_class} declares no {expected.attribute}"
            )


class _PlainLoader(yaml.SafeLoader):
    """YAML in which dates and truth values stay text: "on" is a word, and so is "no"."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":timestamp", ":bool"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _yaml(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _PlainLoader)
    except yaml.YAMLError as malformed:
        raise InvalidInput(f"{path}: not YAML: {malformed}") from None
