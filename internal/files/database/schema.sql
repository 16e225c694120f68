-- The schema of the store, version 1. The name of a project is the one in the URLs of the server. All times are of the clock of the database.
CREATE SCHEMA mcp_docs;
SET LOCAL search_path = mcp_docs;

-- The version of the schema, and the oldest version whose programs can still use it: replicas are updated one after the other.
CREATE TABLE schema_version (version integer NOT NULL, oldest integer NOT NULL);

-- What changed, for the other replicas; kept for an hour.
CREATE TABLE log (
  xid     xid8        NOT NULL DEFAULT pg_current_xact_id(),
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  project text        NOT NULL,
  topic   text        NOT NULL,
  key     text        NOT NULL
);
CREATE INDEX log_xid ON log (xid);
CREATE INDEX log_at ON log (at);

-- Fencing tokens rise over all leases, so that the row of a lease can be deleted. They are unique, and so a part of the key for
-- the locks of rows: FOR KEY SHARE waits for a change of the token, but not for a renewal.
CREATE SEQUENCE tokens;
CREATE TABLE leases (
  name   text        PRIMARY KEY,
  token  bigint      NOT NULL UNIQUE,
  holder text        NOT NULL,
  until  timestamptz NOT NULL
);

-- Captures of web pages: the newest version of each key, and the contents of its tiers. meta has the same format as meta.json of
-- captures in files.
CREATE SEQUENCE capture_versions;
CREATE TABLE captures (
  project text        NOT NULL,
  key     text        NOT NULL,
  version bigint      NOT NULL,
  meta    bytea       NOT NULL,
  used    timestamptz NOT NULL,
  PRIMARY KEY (project, key)
);
CREATE INDEX captures_used ON captures (project, used);
CREATE TABLE capture_parts (
  version bigint  NOT NULL,
  tier    text    NOT NULL,
  part    integer NOT NULL,
  data    bytea   NOT NULL, -- at most 1 MiB
  PRIMARY KEY (version, tier, part)
);
-- Pages take a quarter with either method, and lz4 writes them three times as fast. PostgreSQL may have been built without it.
DO $$ BEGIN
  EXECUTE 'ALTER TABLE capture_parts ALTER data SET COMPRESSION lz4';
EXCEPTION WHEN OTHERS THEN NULL;
END $$;

-- Crawls. document has the same format as job.json of crawls in files. The rows of a journal follow each other without a gap.
CREATE TABLE jobs (
  project  text        NOT NULL,
  id       text        NOT NULL,
  document bytea       NOT NULL,
  owner    text        NOT NULL,
  ended    boolean     NOT NULL,
  attended timestamptz NOT NULL,
  cancel   boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (project, id)
);
CREATE INDEX jobs_running ON jobs (project) WHERE NOT ended;
CREATE INDEX jobs_owner ON jobs (project, owner);
CREATE TABLE journal (
  project text   NOT NULL,
  job     text   NOT NULL,
  "offset" bigint NOT NULL, -- in bytes, from the beginning of the journal
  data    bytea  NOT NULL, -- whole lines, about 1 MiB at most
  PRIMARY KEY (project, job, "offset"),
  FOREIGN KEY (project, job) REFERENCES jobs (project, id) ON DELETE CASCADE
);

-- Sessions up to protocol version 2025-11-25, by the digest of their id. Rows end when the id expires.
CREATE TABLE ended_sessions (
  session text        PRIMARY KEY,
  expires timestamptz NOT NULL
);
CREATE INDEX ended_sessions_expires ON ended_sessions (expires);
CREATE TABLE subscriptions (
  session    text        NOT NULL,
  uri_digest text        NOT NULL, -- a URI is too long for an index
  owner      text        NOT NULL, -- digest of the project and the caller, whose subscriptions are limited
  uri        bytea       NOT NULL, -- as the client wrote it
  resource   bytea       NOT NULL, -- the key of the resource in package notify
  expires    timestamptz NOT NULL,
  PRIMARY KEY (session, uri_digest)
);
CREATE INDEX subscriptions_owner ON subscriptions (owner);
CREATE INDEX subscriptions_expires ON subscriptions (expires);

-- Published versions of projects. A project is served from the version that its row names.
CREATE TABLE trees (
  id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project   text        NOT NULL,
  number    integer     NOT NULL,
  version   text        NOT NULL, -- as its author says
  published timestamptz NOT NULL DEFAULT clock_timestamp(),
  digest    bytea       NOT NULL, -- of the paths, times, sizes and digests of all files
  base      bigint,               -- the version with which tree_changes compares this one; NULL: none
  files     bigint      NOT NULL,
  bytes     bigint      NOT NULL,
  UNIQUE (project, number)
);
CREATE TABLE tree_files (
  tree     bigint  NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
  number   integer NOT NULL,
  path     bytea   NOT NULL,
  modified bigint  NOT NULL, -- nanoseconds since 1970
  digest   bytea   NOT NULL, -- SHA-256
  PRIMARY KEY (tree, number)
);
-- How a version differs from the one that was served before, so that replicas need not compare all files.
CREATE TABLE tree_changes (
  tree     bigint NOT NULL REFERENCES trees (id) ON DELETE CASCADE,
  path     bytea  NOT NULL,
  modified bigint, -- NULL: the file is removed
  digest   bytea
);
CREATE INDEX tree_changes_tree ON tree_changes (tree);
-- The contents of files. No foreign key of tree_files: it would check 100,000 rows at each publication.
CREATE TABLE blobs (
  digest  bytea       PRIMARY KEY,
  bytes   bigint      NOT NULL,
  created timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE blob_parts (
  digest bytea   NOT NULL REFERENCES blobs (digest) ON DELETE CASCADE,
  part   integer NOT NULL,
  data   bytea   NOT NULL, -- at most 1 MiB
  PRIMARY KEY (digest, part)
);
CREATE TABLE projects (
  name text   PRIMARY KEY,
  tree bigint NOT NULL REFERENCES trees (id)
);

INSERT INTO schema_version VALUES (1, 1);
