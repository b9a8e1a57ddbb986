-- The context windows that models were found to have when something did not fit.
CREATE TABLE model_limits(
  model     TEXT PRIMARY KEY,
  tokens    INTEGER NOT NULL,
  kind      TEXT NOT NULL,    -- of the text that told it; '' = none did
  learnt_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
