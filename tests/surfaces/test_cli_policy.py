"""The policy from the command line: shown so that it can be applied again, checked, tried, applied and logged."""

from typing import Any

from models.policy_document import digest_of
from runtime.policy_file import sent_policy, written_policy
from tests.policies import otherwise, read_by
from tests.surfaces.terminal import Terminal


def called_boss(document: dict[str, Any]) -> None:
    document["roles"]["boss"] = document["roles"]["admin"]


async def test_a_policy_is_shown_changed_tried_applied_and_logged(terminal: Terminal) -> None:
    shown = await terminal.keepwell("policy", "show")
    assert shown.code == 0
    assert (
        shown.err == "The tenant has no policy of its own: this is the shipped one, without its comments.\n"
    )
    (terminal.folder / "other.yaml").write_text(shown.out)
    configured = await terminal.keepwell("policy", "log", KEEPWELL_POLICY="other.yaml")
    assert configured.said() == (
        "The tenant has no policy of its own; the one of KEEPWELL_POLICY is in force.\n"
    )
    assert digest_of(sent_policy(shown.out)) == digest_of(otherwise(lambda _: None))
    assert (await terminal.keepwell("policy", "log")).said().startswith("The tenant has no policy of its own")

    narrow = written_policy(otherwise(read_by("decision", "operator")))
    (terminal.folder / "mine.yaml").write_text(f"# ours\n{narrow}")
    apply = ("policy", "apply", "mine.yaml", "--reason", "for the audit")
    tried = (await terminal.keepwell(*apply, "--dry-run")).said()
    assert tried == "No memory is touched.\nNothing is applied; this would be version 1.\n"
    done = (await terminal.keepwell(*apply, "--expected-version", "0")).said()
    assert done.endswith("Version 1 is applied; every process obeys it within 1 s.\n")
    read = await terminal.keepwell("policy", "show")
    assert (read.out, read.err[:9]) == (f"# ours\n{narrow}", "Version 1")
    assert (await terminal.keepwell("policy", "show", "--json")).json["version"] == 1
    assert (await terminal.keepwell("policy", "show", "--version", "1")).out == read.out

    [logged] = (await terminal.keepwell("policy", "log", "--json")).json
    assert (logged["version"], logged["applied_by"], logged["reason"]) == (1, "operator", "for the audit")
    assert "for the audit" in (await terminal.keepwell("policy", "log")).said()


async def test_what_a_change_would_do_is_told(terminal: Terminal) -> None:
    def narrow(document: dict[str, Any]) -> None:
        read_by("service_dependency", "operator")(document)
        document["roles"]["developer"]["may"] = ["read"]
        document["roles"]["agent"]["scopes"].pop("task")

    said = ("remember", "owner", "Ana", "--entity", "db-1", "--scope", "workspace=staging")
    (await terminal.keepwell(*said, "--as", "human:dana", "--role", "infra_lead")).said()
    (terminal.folder / "mine.yaml").write_text(written_policy(otherwise(narrow)))
    tried = await terminal.keepwell("policy", "apply", "mine.yaml", "--reason", "x", "--dry-run", "--json")
    assert (tried.json["version"], tried.json["applied"]) == (1, False)
    assert [(lost["name"], lost["scopes"]) for lost in tried.json["grants"]] == [
        ("agent", ["task"]),
        ("developer", []),
    ]
    shown = (await terminal.keepwell("policy", "apply", "mine.yaml", "--reason", "x", "--dry-run")).said()
    assert "agent loses reach in task\n" in shown
    assert (
        "developer loses assign, confirm, correct, intend, propose, publish, recall, remember, retract\n"
        in shown
    )
    [effect] = tried.json["effects"]
    assert (effect["kind"], effect["attribute"], effect["memories"]) == ("becomes_unreadable_for", "owner", 1)
    assert "becomes_unreadable_for" in shown


