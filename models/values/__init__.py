"""Canonical values: when two spellings are one value, decided by rule.

`canonical` is the way in. `spec` says what a class declares, `reading` chooses the reader, and each type has a file
of its own. `units`, `currencies`, `territories` and `zones` are tables with their sources, and nothing else.
"""

from models.values.reading import canonical
from models.values.spec import Canonical, ValueSpec, ValueType

__all__ = ["Canonical", "ValueSpec", "ValueType", "canonical"]
