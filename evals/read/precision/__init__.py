"""precisionMemBench: beliefs of one person in domains, and what each question should bring up and nothing else."""
