-- The schema of the store. It also brings an older store to this version: captures are emptied, and published versions stay.
-- The name of a project is the one in the URLs of the server. All times are of the clock of the database.
CREATE SCHEMA IF NOT EXISTS mcp_docs;
SET LOCAL search_path = mcp_docs;
DROP TABLE IF EXISTS log, leases, capture_parts, captures, journal, jobs, subscriptions, tree_changes;
DROP SEQUENCE IF EXISTS tokens, capture_versions;

-- The version of the schema, and the oldest version whose programs can still use it: replicas are updated one after the other.
DROP TABLE IF EXISTS schema_version;
CREATE TABLE schema_version (version integer NOT NULL, oldest integer NOT NULL, release text NOT NULL); -- of the program that made it

-- What changed in each project, for the other replicas. The row of a project in cursors is locked from the change to the commit, so
-- the numbers of a project have no gap and rise in the order of the commits. Rows stay for an hour, and the newest one of a project
-- stays. random differs in another copy of the database: a replica sees by it that the database was replaced by an older copy.
CREATE TABLE IF NOT EXISTS cursors (
  project text   PRIMARY KEY,
  seq     bigint NOT NULL
);
CREATE TABLE log (
  project text        NOT NULL,
  seq     bigint      NOT NULL,
  random  uuid        NOT NULL DEFAULT gen_random_uuid(),
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  topic   text        NOT NULL,
  keys    text[]      NOT NULL,
  PRIMARY KEY (project, seq)
);
CREATE INDEX log_at ON log (at);

-- The replica that removes old rows in this minute, and the last time at which each replica could write.
CREATE TABLE leases (
  name   text        PRIMARY KEY,
  holder text        NOT NULL,
  until  timestamptz NOT NULL
);

-- Captures of web pages: one row a key, and the contents of its tiers. A version is random, so nothing can have it again. meta has the
-- same format as meta.json of captures in files.
CREATE TABLE captures (
  project text        NOT NULL,
  key     text        NOT NULL,
  version text        NOT NULL,
  meta    bytea       NOT NULL,
  used    timestamptz NOT NULL,
  PRIMARY KEY (project, key)
);
CREATE TABLE capture_parts (
  project text    NOT NULL,
  key     text    NOT NULL,
  version text    NOT NULL,
  tier    text    NOT NULL,
  part    integer NOT NULL,
  data    bytea   NOT NULL, -- at most 1 MiB
  PRIMARY KEY (project, key, version, tier, part),
  FOREIGN KEY (project, key) REFERENCES captures ON DELETE CASCADE
);
-- Pages take a quarter with either method, and lz4 writes them three times as fast. PostgreSQL may have been built without it.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE capture_parts ALTER data SET COMPRESSION lz4';
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

-- Crawls of the last 24 hours, each written by the replica that runs it. status and kept are JSON; sign is the last sign of life.
CREATE TABLE jobs (
  project text        NOT NULL,
  id      text        NOT NULL,
  owner   text        NOT NULL,
  status  bytea       NOT NULL,
  kept    bytea       NOT NULL,
  sign    timestamptz NOT NULL,
  cancel  boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (project, id)
);
CREATE INDEX jobs_owner ON jobs (project, owner);

-- Sessions up to protocol version 2025-11-25 that have ended, by the digest of their id. Rows end when the id expires.
CREATE TABLE IF NOT EXISTS ended_sessions (
  session text        PRIMARY KEY,
  expires timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ended_sessions_expires ON ended_sessions (expires);

-- The key that seals the ids of sessions, if no other is configured.
DROP TABLE IF EXISTS session_keys;
CREATE TABLE IF NOT EXISTS session_key (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  key text    NOT NULL
);

-- Published versions of projects. A project is served from the version that its row names.
CREATE TABLE IF NOT EXISTS trees (
  id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project   text        NOT NULL,
  number    integer     NOT NULL,
  version   text        NOT NULL, -- as its author says
  published timestamptz NOT NULL DEFAULT clock_timestamp(),
  digest    bytea       NOT NULL, -- of the paths, times, sizes and digests of all files
  files     bigint      NOT NULL,
  bytes     bigint      NOT NULL,
  UNIQUE (project, number)
);
ALTER TABLE trees DROP COLUMN IF EXISTS base;
CREATE TABLE IF NOT EXISTS tree_files (
  tree     bigint  NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
  number   integer NOT NULL,
  path     bytea   NOT NULL,
  modified bigint  NOT NULL, -- nanoseconds since 1970
  digest   bytea   NOT NULL, -- SHA-256
  PRIMARY KEY (tree, number)
);
-- The contents of files. No foreign key of tree_files: it would check 100,000 rows at each publication.
CREATE TABLE IF NOT EXISTS blobs (
  digest  bytea       PRIMARY KEY,
  bytes   bigint      NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE IF NOT EXISTS blob_parts (
  digest bytea   NOT NULL REFERENCES blobs (digest) ON DELETE CASCADE,
  part   integer NOT NULL,
  data   bytea   NOT NULL, -- at most 1 MiB
  PRIMARY KEY (digest, part)
);
CREATE TABLE IF NOT EXISTS projects (
  name text   PRIMARY KEY,
  tree bigint NOT NULL REFERENCES trees (id)
);
