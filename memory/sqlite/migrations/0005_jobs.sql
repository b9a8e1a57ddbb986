-- What has run and what is to run. A job is run by the owner of the lease
-- "job <name>"; an item of work carries its lease itself.
ALTER TABLE jobs ADD COLUMN tick INTEGER NOT NULL DEFAULT 0; -- scheduled time of the run that began last (at last_run_at)
ALTER TABLE jobs ADD COLUMN done INTEGER NOT NULL DEFAULT 0; -- scheduled time of the last one that succeeded
ALTER TABLE jobs ADD COLUMN ended_at INTEGER;                -- NULL = under way or broken off
ALTER TABLE jobs ADD COLUMN retry_at INTEGER;                -- NULL = not before the next tick
ALTER TABLE jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;

CREATE TABLE work(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  kind       TEXT NOT NULL,
  key        TEXT NOT NULL,
  payload    BLOB NOT NULL,
  version    INTEGER NOT NULL DEFAULT 1,
  tries      INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  owner      TEXT,
  expires    INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  added_at   INTEGER NOT NULL,
  UNIQUE(kind, key)
) STRICT;
