"""What kind of source spoke. Strength ranks sources; it makes nothing true and permits nothing."""

from enum import IntEnum, StrEnum


class Authority(IntEnum):
    """Kinds of source, weakest first, so that `min` over cited events is the authority of a record."""

    UNTRUSTED = 0
    MODEL_INFERRED = 1
    HUMAN_INSTRUCTION = 2
    VERIFIED_OUTCOME = 3
    AUTHORITATIVE_SOURCE = 4


class Standing(StrEnum):
    """How well supported a record is, weakest first."""

    INFERRED = "inferred"
    OBSERVED = "observed"
    CONFIRMED = "confirmed"

    def suffices(self, least: "Standing") -> bool:
        """Whether this standing is at least `least`."""
        ranks = list(Standing)
        return ranks.index(self) >= ranks.index(least)


def standing_of(sources: list[tuple[Authority, str]]) -> Standing:
    """Standing from the evidence: `(authority, subject)` of each cited event that had permission.

    | evidence | standing |
    | --- | --- |
    | an authoritative source, a verified outcome, or two different people | confirmed |
    | one person | observed |
    | anything less | inferred |
    """
    if any(authority >= Authority.VERIFIED_OUTCOME for authority, _ in sources):
        return Standing.CONFIRMED
    people = {subject for authority, subject in sources if authority == Authority.HUMAN_INSTRUCTION}
    if len(people) >= 2:
        return Standing.CONFIRMED
    return Standing.OBSERVED if people else Standing.INFERRED
