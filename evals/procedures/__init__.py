"""Whether reflection notices what recurs, and proposes nothing else: a corpus with what is planted in it."""
