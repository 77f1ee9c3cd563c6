#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the version that this image carries.
# Every step may be repeated: an existing database is kept, a schema that has a version keeps it, and an update
# applies only the versions that are missing. The address and the password come from the SQL_* variables.
set -eu

: "${SQL_PLUGIN:?name the plugin, such as postgres12}"
: "${SQL_HOST:?name the host of the database server}"

schema_root=/etc/temporal/schema/postgresql/v12

prepare() {
    database=$1
    store=$2
    echo "preparing $database"
    temporal-sql-tool --db "$database" create
    temporal-sql-tool --db "$database" setup-schema -v 0.0
    temporal-sql-tool --db "$database" update-schema -d "$schema_root/$store/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
echo "both schemas are up to date"
