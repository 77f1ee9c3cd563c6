"""The measured read path: boards with known answers, asked through the service, each beside its plain baselines."""
