-- Lessons: errors of tools and what solved them, for all sessions.
CREATE TABLE lessons(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  key        BLOB NOT NULL UNIQUE, -- hash of tool, class of error and action
  tool_key   TEXT NOT NULL,        -- the tool as it is compared
  session    TEXT NOT NULL,        -- where it was written last; the lesson outlives it
  source     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  tool       TEXT NOT NULL,
  keywords   TEXT NOT NULL,        -- a JSON array
  symptom    TEXT NOT NULL,
  cause      TEXT NOT NULL,
  action     TEXT NOT NULL,
  tokens     TEXT NOT NULL         -- made in Go, separated by blanks
) STRICT;
CREATE INDEX lessons_recent ON lessons(updated_at DESC, id DESC);
CREATE INDEX lessons_tool ON lessons(tool_key, updated_at DESC, id DESC);
CREATE INDEX lessons_expiry ON lessons(expires_at);

-- The index reads its text from the table and follows it by triggers, so that it
-- can be made again without any help from outside.
CREATE VIRTUAL TABLE lesson_fts USING fts5(
  tokens,
  content='lessons', content_rowid='id',
  tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
);
INSERT INTO lesson_fts(lesson_fts, rank) VALUES('secure-delete', 1);
CREATE TRIGGER lessons_inserted AFTER INSERT ON lessons
BEGIN
  INSERT INTO lesson_fts(rowid, tokens) VALUES(NEW.id, NEW.tokens);
END;
CREATE TRIGGER lessons_deleted AFTER DELETE ON lessons
BEGIN
  INSERT INTO lesson_fts(lesson_fts, rowid, tokens) VALUES('delete', OLD.id, OLD.tokens);
END;
CREATE TRIGGER lessons_updated AFTER UPDATE OF tokens ON lessons
BEGIN
  INSERT INTO lesson_fts(lesson_fts, rowid, tokens) VALUES('delete', OLD.id, OLD.tokens);
  INSERT INTO lesson_fts(rowid, tokens) VALUES(NEW.id, NEW.tokens);
END;

-- The vector of a lesson, and the model that made it: another model's takes its
-- place. NULL = that model knows no word of it.
CREATE TABLE lesson_vectors(
  lesson_id  INTEGER PRIMARY KEY REFERENCES lessons(id) ON DELETE CASCADE,
  provider   TEXT NOT NULL,
  name       TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vector     BLOB
) STRICT;
