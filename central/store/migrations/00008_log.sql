-- A log that shows when the past was rewritten (package transparency).

-- One row: which log it is. The epoch grows when the database is restored from a backup.
CREATE TABLE log_state (
    one   INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    log   TEXT    NOT NULL, -- empty: nothing was sealed yet
    epoch INTEGER NOT NULL CHECK (epoch >= 0)
) STRICT;
INSERT INTO log_state (one, log, epoch) VALUES (1, '', 0);

-- What each leaf of the tree is of. Numbers have no gap.
CREATE TABLE log_entries (
    number   INTEGER NOT NULL PRIMARY KEY CHECK (number >= 0),
    source   TEXT    NOT NULL CHECK (source IN ('operation', 'open', 'audit', 'case')),
    name     TEXT    NOT NULL,
    part     INTEGER NOT NULL CHECK (part >= 0),
    erasable TEXT    NOT NULL CHECK (length(erasable) = 64), -- digest of what retention erases, hex
    UNIQUE (source, name, part)
) STRICT;

-- The hashes of the tree, 256 of a level in a row; the last row of a level grows.
CREATE TABLE log_tiles (
    level  INTEGER NOT NULL CHECK (level >= 0),
    number INTEGER NOT NULL CHECK (number >= 0),
    hashes BLOB    NOT NULL CHECK (length(hashes) % 32 = 0),
    PRIMARY KEY (level, number)
) STRICT;

-- Signed by a key that is not in the database.
CREATE TABLE log_checkpoints (
    size   INTEGER NOT NULL PRIMARY KEY CHECK (size > 0),
    at     INTEGER NOT NULL,
    signed TEXT    NOT NULL
) STRICT;

-- Up to when each source was sealed, in milliseconds; 0: never. It is no row of counters, which
-- every request may read.
CREATE TABLE log_sources (
    source TEXT    NOT NULL PRIMARY KEY,
    until  INTEGER NOT NULL CHECK (until >= 0)
) STRICT;
INSERT INTO log_sources (source, until) VALUES ('operation', 0), ('open', 0), ('audit', 0), ('case', 0);

CREATE INDEX reconciliation_steps_by_age ON reconciliation_steps (at);

CREATE TRIGGER log_entries_immutable BEFORE UPDATE ON log_entries FOR EACH ROW
EXECUTE FUNCTION refuse('the log can''t be changed');

CREATE TRIGGER log_entries_no_delete BEFORE DELETE ON log_entries FOR EACH ROW
EXECUTE FUNCTION refuse('the log can''t be deleted');
