"""Speed, told as ratios to a floor of the same run: what Keepwell adds to the bare statements under it.

Nothing here judges: a bar that is missed is printed as missed, and the run still succeeds.
"""
