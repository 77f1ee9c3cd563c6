"""LoCoMo: long conversations of two people, and the turns that its authors cite for the answer to each question."""
