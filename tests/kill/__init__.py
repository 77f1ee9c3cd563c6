"""A worker is killed at every boundary of a step and started again; the end must be that of an undisturbed run."""
