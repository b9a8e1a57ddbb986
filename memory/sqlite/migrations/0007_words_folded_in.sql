-- Words that a learnt model did not know, with the vectors they were given since.
-- Readers look for ids after the last they have seen.
CREATE TABLE learnt_words(
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  hash     INTEGER NOT NULL,
  idf      REAL NOT NULL,
  scale    REAL NOT NULL,
  vector   BLOB NOT NULL,        -- a signed byte a dimension, times scale
  UNIQUE(model_id, hash)
) STRICT;

-- How many messages with text have ever been deleted: a learnt model that has
-- seen one of them must be made anew.
ALTER TABLE corpus_totals ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER messages_deleted AFTER DELETE ON messages WHEN OLD.features IS NOT NULL
BEGIN
  UPDATE corpus_totals SET deleted = deleted + 1 WHERE corpus = 'message';
END;
