-- The desk: parties, terminals, operations with their identities and history,
-- events, sessions.
--
-- Times are integer milliseconds since 1970, amounts integer paise. States are
-- those of the package comment of galla/central; the triggers at the end refuse
-- every step that is not drawn there.
--
-- Constraints of the busy tables compare with = instead of IN: for a list of
-- three or more, SQLite builds a temporary table at each row.

-- +goose Up

CREATE TABLE aggregators (
    id         TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT NOT NULL
) STRICT;

CREATE TABLE vendors (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT    NOT NULL,
    aggregator TEXT    REFERENCES aggregators (id),
    active     INTEGER NOT NULL CHECK (active IN (0, 1))
) STRICT;

CREATE TABLE merchants (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    mid        TEXT    UNIQUE, -- the merchant at the bank network
    legal_name TEXT    NOT NULL,
    vendor     TEXT    REFERENCES vendors (id),
    status     TEXT    NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'SUSPENDED', 'REJECTED')),
    has_info   INTEGER NOT NULL CHECK (has_info IN (0, 1)),
    aeps_ready INTEGER NOT NULL CHECK (aeps_ready IN (0, 1)),
    tid        TEXT    UNIQUE, -- the terminal at the bank network for calls that name none
    mobile     TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE clients (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    secret_hash TEXT    NOT NULL CHECK (secret_hash LIKE '$argon2id$%'),
    role        TEXT    NOT NULL CHECK (role IN ('merchant', 'vendor', 'aggregator')),
    merchant    TEXT    REFERENCES merchants (id),
    vendor      TEXT    REFERENCES vendors (id),
    aggregator  TEXT    REFERENCES aggregators (id),
    active      INTEGER NOT NULL CHECK (active IN (0, 1)),
    CONSTRAINT one_party CHECK (
        (role = 'merchant') = (merchant IS NOT NULL) AND
        (role = 'vendor') = (vendor IS NOT NULL) AND
        (role = 'aggregator') = (aggregator IS NOT NULL)
    )
) STRICT;

CREATE TABLE terminals (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    name       TEXT    NOT NULL,
    tid        TEXT    NOT NULL UNIQUE, -- at the bank network
    public_key BLOB    NOT NULL CHECK (length(public_key) = 32), -- Ed25519
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    seen_at    INTEGER,
    last_event INTEGER NOT NULL DEFAULT 0 CHECK (last_event >= 0) -- the newest cursor ever given out
) STRICT;

CREATE INDEX terminals_of_merchant ON terminals (merchant, created_at, id);

CREATE TABLE counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL -- the next number to give out
) STRICT;

INSERT INTO counters (name, value) VALUES ('terminal', 101);

CREATE TABLE enrolment_codes (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    terminal   TEXT    REFERENCES terminals (id),
    CONSTRAINT used_by_a_terminal CHECK ((used_at IS NULL) = (terminal IS NULL))
) STRICT;

CREATE INDEX enrolment_codes_unused ON enrolment_codes (expires_at) WHERE used_at IS NULL;

