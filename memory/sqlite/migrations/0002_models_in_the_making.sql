-- A model that is to replace the active one is built beside it: its vectors are
-- made in the background up to passage built_to, then it becomes active.
ALTER TABLE embedding_models ADD COLUMN built_to INTEGER NOT NULL DEFAULT 0;

-- What a model that was learnt from the messages consists of.
CREATE TABLE local_models(
  model_id   INTEGER PRIMARY KEY REFERENCES embedding_models(id) ON DELETE CASCADE,
  trained_on INTEGER NOT NULL, -- messages
  body       BLOB NOT NULL
) STRICT;
