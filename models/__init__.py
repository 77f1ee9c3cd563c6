"""The rules of Keepwell: types and pure decisions.

Nothing here reads a clock, a file, the environment, a database or a random source; a rule that needs the
present takes `now`.
"""
