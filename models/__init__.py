"""The rules of Keepwell: types and pure decisions.

Nothing here reads a clock, a file, the environment, a database or a random source; a rule that needs the
present takes `now`. The declared terms of `models.prohibited` lie in files of their own as they are data; they
are a part of the code, and loaded with it.
"""
