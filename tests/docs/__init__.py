"""What the documentation shows is run as it stands."""
