"""How well promises, and wishes to be reminded, are told from what only looks like one: labelled sentences.

Firing is measured elsewhere; here no clock runs, no store is asked, and the policy is the shipped one.
"""
