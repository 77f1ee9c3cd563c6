"""Language models as proposers, through pydantic-ai: any provider that it speaks to, local servers included.

Importing this takes seconds, so nobody does but a process that has a model configured. A model is shown events as
data and proposes words. It never sees or writes an id, and decides no authority, scope or status: what it proposes
is judged like the proposal of a rule.
"""

from providers.language_model.connection import connect
from providers.language_model.drafter import AskingDrafter
from providers.language_model.extractor import AskingExtractor
from providers.language_model.narrator import AskingNarrator

__all__ = ["AskingDrafter", "AskingExtractor", "AskingNarrator", "connect"]
