-- Run with psql at every start: a database cannot be created inside a condition, so psql runs the result.
SELECT 'CREATE DATABASE ' || quote_ident(:'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
