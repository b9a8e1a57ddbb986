-- Conversations, their full text, and what still needs a vector.
-- Times are UTC Unix nanoseconds. An id that a cursor, queue or job may hold
-- after its row is gone is AUTOINCREMENT, so that it is never given again.

CREATE TABLE sessions(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,       -- the session id of the outside
  title      TEXT,                       -- beginning of the first user message
  generation INTEGER NOT NULL DEFAULT 0, -- raised by each reset; work begun before it is void
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE message_meta(
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  next_seq   INTEGER NOT NULL DEFAULT 1, -- the next arrival number; never goes back
  messages   INTEGER NOT NULL DEFAULT 0,
  first_at   INTEGER NOT NULL DEFAULT 0,
  last_at    INTEGER NOT NULL DEFAULT 0,
  start_at   INTEGER NOT NULL DEFAULT -9223372036854775808, -- the cut-off: hot history begins at
  start_seq  INTEGER NOT NULL DEFAULT 0,                    -- (start_at, start_seq)
  hot_bytes  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX message_meta_recent ON message_meta(last_at DESC, session_id);

CREATE TABLE senders(
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- The small columns come first, the text last: what ranking reads never touches
-- the overflow pages of a long message.
CREATE TABLE messages(
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id   INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  sent_at      INTEGER NOT NULL,
  role         INTEGER NOT NULL CHECK(role BETWEEN 0 AND 3), -- user, assistant, system, tool
  dropped      INTEGER NOT NULL DEFAULT 0,                   -- taken out of hot history by hand
  bytes        INTEGER NOT NULL,
  sender_id    INTEGER REFERENCES senders(id),
  client_id    TEXT,
  dedup        BLOB,                     -- hash of role, time and text, when the time was given
  source       TEXT NOT NULL,
  features     BLOB,                     -- what ranking needs of the whole message
  tool_name    TEXT,
  tool_call_id TEXT,
  tool_calls   TEXT,
  content      TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_arrival ON messages(session_id, seq);
CREATE INDEX messages_order ON messages(session_id, sent_at, seq);
CREATE UNIQUE INDEX messages_client ON messages(session_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX messages_dedup ON messages(session_id, dedup) WHERE dedup IS NOT NULL;

-- A passage is numbered message id * 256 + ord: 0 is the whole message, 1..255
-- its parts when it is long. Only parts have a row here.
CREATE TABLE passages(
  id         INTEGER PRIMARY KEY,
  message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
  start      INTEGER NOT NULL,           -- bytes in the content
  length     INTEGER NOT NULL,
  features   BLOB
) STRICT;
CREATE INDEX passages_message ON passages(message_id);

-- Tokens are made in Go and stored separated by blanks. scope holds the session
-- and the role as tokens, head the sender and the date, body the whole message,
-- part a part of a long one. rowid is the passage.
CREATE VIRTUAL TABLE message_fts USING fts5(
  scope, head, body, part,
  content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
);
INSERT INTO message_fts(message_fts, rank) VALUES('rank', 'bm25(0.0, 1.0, 1.0, 1.0)');
INSERT INTO message_fts(message_fts, rank) VALUES('secure-delete', 1);
CREATE VIRTUAL TABLE message_terms USING fts5vocab(message_fts, 'row');

-- The words as written (folded) and the token that the index keeps of each: a
-- part of a word is looked up here, never in the text.
CREATE TABLE words(
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  word  TEXT NOT NULL UNIQUE,
  token TEXT NOT NULL
) STRICT;

CREATE TABLE corpus_totals(
  corpus    TEXT NOT NULL PRIMARY KEY,
  documents INTEGER NOT NULL DEFAULT 0,  -- messages with text
  terms     INTEGER NOT NULL DEFAULT 0   -- content terms in them
) STRICT, WITHOUT ROWID;
INSERT INTO corpus_totals(corpus) VALUES('message');

-- One vector table a model: vec_message_<id>, made when the model is first used.
CREATE TABLE embedding_models(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  provider   TEXT NOT NULL,
  name       TEXT NOT NULL,
  dimensions INTEGER NOT NULL CHECK(dimensions BETWEEN 1 AND 8192),
  active     INTEGER NOT NULL DEFAULT 0,
  vectors    INTEGER NOT NULL DEFAULT 0, -- rows in its table: counting them would scan it
  created_at INTEGER NOT NULL,
  UNIQUE(provider, name, dimensions)
) STRICT;

CREATE TABLE embed_queue(
  corpus     TEXT NOT NULL CHECK(corpus IN ('message', 'lesson', 'note')),
  ref        INTEGER NOT NULL,           -- of messages: the passage
  tries      INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  PRIMARY KEY(corpus, ref)
) STRICT, WITHOUT ROWID;

-- Leases: one holder at a time across processes. fence grows with each grant, a
-- write guarded by an older one is refused.
CREATE TABLE leases(
  name    TEXT NOT NULL PRIMARY KEY,
  owner   TEXT NOT NULL,
  fence   INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs(
  name        TEXT NOT NULL PRIMARY KEY,
  last_run_at INTEGER,
  last_error  TEXT
) STRICT, WITHOUT ROWID;
