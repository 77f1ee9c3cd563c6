# The service as one image: `python worker.py` serves the task queues, `python -m surfaces.http` the HTTP API, and
# `keepwell` is the operator's command.

FROM python:3.13.14-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /app

# The libraries come first: a change of our own code leaves this layer as it is. No compiler is at hand, and none
# is wanted, so that a library without a wheel for this platform is an error here.
RUN python -m venv --without-pip /opt/venv
COPY requirements.lock ./
RUN pip --python /opt/venv/bin/python install --require-hashes --only-binary=:all: -r requirements.lock

COPY pyproject.toml README.md LICENSE worker.py ./
COPY models/ models/
COPY store/ store/
COPY providers/ providers/
COPY capture/ capture/
COPY recall/ recall/
COPY activities/ activities/
COPY workflows/ workflows/
COPY runtime/ runtime/
COPY surfaces/ surfaces/

# The service runs from its checkout: an editable install adds /app to the path and creates the command. The build
# backend is in the lock, so nothing is fetched here. Bytecode is written now; at run time the files are read only.
RUN pip --python /opt/venv/bin/python install --no-deps --no-build-isolation --no-index --editable . \
    && /opt/venv/bin/python -m compileall -q .

FROM python:3.13.14-slim-bookworm
RUN groupadd --system --gid 10001 keepwell \
    && useradd --system --uid 10001 --gid keepwell --no-create-home --home-dir /nonexistent keepwell
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
RUN install --directory --owner=10001 --group=10001 --mode=0700 /opt/rules
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app

# Code and libraries belong to root, so the service cannot change them.
USER 10001:10001

# The secret scanner's rules, compiled for the account that reads them: at a start that takes seconds. Where they do not suit the
# machine that runs the image, each start compiles them anew.
ENV KF_RULE_CACHE_DIR=/opt/rules
RUN python -m providers.secret_scanner

# The worker serves no port: its health is that it reaches the database and Temporal, and that its queue is polled.
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s --retries=3 CMD ["keepwell", "doctor", "--quiet"]

CMD ["python", "worker.py"]
