"""The read path: what governs, what happened, and why or why not. It never waits for Temporal."""
