"""The routes, one noun a file. Each reads, calls one verb of the service, and tells what came of it."""
