"""The API's reference is made from the code, and is what the code says now."""

from pathlib import Path

from surfaces.http.application import described
from surfaces.http.reference import reference

PAGE = Path(__file__).resolve().parents[2] / "docs/api.md"


def test_the_reference_is_up_to_date() -> None:
    """Made anew by `make docs`."""
    assert PAGE.read_text("utf-8") == reference(described().openapi())


def test_every_route_and_shape_is_in_it() -> None:
    document = described().openapi()
    page = PAGE.read_text("utf-8")
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"## {method.upper()} {path}\n" in page
    for name in document["components"]["schemas"]:
        assert f"### {name}\n" in page
