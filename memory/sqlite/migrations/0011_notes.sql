-- Notes in Markdown: what is known of the files of the workspace, so that they
-- are searched. The files themselves are the truth; these rows follow them.
CREATE TABLE note_files(
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  path        TEXT NOT NULL UNIQUE, -- relative to the workspace, with slashes
  source      TEXT NOT NULL,        -- core, daily, profile, other
  from_at     INTEGER NOT NULL,     -- the time it is of: [from_at, to_at)
  to_at       INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  seen_at     INTEGER NOT NULL,     -- when it was read
  hash        BLOB NOT NULL
) STRICT;

-- How often the files above have changed: who knows the number knows the files.
CREATE TABLE note_state(
  revision INTEGER NOT NULL
) STRICT;
INSERT INTO note_state(revision) VALUES(1);

CREATE TABLE note_chunks(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id    INTEGER NOT NULL REFERENCES note_files(id) ON DELETE CASCADE,
  ord        INTEGER NOT NULL,      -- place in the file, from 0
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  terms      INTEGER NOT NULL,
  hash       BLOB NOT NULL,         -- of heading and content
  features   BLOB,
  heading    TEXT NOT NULL,
  content    TEXT NOT NULL
) STRICT;
CREATE INDEX note_chunks_order ON note_chunks(file_id, ord);

-- head holds the name of the file and its day, body heading and text.
CREATE VIRTUAL TABLE note_fts USING fts5(
  head, body,
  content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
);
INSERT INTO note_fts(note_fts, rank) VALUES('secure-delete', 1);
CREATE VIRTUAL TABLE note_terms USING fts5vocab(note_fts, 'row');
INSERT INTO corpus_totals(corpus) VALUES('note');

CREATE TRIGGER note_chunks_deleted AFTER DELETE ON note_chunks
BEGIN
  DELETE FROM note_fts WHERE rowid = OLD.id;
  UPDATE corpus_totals SET documents = documents - 1, terms = terms - OLD.terms WHERE corpus = 'note';
END;

-- A chunk without a row of a model still needs its vector: there is no queue to
-- fill when the model changes, and the vectors go with their model.
CREATE TABLE note_vectors(
  chunk_id   INTEGER NOT NULL REFERENCES note_chunks(id) ON DELETE CASCADE,
  model_id   INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  tries      INTEGER NOT NULL DEFAULT 0, -- that have failed
  not_before INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  vector     BLOB,                       -- unit length, float32; NULL = it has none
  PRIMARY KEY(chunk_id, model_id)
) STRICT;
CREATE INDEX note_vectors_failing ON note_vectors(model_id) WHERE vector IS NULL AND tries > 0;

-- What a file was before each write.
CREATE TABLE note_versions(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  path       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  undone     INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  after      BLOB NOT NULL,              -- hash of what was written
  before     BLOB                        -- NULL = there was no file
) STRICT;
CREATE UNIQUE INDEX note_versions_path ON note_versions(path, version);

-- Which parts of which sessions are in the daily notes.
CREATE TABLE daily_sections(
  day        TEXT NOT NULL,
  session    TEXT NOT NULL,
  from_seq   INTEGER NOT NULL,
  to_seq     INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY(day, session, from_seq, to_seq)
) STRICT, WITHOUT ROWID;
