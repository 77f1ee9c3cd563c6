"""Who is calling, from what the caller shows: tokens of an OIDC issuer are verified here."""
