"""The first step of the write path: take what happened, durably. No model and no Temporal call in it."""
