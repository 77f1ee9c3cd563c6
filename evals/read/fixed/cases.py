"""Records and questions as data, and how they are read from their files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evals.read.halves import half_of
from evals.write.cases import Voice
from evals.write.reading import read_cast
from models.errors import InvalidInput
from models.events import EntityMention
from models.facts import Status

HERE = Path(__file__).parent
TENANT = "acme"
NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    id: str = Field(pattern=NAME)
    tenant: str = TENANT
    scope: dict[str, str] = Field(alias="in")
    by: str


class Stated(_Data):
    """A fact that was stated `ago` days ago, after another one where it says so, and what it is by now.

    `expires` and `from` are days from now.
    """

    attribute: str
    value: str
    entity: str | None = None
    text: str | None = None
    ends_when: str | None = None
    expires: float | None = None
    begins: float | None = Field(default=None, alias="from")
    ago: float = 40
    after: str | None = None
    status: Status = Status.ACTIVE

    @property
    def words(self) -> str:
        """What a plain store would keep of it."""
        said = (self.entity, self.attribute.replace("_", " "), self.value, self.ends_when, self.text)
        return " ".join(each for each in said if each)


class Told(_Data):
    """An episode: what was said in turns, and which things it lists."""

    turns: tuple[str, ...] = Field(min_length=1)
    entities: tuple[EntityMention, ...] = ()
    ago: float = 60

    @property
    def words(self) -> str:
        """What a plain store would keep of it."""
        return " ".join([*self.turns, *(each.name for each in self.entities if each.name)])


Record = Stated | Told
_T = TypeVar("_T", bound=_Data)


class Query(_Data):
    """A question. `as_of` is so many days ago.

    `expect` has to come, `also` may, all else is noise. `restrictions` are those on things in play, which must never
    be left out silently; of `conflicts` each is shown whole or not at all.
    """

    ask: str
    entities: tuple[str, ...] = ()
    as_of: float | None = None
    budget: int = 4_000
    expect: frozenset[str]
    also: frozenset[str] = frozenset()
    restrictions: frozenset[str] = frozenset()
    conflicts: tuple[frozenset[str], ...] = ()

    @property
    def half(self) -> str:
        """The half that it is in."""
        return half_of("fixed", self.id)


class Cases(NamedTuple):
    """All of it, checked: who there is, what was said, what is asked."""

    cast: Mapping[str, Voice]
    records: Mapping[str, Record]
    queries: tuple[Query, ...]


def read_cases() -> Cases:
    """Read the files beside this one; raises `InvalidInput` naming the file and what is wrong."""
    cast = read_cast(HERE / "cast.yaml")
    records: dict[str, Record] = {}
    for path, kind, raw in _entries(HERE / "records"):
        record = _read(path, Stated if kind == "facts" else Told, raw)
        if records.setdefault(record.id, record) is not record:
            raise InvalidInput(f"{path.name}: {record.id} stands there twice; rename one")
    queries = tuple(_read(path, Query, raw) for path, _, raw in _entries(HERE / "queries"))
    for each in (*records.values(), *queries):
        if each.by not in cast:
            raise InvalidInput(f"{each.id}: nobody in the cast is called {each.by}; add them")
    for query in queries:
        named = query.expect.union(query.also, query.restrictions, *query.conflicts)
        if unknown := sorted(named - records.keys()):
            raise InvalidInput(f"{query.id}: there is no record {unknown[0]}; mend the label")
    if len({query.id for query in queries}) < len(queries):
        raise InvalidInput("two questions have one id; rename one")
    return Cases(cast, records, queries)


def _entries(folder: Path) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Every entry with what its group says of all of them."""
    for path in sorted(folder.glob("*.yaml")):
        for group in cast("list[dict[str, Any]]", yaml.safe_load(path.read_text(encoding="utf-8"))):
            common = {name: value for name, value in group.items() if not isinstance(value, list)}
            for kind, listed in group.items():
                if isinstance(listed, list):
                    for raw in cast("list[dict[str, Any]]", listed):
                        yield path, kind, {**common, **raw}


def _read(path: Path, kind: type[_T], raw: dict[str, Any]) -> _T:
    try:
        return kind.model_validate(raw)
    except ValidationError as invalid:
        complaint = invalid.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, complaint["loc"]))
        raise InvalidInput(f"{path.name}: {raw.get('id')}: {field}: {complaint['msg']}") from None
