"""How the service is started, watched and stopped: settings, health and the embedded stack."""
