#!/bin/sh
# Creates the namespace and registers Keepwell's search attributes. It may be repeated: what exists is kept,
# and an attribute that exists with another type is an error, since no query of ours would find it.
# The `temporal` command reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE by itself.
set -eu

: "${TEMPORAL_ADDRESS:?name the address of the Temporal frontend, such as temporal:7233}"
: "${TEMPORAL_NAMESPACE:?name the namespace}"
: "${NAMESPACE_RETENTION:?say how long closed executions are kept, such as 7d}"
: "${KEYWORD_SEARCH_ATTRIBUTES:?list the keyword search attributes, separated by spaces}"

attempts=${ATTEMPTS:-30}

# Runs a command until it succeeds; the last failure is shown and ends the script.
eventually() {
    attempt=1
    until output=$("$@" 2>&1); do
        if [ "$attempt" -ge "$attempts" ]; then
            printf '%s\n' "$output" >&2
            return 1
        fi
        attempt=$((attempt + 1))
        sleep 2
    done
    [ -z "$output" ] || printf '%s\n' "$output"
}

# An open port is not yet a serving cluster.
eventually temporal operator cluster health

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    echo "namespace $TEMPORAL_NAMESPACE exists"
else
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
fi

registered() {
    temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" |
        awk -v name="$1" '$1 == name && $2 == "Keyword" { found = 1 } END { exit !found }'
}

# The server's own cache learns of a new namespace some seconds later.
eventually temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" >/dev/null

# One call for each: given several names at once, the command registers the first alone and reports success.
for name in $KEYWORD_SEARCH_ATTRIBUTES; do
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --type Keyword --name "$name"
    eventually registered "$name"
done
