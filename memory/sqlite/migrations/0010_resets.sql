-- A generation is given once in a file: what was begun on a session does not
-- reach one that was made later under the same name.
CREATE TABLE resets(
  id         INTEGER PRIMARY KEY CHECK(id = 1),
  generation INTEGER NOT NULL -- the highest given so far; a new session begins with it
) STRICT;
INSERT INTO resets(id, generation) SELECT 1, coalesce(max(generation), 0) FROM sessions;

-- messages.dropped holds the number of the compaction by hand, in the session,
-- that took the message out of hot history; the highest is undone first.

-- Senders go with their last message.
CREATE INDEX messages_sender ON messages(sender_id) WHERE sender_id IS NOT NULL;

-- Work on what a session says goes when that is deleted; '' = of no session.
ALTER TABLE work ADD COLUMN session TEXT NOT NULL DEFAULT '';

-- Words of deleted messages: a wipe deletes those that no message has any more.
CREATE TABLE doubtful_words(
  word  TEXT NOT NULL PRIMARY KEY,
  token TEXT NOT NULL
) STRICT, WITHOUT ROWID;
