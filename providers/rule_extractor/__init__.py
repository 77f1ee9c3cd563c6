"""The bundled extractor: plain operational English, read by rules that are data.

It proposes and decides nothing: who may say what is settled from the events, elsewhere. It must never guess;
a sentence that it does not understand to the end stays in the episode and gives no proposal.
"""

from providers.rule_extractor.extractor import RuleExtractor

__all__ = ["RuleExtractor"]
