"""GateMem: shared memory of many people in an office and in a clinic, who may know different things."""