CREATE TABLE spent_tokens (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_tokens_by_end ON spent_tokens (expires_at);

CREATE TABLE agent_sessions (
    tid        TEXT    NOT NULL CHECK (tid <> ''),
    opened_at  INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tid, opened_at),
    CONSTRAINT ends_after_it_opens CHECK (expires_at > opened_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE operations (
    id                TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    caller            TEXT    NOT NULL CHECK (caller <> ''),
    identity          TEXT    NOT NULL CHECK (identity <> ''),
    route             TEXT    NOT NULL,
    fingerprint       BLOB    NOT NULL CHECK (length(fingerprint) = 32),

    merchant          TEXT    REFERENCES merchants (id),
    terminal          TEXT    REFERENCES terminals (id), -- to tell of a late outcome
    tid               TEXT    NOT NULL,

    kind              TEXT    NOT NULL,
    amount            INTEGER NOT NULL CHECK (amount >= 0), -- paise
    aadhaar           TEXT    NOT NULL CONSTRAINT aadhaar_is_masked CHECK (aadhaar = '' OR aadhaar LIKE 'XXXXXXXX____'),
    iin               TEXT    NOT NULL,
    reference         TEXT    NOT NULL UNIQUE CHECK (reference <> ''), -- ours at the bank
    stan              TEXT    NOT NULL,

    state             TEXT    NOT NULL, -- CONSTRAINT legal_state
    node              TEXT    NOT NULL,
    not_after         INTEGER,
    created_at        INTEGER NOT NULL,

    dispatched_at     INTEGER,
    bank_not_after    INTEGER,
    pending_reference TEXT    UNIQUE,
    attempts          INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_enquiry      INTEGER,
    stuck_at          INTEGER,
    settled_at        INTEGER,

    code              TEXT    NOT NULL DEFAULT '',
    rrn               TEXT    NOT NULL DEFAULT '',
    http              INTEGER NOT NULL DEFAULT 0,
    reply             BLOB,

    -- Each state by what its row has. A failed operation may have failed before
    -- it was dispatched, and a succeeded or failed one was pending or was not.
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'received'   THEN dispatched_at IS NULL     AND pending_reference IS NULL     AND settled_at IS NULL
        WHEN 'dispatched' THEN dispatched_at IS NOT NULL AND pending_reference IS NULL     AND settled_at IS NULL
        WHEN 'pending'    THEN dispatched_at IS NOT NULL AND pending_reference IS NOT NULL AND settled_at IS NULL
        WHEN 'succeeded'  THEN dispatched_at IS NOT NULL AND settled_at IS NOT NULL
        WHEN 'failed'     THEN settled_at IS NOT NULL
        WHEN 'reversed'   THEN dispatched_at IS NOT NULL AND pending_reference IS NOT NULL AND settled_at IS NOT NULL
        WHEN 'refused'    THEN dispatched_at IS NULL     AND pending_reference IS NULL     AND settled_at IS NOT NULL
        ELSE FALSE END),
    CONSTRAINT dispatched_with_a_deadline CHECK ((dispatched_at IS NULL) = (bank_not_after IS NULL)),
    CONSTRAINT pending_was_dispatched CHECK (pending_reference IS NULL OR dispatched_at IS NOT NULL),
    CONSTRAINT pending_has_an_enquiry CHECK ((state = 'pending') = (next_enquiry IS NOT NULL)),
    CONSTRAINT stuck_was_pending CHECK (stuck_at IS NULL OR pending_reference IS NOT NULL),
    CONSTRAINT settled_has_a_reply CHECK ((settled_at IS NULL) = (reply IS NULL)),
    CONSTRAINT reply_has_a_status CHECK (CASE WHEN reply IS NULL THEN http = 0 ELSE http BETWEEN 100 AND 599 END)
) STRICT;

-- Those that are under way are few beside all that ever were.
CREATE INDEX operations_open ON operations (state, created_at, id) WHERE settled_at IS NULL;
CREATE INDEX operations_due ON operations (next_enquiry) WHERE state = 'pending' AND stuck_at IS NULL;
CREATE INDEX operations_stuck ON operations (stuck_at) WHERE state = 'pending' AND stuck_at IS NOT NULL;

-- Identities are kept for ever: one that was seen is answered from its
-- operation, and one that was declared never seen is refused.
CREATE TABLE identities (
    caller      TEXT    NOT NULL CHECK (caller <> ''),
    identity    TEXT    NOT NULL CHECK (identity <> ''),
    operation   TEXT    REFERENCES operations (id),
    forsworn_at INTEGER, -- a tombstone: declared never seen
    PRIMARY KEY (caller, identity),
    CONSTRAINT operation_or_tombstone CHECK ((operation IS NULL) = (forsworn_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_steps (
    operation  TEXT    NOT NULL REFERENCES operations (id),
    step       INTEGER NOT NULL CHECK (step > 0),
    at         INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    from_state TEXT    NOT NULL,
    to_state   TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    PRIMARY KEY (operation, step),
    CONSTRAINT legal_step CHECK (CASE to_state
        WHEN 'received'   THEN from_state = ''
        WHEN 'dispatched' THEN from_state = 'received'
        WHEN 'pending'    THEN from_state = 'dispatched' OR from_state = 'pending' -- an enquiry
        WHEN 'succeeded'  THEN from_state = 'dispatched' OR from_state = 'pending'
        WHEN 'failed'     THEN from_state = 'received' OR from_state = 'dispatched' OR from_state = 'pending'
        WHEN 'reversed'   THEN from_state = 'pending'
        WHEN 'refused'    THEN from_state = 'received'
        ELSE FALSE END)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    terminal  TEXT    NOT NULL REFERENCES terminals (id),
    cursor    INTEGER NOT NULL CHECK (cursor > 0),
    kind      TEXT    NOT NULL CHECK (kind IN ('outcome', 'banks', 'settings', 'revoked')),
    operation TEXT    REFERENCES operations (id),
    at        INTEGER NOT NULL,
    PRIMARY KEY (terminal, cursor),
    CONSTRAINT outcome_of_an_operation CHECK ((kind = 'outcome') = (operation IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER operations_begin BEFORE INSERT ON operations
WHEN NEW.state <> 'received'
BEGIN
    SELECT RAISE(ABORT, 'an operation begins in state received');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operations_step BEFORE UPDATE OF state ON operations
WHEN NOT CASE NEW.state
    WHEN 'dispatched' THEN OLD.state = 'received'
    WHEN 'pending'    THEN OLD.state = 'dispatched'
    WHEN 'succeeded'  THEN OLD.state = 'dispatched' OR OLD.state = 'pending'
    WHEN 'failed'     THEN OLD.state = 'received' OR OLD.state = 'dispatched' OR OLD.state = 'pending'
    WHEN 'reversed'   THEN OLD.state = 'pending'
    WHEN 'refused'    THEN OLD.state = 'received'
    ELSE FALSE END
BEGIN
    SELECT RAISE(ABORT, 'an operation may not take this step');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operations_final BEFORE UPDATE ON operations
WHEN OLD.settled_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a final operation never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at
ON operations
BEGIN
    SELECT RAISE(ABORT, 'what an operation is never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operations_kept BEFORE DELETE ON operations
BEGIN
    SELECT RAISE(ABORT, 'operations are kept');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER identities_fixed BEFORE UPDATE ON identities
BEGIN
    SELECT RAISE(ABORT, 'an identity never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER identities_kept BEFORE DELETE ON identities
BEGIN
    SELECT RAISE(ABORT, 'identities are kept for ever');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER steps_fixed BEFORE UPDATE ON operation_steps
BEGIN
    SELECT RAISE(ABORT, 'history never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER steps_kept BEFORE DELETE ON operation_steps
BEGIN
    SELECT RAISE(ABORT, 'history is kept');
END;
-- +goose StatementEnd
