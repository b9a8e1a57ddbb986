-- The rolling summaries, how far each has come, and what stands in its way.
CREATE TABLE summaries(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  version    INTEGER NOT NULL, -- in the session, from 1; the highest is current
  cursor_seq INTEGER NOT NULL, -- the last message that is in it, by arrival
  created_at INTEGER NOT NULL,
  model      TEXT NOT NULL,    -- what wrote it; 'local' = no model
  body       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX summaries_version ON summaries(session_id, version);

CREATE TABLE summary_state(
  session_id   INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  last_version INTEGER NOT NULL DEFAULT 0, -- given last; never goes back, also when the versions are gone
  cursor_seq   INTEGER NOT NULL DEFAULT 0, -- messages up to here are in the summary, and
  part_seq     INTEGER NOT NULL DEFAULT 0, -- of this one
  part_bytes   INTEGER NOT NULL DEFAULT 0, -- the beginning
  failures     INTEGER NOT NULL DEFAULT 0, -- in a row
  not_before   INTEGER NOT NULL DEFAULT 0,
  last_error   TEXT,
  base         TEXT                        -- the summary kept at the last reset
) STRICT;

-- A rebuild in the making, apart from the current summary.
CREATE TABLE summary_drafts(
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  generation INTEGER NOT NULL, -- of the session when it was begun; void in another one
  cursor_seq INTEGER NOT NULL,
  part_seq   INTEGER NOT NULL,
  part_bytes INTEGER NOT NULL,
  messages   INTEGER NOT NULL, -- that are in it
  model      TEXT NOT NULL,
  body       TEXT NOT NULL
) STRICT;
