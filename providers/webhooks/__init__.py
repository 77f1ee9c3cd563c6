"""Webhooks: messages signed by Standard Webhooks go to endpoints whose every address was checked before."""
