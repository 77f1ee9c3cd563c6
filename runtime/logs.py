"""Logs: one line of JSON for each thing that happened, on standard error. They hold ids and enums, no content."""

import logging
import sys

import structlog


def configure_logs(least: int = logging.INFO) -> None:
    """Send our log lines from the level `least` on, and warnings of the libraries, to standard error."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(level=max(least, logging.WARNING), stream=sys.stderr)
