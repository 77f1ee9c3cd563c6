"""Tests of the rules: no server, no clock, no file of ours but the policy that is shipped."""
