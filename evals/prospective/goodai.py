"""The public GoodAI definitions that ask for something later, as explicit triggers.

*Prospective Memory* asks for a quote in a message some places on. Keepwell does not count messages: whoever runs the
conversation numbers them, as its loop does anyhow, and the intention waits for the number, a declared field.
*Trigger Response* asks for a reply whenever a message means something. What a message means is labelled by hand
(goodai.yaml), and the intention waits, each time, for the label. So what is measured is whether it fires at the right
messages and at no other, with fillers between; not whether anybody understood the words.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from evals.prospective.scripts import Run, Setting, Step, read_runs
from evals.read.data import Absent, data_file

FIELDS = frozenset({"turn", "sense"})
"""What the policy declares for the board beside what is shipped."""
BENCHMARKS = ("Benchmark 2 - 1k Filler", "Benchmark 3 - 1k", "Benchmark 3 - 32k", "Benchmark 3 - 120k")
PROSPECTIVE, RESPONSE = "Prospective Memory", "Trigger Response"
OF_EACH = 3
FILLERS = 7
TURNS_BEYOND = 3
_PLACES_ON = re.compile(r"(\d+)(?:st|nd|rd|th) new message after this")
_RESPONSES_ON = re.compile(
    r"to your (\d+)(?:st|nd|rd|th) response\. Count your response to this message as the first"
)
_SENSES = Path(__file__).with_name("goodai.yaml")


def runs_of_definitions() -> list[Run]:
    """A run for each definition. Raises `Absent` where the data is not at hand."""
    setting = next(run.setting for run in read_runs() if run.setting.about == "personal")
    return [
        _run(f"{kind}/{benchmark}/{number}", setting, kind, json.loads(_definition(benchmark, kind, number)))
        for kind in (PROSPECTIVE, RESPONSE)
        for benchmark in BENCHMARKS
        for number in range(OF_EACH)
    ]


def _definition(benchmark: str, kind: str, number: int) -> str:
    path = data_file("goodai_ltm", "data", "tests", benchmark, "definitions", kind, f"{number}.def.json")
    return path.read_text(encoding="utf-8")


def _run(name: str, setting: Setting, kind: str, definition: dict[str, Any]) -> Run:
    script: Sequence[str] = definition["script"]
    steps, times = _by_turn(script, setting) if kind == PROSPECTIVE else _by_sense(script, setting)
    return Run(name, setting, steps, {"reply": times})


def turn_of(words: str) -> int:
    """At which message after the one with these `words` the reply is due."""
    if (found := _PLACES_ON.search(words)) is not None:
        return int(found[1])
    found = _RESPONSES_ON.search(words)
    if found is None:
        raise Absent(
            "a definition says in no known way when its reply is due; look at what has changed in it"
        )
    return int(found[1]) - 1


def _by_turn(script: Sequence[str], setting: Setting) -> tuple[list[Step], int]:
    due = turn_of(script[1])
    turns = range(1, due + TURNS_BEYOND + 1)
    said = [
        _message(setting, f"Message {turn}.", {"turn": turn}, None if turn == due else "other_turn")
        for turn in turns
    ]
    return [_message(setting, script[0], {}), _set(script[1], {"field": "data.turn", "value": due}), *said], 1


def _by_sense(script: Sequence[str], setting: Setting) -> tuple[list[Step], int]:
    told, *messages = script
    sense, *others = _senses(told)
    steps = [_set(told, {"field": "data.sense", "value": sense}, repeats=True)]
    for message in messages:
        steps.append(Step(do="meanwhile", events=(FILLERS, FILLERS)))
        steps.append(_message(setting, message, {"sense": sense}))
    steps += [_message(setting, "Something else.", {"sense": other}, "other_sense") for other in others]
    return steps, len(messages)


def _senses(told: str) -> list[str]:
    """The label of a definition, and those of all others."""
    labels = yaml.safe_load(_SENSES.read_text(encoding="utf-8"))
    mine = [each["sense"] for each in labels if told.startswith(each["script"])]
    if not mine:
        raise Absent("a definition has no label in goodai.yaml; say there what its messages mean")
    return [*mine, *(each["sense"] for each in labels if each["sense"] not in mine)]


def _set(action: str, condition: dict[str, Any], *, repeats: bool = False) -> Step:
    return Step(
        do="set", name="reply", said={"action": action, "on": {"conditions": [condition], "repeats": repeats}}
    )


def _message(setting: Setting, text: str, data: dict[str, Any], near: str | None = None) -> Step:
    return Step(
        do="say", event={"type": "message", "scope": setting.scope, "text": text, "data": data}, near=near
    )
