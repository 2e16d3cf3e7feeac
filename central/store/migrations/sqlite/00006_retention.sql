-- What is kept, for how long, and the way back: bodies that went to an archive
-- file, indices for what is purged, and the marks of a restored database.

-- +goose Up

-- Files that bodies went to. A file is on the disk before its row is here.
CREATE TABLE archives (
    file       TEXT    NOT NULL PRIMARY KEY CHECK (file <> '' AND file NOT LIKE '%/%'),
    sha256     TEXT    NOT NULL CHECK (length(sha256) = 64),
    month      TEXT    NOT NULL CHECK (month LIKE '____-__'), -- Indian, in which the operations ended
    operations INTEGER NOT NULL CHECK (operations > 0), -- lines of the file
    node       TEXT    NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER archives_fixed BEFORE UPDATE ON archives
BEGIN
    SELECT RAISE(ABORT, 'an archive never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER archives_kept BEFORE DELETE ON archives
BEGIN
    SELECT RAISE(ABORT, 'archives are kept');
END;
-- +goose StatementEnd

-- 2592000000: thirty days, in which a reply is asked for again most.
ALTER TABLE operations ADD COLUMN archived_at INTEGER CONSTRAINT archived_after_a_month
    CHECK (archived_at IS NULL OR settled_at IS NOT NULL AND archived_at >= settled_at + 2592000000);
ALTER TABLE operations ADD COLUMN archive TEXT REFERENCES archives (file) CONSTRAINT archived_in_a_file
    CHECK ((archive IS NULL) = (archived_at IS NULL));

CREATE INDEX operations_to_archive ON operations (settled_at, id) WHERE settled_at IS NOT NULL AND archived_at IS NULL;

DROP TRIGGER operations_final;

-- The one change of a final operation: its reply gives way to the short one,
-- once. What the operation is stands in operations_fixed.
-- +goose StatementBegin
CREATE TRIGGER operations_final BEFORE UPDATE ON operations
WHEN OLD.settled_at IS NOT NULL AND NOT (
    OLD.archived_at IS NULL AND NEW.archived_at IS NOT NULL AND length(NEW.reply) BETWEEN 2 AND 2048
    AND NEW.state = OLD.state AND NEW.node = OLD.node AND NEW.attempts = OLD.attempts
    AND NEW.dispatched_at IS OLD.dispatched_at AND NEW.bank_not_after IS OLD.bank_not_after
    AND NEW.pending_reference IS OLD.pending_reference AND NEW.next_enquiry IS OLD.next_enquiry
    AND NEW.stuck_at IS OLD.stuck_at AND NEW.settled_at IS OLD.settled_at
    AND NEW.code = OLD.code AND NEW.rrn = OLD.rrn AND NEW.http = OLD.http AND NEW.charge = OLD.charge)
BEGIN
    SELECT RAISE(ABORT, 'a final operation never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operations_archived BEFORE UPDATE OF archived_at, archive ON operations
WHEN OLD.settled_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'only what ended is archived');
END;
-- +goose StatementEnd

DROP TRIGGER steps_fixed;

-- +goose StatementBegin
CREATE TRIGGER steps_fixed BEFORE UPDATE ON operation_steps
WHEN NOT (NEW.reason = '' AND NEW.operation = OLD.operation AND NEW.step = OLD.step AND NEW.at = OLD.at
    AND NEW.node = OLD.node AND NEW.from_state = OLD.from_state AND NEW.to_state = OLD.to_state
    AND EXISTS (SELECT 1 FROM operations WHERE id = OLD.operation AND archived_at IS NOT NULL))
BEGIN
    SELECT RAISE(ABORT, 'history never changes');
END;
-- +goose StatementEnd

-- What is looked for by purges.
CREATE INDEX enrolment_codes_by_end ON enrolment_codes (expires_at);
CREATE INDEX agent_sessions_by_end ON agent_sessions (expires_at);
CREATE INDEX quota_usage_by_period ON quota_usage (period, key);
CREATE INDEX reservations_by_period ON reservations (period, key);

-- When copies of the database were begun; a copy has its own row.
CREATE TABLE backups (
    at   INTEGER NOT NULL PRIMARY KEY,
    node TEXT    NOT NULL
) STRICT;

-- When the database was put back from a copy. Where gap is 1, operations may
-- have been recorded after the copy that it does not know.
CREATE TABLE restorations (
    at          INTEGER NOT NULL PRIMARY KEY,
    backup_at   INTEGER, -- NULL: nobody knows
    gap         INTEGER NOT NULL CHECK (gap IN (0, 1)),
    released_at INTEGER, -- a person has looked after the gap
    CONSTRAINT released_afterwards CHECK (released_at >= at),
    CONSTRAINT without_a_gap_nothing_is_held CHECK (gap = 1 OR released_at IS NOT NULL)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER restorations_fixed BEFORE UPDATE ON restorations
WHEN OLD.released_at IS NOT NULL OR NEW.at <> OLD.at OR NEW.backup_at IS NOT OLD.backup_at OR NEW.gap <> OLD.gap
BEGIN
    SELECT RAISE(ABORT, 'a restoration is released once, and never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER restorations_kept BEFORE DELETE ON restorations
BEGIN
    SELECT RAISE(ABORT, 'restorations are kept');
END;
-- +goose StatementEnd

-- Identities that were asked for after a restoration and that may have been
-- used in its gap: a person must say what became of them.
CREATE TABLE held_identities (
    caller   TEXT    NOT NULL CHECK (caller <> ''),
    identity TEXT    NOT NULL CHECK (identity <> ''),
    at       INTEGER NOT NULL,
    PRIMARY KEY (caller, identity)
) STRICT, WITHOUT ROWID;

CREATE INDEX held_identities_in_order ON held_identities (at, caller, identity);
