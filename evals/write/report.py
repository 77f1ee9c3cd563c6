"""The report: every figure for all cases and for each part, then by class, for people and for programs."""

from collections.abc import Sequence
from typing import Any

from evals.write.cases import PARTS
from evals.write.floors import FLOORS, Floor, missed
from evals.write.match import Judged
from evals.write.outcomes import Disposition
from evals.write.score import METRICS, Figure, by_class, dispositions

_WIDTH = 36


def as_json(name: str, cases: Sequence[Judged], seconds: float) -> dict[str, Any]:
    """The run of one extractor for programs: figures, floors, classes, and the development cases that failed."""
    groups = _groups(cases)
    return {
        "extractor": name,
        "cases": {group: len(members) for group, members in groups.items()},
        "seconds": round(seconds, 1),
        "figures": {
            label: {group: _figure(measure(members)) for group, members in groups.items()}
            for label, measure in METRICS.items()
        },
        "floors": {label: floor.as_json() for label, floor in FLOORS.items()},
        "missed": missed(cases),
        "classes": {
            label: {"precision": _figure(precision), "recall": _figure(recall)}
            for label, (precision, recall) in by_class(cases).items()
        },
        "dispositions": {wanted.value: row for wanted, row in dispositions(cases).items()},
        "failures": [failure for case in groups["development"] if (failure := _failure(case)) is not None],
    }


def _groups(cases: Sequence[Judged]) -> dict[str, list[Judged]]:
    parts = {part: [case for case in cases if case.case.part == part] for part in PARTS}
    return {"all": list(cases), **parts}


def _figure(figure: Figure) -> dict[str, Any]:
    value = figure.value
    return {"part": figure.part, "whole": figure.whole, "value": None if value is None else round(value, 4)}


def _failure(case: Judged) -> dict[str, Any] | None:
    """What is amiss with a case, in names and verdicts alone: nothing that was said is in a report."""
    lost = [
        f"{pair.expected.attribute}: {'/'.join(pair.expected.verdict) or pair.expected.disposition.value}"
        for pair in case.pairs
        if pair.outcome is None
        and not pair.expected.optional
        and pair.expected.disposition is not Disposition.DISCARD
    ]
    otherwise = [
        f"{pair.expected.attribute}: {'/'.join(pair.expected.verdict)} decided as {pair.outcome.verdict}"
        for pair in case.pairs
        if pair.outcome is not None and not pair.decided_so
    ]
    unwanted = [
        f"{each.attribute}: {each.verdict} ({each.reason})"
        for each in case.unwanted
        if each.disposition is not Disposition.DISCARD
    ]
    leaked = {str(number + 1): sorted(places) for number, places in case.played.leaks.items() if places}
    alarmed = [
        number + 1
        for number, planted in enumerate(case.case.planted)
        if not planted.secret and number not in case.played.kept
    ]
    found = {
        "lost": lost,
        "otherwise": otherwise,
        "unwanted": unwanted,
        "leaked": leaked,
        "alarmed": alarmed,
        "refused": dict(case.played.refused),
    }
    amiss = {label: what for label, what in found.items() if what}
    return {"case": case.case.id, **amiss} if amiss else None


def as_text(report: dict[str, Any]) -> str:
    """The same for people."""
    groups = list(report["cases"])
    counts = ", ".join(f"{count} {group}" for group, count in report["cases"].items() if group != "all")
    head = f"{'':<{_WIDTH}}" + "".join(f"{group:>20}" for group in groups) + f"  {'floor':<16}"
    lines = [
        f"Extractor {report['extractor']}: {report['cases']['all']} cases ({counts}) in {report['seconds']} s.",
        "",
        head.rstrip(),
        "-" * len(head),
    ]
    for label, row in report["figures"].items():
        cells = "".join(f"{_cell(row[group]):>20}" for group in groups)
        lines.append(f"{label:<{_WIDTH}}{cells}  {_bound(label, report['missed'])}".rstrip())
    lines += ["", f"{'by class, all cases':<{_WIDTH}}{'precision':>20}{'recall':>20}"]
    lines += [
        f"{label:<{_WIDTH}}{_cell(row['precision']):>20}{_cell(row['recall']):>20}"
        for label, row in report["classes"].items()
    ]
    came = ["persist", "quarantine", "discard", "nothing"]
    lines += ["", f"{'labelled, and what it came to':<{_WIDTH}}" + "".join(f"{name:>12}" for name in came)]
    lines += [
        f"{wanted:<{_WIDTH}}" + "".join(f"{row[name]:>12}" for name in came)
        for wanted, row in report["dispositions"].items()
    ]
    return "\n".join(lines)


def _cell(figure: dict[str, Any]) -> str:
    share = "-" if figure["value"] is None else f"{figure['value']:.3f}"
    return f"{share} ({figure['part']}/{figure['whole']})"


def _bound(label: str, missed_ones: Sequence[str]) -> str:
    floor: Floor | None = FLOORS.get(label)
    if floor is None:
        return ""
    return f"{floor} {'MISSED' if label in missed_ones else 'met'}"
