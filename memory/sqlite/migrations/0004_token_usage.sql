-- What chat models have cost, a row for each day, purpose and model. A day is a
-- date of the user's time zone, so that a budget begins anew at midnight.
CREATE TABLE token_usage(
  day      TEXT NOT NULL,
  purpose  TEXT NOT NULL,
  model    TEXT NOT NULL,
  requests INTEGER NOT NULL,
  input    INTEGER NOT NULL,
  output   INTEGER NOT NULL,
  PRIMARY KEY(day, purpose, model)
) STRICT, WITHOUT ROWID;
