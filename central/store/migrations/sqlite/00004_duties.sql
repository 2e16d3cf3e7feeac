-- What a central does when nobody calls: the callbacks that merchants are owed,
-- the secrets that sign them, and the chores of the house.

-- +goose Up

-- When the receiver said that it wants no more: 410 Gone.
ALTER TABLE merchants ADD COLUMN callback_disabled_at INTEGER CONSTRAINT disabled_callback CHECK (callback_disabled_at IS NULL OR callback_url IS NOT NULL);

CREATE INDEX merchants_with_disabled_callback ON merchants (callback_disabled_at) WHERE callback_disabled_at IS NOT NULL;

CREATE TABLE callback_secrets (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    sealed     BLOB    NOT NULL CONSTRAINT secret_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE INDEX callback_secrets_of_merchant ON callback_secrets (merchant, created_at, id);
CREATE INDEX callback_secrets_live ON callback_secrets (merchant, created_at, id) WHERE revoked_at IS NULL;

-- +goose StatementBegin
CREATE TRIGGER callback_secrets_two_live BEFORE INSERT ON callback_secrets
WHEN NEW.revoked_at IS NULL AND (SELECT count(*) FROM callback_secrets WHERE merchant = NEW.merchant AND revoked_at IS NULL) >= 2
BEGIN
    SELECT RAISE(ABORT, 'a merchant has at most two live callback secrets');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER callback_secrets_fixed BEFORE UPDATE ON callback_secrets
WHEN NEW.id <> OLD.id OR NEW.merchant <> OLD.merchant OR NEW.created_at <> OLD.created_at OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
    SELECT RAISE(ABORT, 'a callback secret never changes its owner, and it is revoked for ever');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER callback_secrets_kept BEFORE DELETE ON callback_secrets
BEGIN
    SELECT RAISE(ABORT, 'callback secrets are kept for audit');
END;
-- +goose StatementEnd

-- One for each operation that was pending and has ended, where its merchant
-- wants to know. due_at is the next attempt, or while a node makes one (node) the
-- end of its lease; since is when the time began in which it is tried.
CREATE TABLE callbacks (
    operation  TEXT    NOT NULL PRIMARY KEY REFERENCES operations (id),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    event      TEXT    NOT NULL CONSTRAINT known_event CHECK (event = 'operation.settled'),
    state      TEXT    NOT NULL, -- CONSTRAINT legal_state
    created_at INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    due_at     INTEGER,
    node       TEXT    CHECK (node <> ''),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    tried_at   INTEGER,
    http       INTEGER NOT NULL DEFAULT 0 CHECK (http BETWEEN 0 AND 999),
    said       TEXT    NOT NULL DEFAULT '',
    ended_at   INTEGER,
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'waiting'   THEN due_at IS NOT NULL AND ended_at IS NULL
        WHEN 'delivered' THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL AND attempts > 0
        WHEN 'given-up'  THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL
        ELSE FALSE END),
    CONSTRAINT carried_by_an_attempt CHECK (node IS NULL OR attempts > 0),
    CONSTRAINT tried_by_an_attempt CHECK ((tried_at IS NULL) = (attempts = 0)),
    CONSTRAINT tried_since_it_was CHECK (since >= created_at)
) STRICT;

CREATE INDEX callbacks_due_of_merchant ON callbacks (merchant, due_at) WHERE state = 'waiting';
CREATE INDEX callbacks_waiting_since ON callbacks (since) WHERE state = 'waiting';
CREATE INDEX callbacks_given_up ON callbacks (ended_at) WHERE state = 'given-up';
CREATE INDEX callbacks_delivered ON callbacks (ended_at) WHERE state = 'delivered';
CREATE INDEX callbacks_by_age ON callbacks (created_at, operation);
CREATE INDEX callbacks_of_merchant ON callbacks (merchant, created_at, operation);

-- +goose StatementBegin
CREATE TRIGGER callbacks_begin BEFORE INSERT ON callbacks
WHEN NEW.state <> 'waiting' OR NEW.attempts <> 0 OR NOT EXISTS (SELECT 1 FROM operations
    WHERE id = NEW.operation AND merchant = NEW.merchant AND settled_at IS NOT NULL AND pending_reference IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'a callback begins waiting, for the end of an operation of its merchant that was pending');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER callbacks_step BEFORE UPDATE ON callbacks
WHEN NEW.operation <> OLD.operation OR NEW.merchant <> OLD.merchant OR NEW.event <> OLD.event OR NEW.created_at <> OLD.created_at OR
    NEW.attempts < OLD.attempts OR NEW.since < OLD.since OR
    OLD.state <> 'waiting' AND (NEW.state <> 'waiting' OR NEW.attempts <> OLD.attempts)
BEGIN
    SELECT RAISE(ABORT, 'what a callback tells never changes, attempts are counted, and what has ended begins again by a replay only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER callbacks_kept BEFORE DELETE ON callbacks
WHEN OLD.state = 'waiting'
BEGIN
    SELECT RAISE(ABORT, 'a callback that waits is kept');
END;
-- +goose StatementEnd

CREATE TABLE callback_attempts (
    operation TEXT    NOT NULL REFERENCES callbacks (operation) ON DELETE CASCADE,
    attempt   INTEGER NOT NULL CHECK (attempt > 0),
    at        INTEGER NOT NULL,
    node      TEXT    NOT NULL,
    http      INTEGER NOT NULL CHECK (http BETWEEN 0 AND 999),
    said      TEXT    NOT NULL,
    verdict   TEXT    NOT NULL CONSTRAINT known_verdict CHECK (verdict IN ('delivered', 'again', 'given-up', 'gone')),
    PRIMARY KEY (operation, attempt)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER callback_attempts_fixed BEFORE UPDATE ON callback_attempts
BEGIN
    SELECT RAISE(ABORT, 'an attempt that was made never changes');
END;
-- +goose StatementEnd

-- Regular work: one row each, whatever number of nodes there are. due_at is the
-- next run, or while a node does it (node) the end of its lease.
CREATE TABLE chores (
    name       TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    due_at     INTEGER NOT NULL,
    node       TEXT    CHECK (node <> ''),
    started_at INTEGER,
    ended_at   INTEGER,
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    note       TEXT    NOT NULL DEFAULT '',
    CONSTRAINT done_since_it_started CHECK (node IS NULL OR started_at IS NOT NULL),
    CONSTRAINT ended_what_it_started CHECK (ended_at IS NULL OR started_at IS NOT NULL)
) STRICT;
