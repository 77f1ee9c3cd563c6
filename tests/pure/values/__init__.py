"""Canonical values: one file of tables for each kind of value, and the properties that hold for all of them."""
