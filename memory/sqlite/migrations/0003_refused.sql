-- Passages that could not be embedded while a model was built: they are queued
-- for it when it becomes active.
CREATE TABLE refused_passages(
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  passage  INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY(model_id, passage)
) STRICT, WITHOUT ROWID;
