"""`python -m evals.prospective_capture`: the figures of both parts, held to their floors."""

import sys

from evals.prospective_capture.measure import PARTS, as_text, cases_of, figures_of
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY

PRECISION = 1.0
"""What is proposed wrongly costs somebody's attention; what is not found costs what it cost before."""
RECALL = {"development": 1.0, "held_out": 0.7}


def main() -> int:
    """Measure and print; 1 where a floor is missed."""
    policy, missed = load_policy(SHIPPED_POLICY), 0
    for part in PARTS:
        figures = figures_of(policy, cases_of(part))
        print(as_text(part, figures))
        missed |= figures.precision < PRECISION or figures.recall < RECALL[part]
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