async def test_a_file_is_checked_without_any_server(terminal: Terminal) -> None:
    path = terminal.folder / "mine.yaml"
    path.write_text(written_policy(otherwise(lambda _: None)))
    nowhere = {"KEEPWELL_HOME": str(terminal.folder / "nothing"), "KEEPWELL_DATABASE_URL": ""}
    checked = (await terminal.keepwell("policy", "check", "mine.yaml", **nowhere)).said()
    assert checked == "mine.yaml is a policy: 7 roles, 1 system, 10 classes, 15 attributes.\n"
    path.write_text("version: 2\ndimensions: staging\n")
    wrong = await terminal.keepwell("policy", "check", "mine.yaml", **nowhere)
    wrong.refused(2, "mine.yaml:2: dimensions: ")
    path.write_text("")
    empty = await terminal.keepwell("policy", "check", "mine.yaml", **nowhere)
    empty.refused(2, "mine.yaml:1: the document: is empty; a policy begins with version: 2")
    missing = await terminal.keepwell("policy", "check", "none.yaml", **nowhere)
    missing.refused(2, "none.yaml: cannot be read; name a YAML file")


async def test_what_could_not_be_applied_passes_no_check(terminal: Terminal) -> None:
    def without_admin(document: dict[str, Any]) -> None:
        del document["roles"]["admin"]

    sound = written_policy(otherwise(lambda _: None))
    for content, said in (
        (written_policy(otherwise(without_admin)), "nobody could change this policy again"),
        (f"# password: dragonfly-9931-Kx\n{sound}", "holds what reads like a credential"),
        (f"{sound}# {'x' * 100_000}\n", "100,000 characters"),
    ):
        (terminal.folder / "mine.yaml").write_text(content)
        (await terminal.keepwell("policy", "check", "mine.yaml")).refused(2, "mine.yaml: ", said)
        applied = await terminal.keepwell("policy", "apply", "mine.yaml", "--reason", "x")
        assert applied.code == 2


async def test_a_system_alone_may_change_a_policy_again(terminal: Terminal) -> None:
    def by_system(document: dict[str, Any]) -> None:
        document["systems"]["steward"] = document["roles"].pop("admin")

    (terminal.folder / "mine.yaml").write_text(written_policy(otherwise(by_system)))
    assert (await terminal.keepwell("policy", "check", "mine.yaml")).code == 0


async def test_what_cannot_be_applied_is_refused_with_the_remedy(terminal: Terminal) -> None:
    same = written_policy(otherwise(called_boss))
    (terminal.folder / "mine.yaml").write_text(same)
    (terminal.folder / "none.yaml").write_text("version: 2\ndimensions: [workspace]\n")
    (terminal.folder / "wrong.yaml").write_text("version: 2\ndimensions: staging\n")
    reason = ("--reason", "x")
    (await terminal.keepwell("policy", "apply", "none.yaml", *reason)).refused(
        2, "you could not change it again"
    )
    (await terminal.keepwell("policy", "apply", "wrong.yaml", *reason)).refused(
        2, "content: line 2: dimensions"
    )
    (await terminal.keepwell("policy", "apply", "missing.yaml", *reason)).refused(
        2, "missing.yaml: cannot be read"
    )
    (await terminal.keepwell("policy", "apply", "mine.yaml", "--reason", "")).refused(2, "reason: ")
    stale = ("--expected-version", "4")
    (await terminal.keepwell("policy", "apply", "mine.yaml", *reason, *stale)).refused(5, "another version")
    (await terminal.keepwell("policy", "apply", "mine.yaml", *reason, "--role", "operator")).refused(
        3, "administer"
    )
    (await terminal.keepwell("policy", "show", "--version", "3")).refused(4, "no such version")
    assert (await terminal.keepwell("policy", "apply", "mine.yaml", *reason)).code == 0
    (await terminal.keepwell("policy", "apply", "mine.yaml", *reason)).refused(
        5, "there is nothing to change"
    )


async def test_the_operator_speaks_in_whichever_role_administers(terminal: Terminal) -> None:
    def boss_alone(document: dict[str, Any]) -> None:
        document["roles"]["boss"] = document["roles"].pop("admin")

    (terminal.folder / "mine.yaml").write_text(written_policy(otherwise(boss_alone)))
    apply = ("policy", "apply", "mine.yaml", "--reason", "another name")
    (await terminal.keepwell(*apply)).refused(2, "you could not change it again")
    both = (*apply, "--role", "admin", "--role", "boss")
    assert (await terminal.keepwell(*both)).code == 0
    (await terminal.keepwell("policy", "log")).refused(3, "the policy knows no role admin")
    assert "another name" in (await terminal.keepwell("policy", "log", "--role", "boss")).said()
