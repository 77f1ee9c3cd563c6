"""Northstar: a shop with a support copilot, its customers, and an order system that knows better."""
