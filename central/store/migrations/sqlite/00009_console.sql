-- The operators' console (package operator): people with their sessions, wrong
-- tries and the trail of what they did; the documents that decisions rest on;
-- cases that people open by hand (package settle); and what operations are looked
-- for by.

-- +goose Up

CREATE TABLE operators (
    login       TEXT    NOT NULL PRIMARY KEY CHECK (login <> '' AND login <> 'rule'),
    name        TEXT    NOT NULL CHECK (name <> ''),
    role        TEXT    NOT NULL CONSTRAINT known_role CHECK (role IN ('viewer', 'operator', 'admin')),
    password    TEXT    NOT NULL CHECK (password = '' OR password LIKE '$argon2id$%'),
    sealed      BLOB, -- the second factor's secret
    step        INTEGER NOT NULL DEFAULT 0 CHECK (step >= 0), -- the newest half minute whose code was used
    setup_hash  BLOB    CHECK (length(setup_hash) = 32),
    setup_ends  INTEGER,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    disabled_at INTEGER,
    CONSTRAINT a_code_ends CHECK ((setup_hash IS NULL) = (setup_ends IS NULL)),
    CONSTRAINT who_is_out_knows_nothing CHECK (disabled_at IS NULL OR password = '' AND sealed IS NULL AND setup_hash IS NULL),
    CONSTRAINT both_or_a_set_up CHECK (disabled_at IS NOT NULL OR sealed IS NOT NULL AND (password = '') = (setup_hash IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER operators_kept BEFORE DELETE ON operators
BEGIN
    SELECT RAISE(ABORT, 'people who were operators are named in the trail and are kept');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operators_named BEFORE UPDATE ON operators
WHEN NEW.login <> OLD.login OR NEW.created_at <> OLD.created_at OR NEW.created_by <> OLD.created_by OR NEW.step < OLD.step AND NEW.sealed IS OLD.sealed
BEGIN
    SELECT RAISE(ABORT, 'an operator keeps the login, and a code is used once');
END;
-- +goose StatementEnd

CREATE TABLE operator_sessions (
    hash      BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- of the token
    login     TEXT    NOT NULL REFERENCES operators (login),
    source    TEXT    NOT NULL, -- the address
    opened_at INTEGER NOT NULL,
    seen_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_sessions_of_login ON operator_sessions (login);
CREATE INDEX operator_sessions_by_touch ON operator_sessions (seen_at);

-- Wrong tries by name, whether anybody has it or not.
CREATE TABLE operator_tries (
    name     TEXT    NOT NULL PRIMARY KEY,
    failures INTEGER NOT NULL CHECK (failures >= 0),
    until    INTEGER, -- nothing is looked at before
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_tries_by_moment ON operator_tries (at);

CREATE TABLE operator_trail (
    id      TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    at      INTEGER NOT NULL,
    node    TEXT    NOT NULL,
    person  TEXT    NOT NULL, -- a login; empty: nobody is known, or a command
    role    TEXT    NOT NULL,
    source  TEXT    NOT NULL, -- an address, or the account and host of a command
    action  TEXT    NOT NULL CHECK (action <> ''),
    subject TEXT    NOT NULL,
    outcome TEXT    NOT NULL CONSTRAINT known_outcome CHECK (outcome IN ('begun', 'done', 'refused')),
    was     TEXT    NOT NULL,
    became  TEXT    NOT NULL,
    note    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_trail_by_moment ON operator_trail (at, id);
CREATE INDEX operator_trail_of_person ON operator_trail (person, at, id);
CREATE INDEX operator_trail_of_subject ON operator_trail (subject, at, id);

-- +goose StatementBegin
CREATE TRIGGER operator_trail_fixed BEFORE UPDATE ON operator_trail
BEGIN
    SELECT RAISE(ABORT, 'the trail never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER operator_trail_kept BEFORE DELETE ON operator_trail
BEGIN
    SELECT RAISE(ABORT, 'the trail is kept');
END;
-- +goose StatementEnd

-- Documents that decisions rest on, sealed under the master keys.
CREATE TABLE papers (
    sha256 TEXT    NOT NULL PRIMARY KEY CHECK (length(sha256) = 64), -- of the document, in hex
    name   TEXT    NOT NULL,
    bytes  INTEGER NOT NULL CHECK (bytes > 0),
    sealed BLOB    NOT NULL CHECK (length(sealed) > bytes),
    at     INTEGER NOT NULL,
    person TEXT    NOT NULL CHECK (person <> '')
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER papers_fixed BEFORE UPDATE ON papers
WHEN NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes OR NEW.at <> OLD.at OR NEW.person <> OLD.person
BEGIN
    SELECT RAISE(ABORT, 'a document may be sealed anew and never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER papers_kept BEFORE DELETE ON papers
BEGIN
    SELECT RAISE(ABORT, 'documents are kept');
END;
-- +goose StatementEnd

-- Which remitter a mobile number belongs to: the number is a keyed hash, from
-- which nobody without the key finds it.
CREATE TABLE remitter_mobiles (
    mobile BLOB    NOT NULL CHECK (length(mobile) = 32),
    sender TEXT    NOT NULL CHECK (sender <> ''),
    at     INTEGER NOT NULL, -- when it was first seen
    PRIMARY KEY (mobile, sender)
) STRICT, WITHOUT ROWID;

-- What operations are looked for by.
CREATE INDEX operations_by_aadhaar ON operations (aadhaar, created_at, id) WHERE aadhaar <> '';
CREATE INDEX operations_of_sender ON operations (sender, created_at, id) WHERE sender IS NOT NULL;
CREATE INDEX merchants_by_mobile ON merchants (mobile);

-- A case may be opened by hand: it has an operation and no file, whose number is
-- 0 then. SQLite can't change a table's constraints, so that the cases and their
-- history are written anew; dropping a table runs no trigger.
CREATE TABLE cases_anew (
    day             TEXT    NOT NULL,
    file            INTEGER NOT NULL, -- 0: opened by hand
    of_file         INTEGER GENERATED ALWAYS AS (nullif(file, 0)) STORED,
    number          INTEGER NOT NULL CHECK (number > 0),
    class           TEXT    NOT NULL CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-there', 'amount',
        'state', 'names', 'doubled', 'untold', 'awaited', 'by-hand')),
    reference       TEXT    NOT NULL CHECK (reference <> ''),
    line            INTEGER, -- NULL: the bank has none
    operation       TEXT    REFERENCES operations (id), -- NULL: the central has none
    found           TEXT    NOT NULL, -- the operation's state at the comparison
    found_at        INTEGER NOT NULL,

    status          TEXT    NOT NULL,
    verdict         TEXT    CONSTRAINT known_verdict CHECK (verdict IN ('succeeded', 'failed', 'reversed', 'noted')),
    charge          INTEGER NOT NULL DEFAULT 0 CHECK (charge >= 0), -- paise
    reason          TEXT    NOT NULL DEFAULT '',
    document        TEXT    NOT NULL DEFAULT '',
    document_sha256 TEXT    NOT NULL DEFAULT '' CHECK (length(document_sha256) IN (0, 64)),
    proposed_by     TEXT,
    decided_by      TEXT,
    decided_at      INTEGER,
    PRIMARY KEY (day, file, number),
    FOREIGN KEY (day, of_file) REFERENCES settlement_files (day, number),
    FOREIGN KEY (day, file, line) REFERENCES settlement_lines (day, file, line),
    CONSTRAINT of_something CHECK (line IS NOT NULL OR operation IS NOT NULL),
    CONSTRAINT found_with_an_operation CHECK ((found = '') = (operation IS NULL)),
    CONSTRAINT legal_status CHECK (CASE status
        WHEN 'open'     THEN verdict IS NULL     AND proposed_by IS NULL     AND decided_by IS NULL
        WHEN 'proposed' THEN verdict IS NOT NULL AND proposed_by IS NOT NULL AND decided_by IS NULL
        WHEN 'decided'  THEN verdict IS NOT NULL AND proposed_by IS NOT NULL AND decided_by IS NOT NULL
        ELSE FALSE END),
    CONSTRAINT decided_at_a_moment CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
    CONSTRAINT four_eyes CHECK (decided_by IS NULL OR decided_by <> proposed_by OR decided_by = 'rule'),
    CONSTRAINT an_outcome_needs_an_operation CHECK (operation IS NOT NULL OR verdict IS NULL OR verdict = 'noted'),
    CONSTRAINT by_hand_without_a_file CHECK ((class = 'by-hand') = (file = 0) AND (file > 0 OR operation IS NOT NULL AND line IS NULL)),
    CONSTRAINT a_charge_of_a_success CHECK (charge = 0 OR verdict = 'succeeded')
) STRICT, WITHOUT ROWID;

CREATE TABLE steps_anew (
    day             TEXT    NOT NULL,
    file            INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    step            INTEGER NOT NULL CHECK (step > 0),
    at              INTEGER NOT NULL,
    person          TEXT    NOT NULL CHECK (person <> ''),
    account         TEXT    NOT NULL,
    node            TEXT    NOT NULL,
    did             TEXT    NOT NULL CHECK (did IN ('found', 'proposed', 'confirmed', 'rejected', 'withdrawn')),
    verdict         TEXT    NOT NULL,
    charge          INTEGER NOT NULL CHECK (charge >= 0),
    reason          TEXT    NOT NULL,
    document        TEXT    NOT NULL,
    document_sha256 TEXT    NOT NULL,
    PRIMARY KEY (day, file, number, step),
    FOREIGN KEY (day, file, number) REFERENCES cases_anew (day, file, number)
) STRICT, WITHOUT ROWID;

INSERT INTO cases_anew (day, file, number, class, reference, line, operation, found, found_at, status, verdict, charge, reason, document, document_sha256, proposed_by, decided_by, decided_at)
SELECT day, file, number, class, reference, line, operation, found, found_at, status, verdict, charge, reason, document, document_sha256, proposed_by, decided_by, decided_at FROM settlement_cases;
INSERT INTO steps_anew (day, file, number, step, at, person, account, node, did, verdict, charge, reason, document, document_sha256)
SELECT day, file, number, step, at, person, account, node, did, verdict, charge, reason, document, document_sha256 FROM settlement_steps;
DROP TABLE settlement_steps;
DROP TABLE settlement_cases;
ALTER TABLE cases_anew RENAME TO settlement_cases;
ALTER TABLE steps_anew RENAME TO settlement_steps;

CREATE INDEX settlement_cases_of_operation ON settlement_cases (operation) WHERE operation IS NOT NULL;
CREATE INDEX settlement_cases_missing ON settlement_cases (reference) WHERE status = 'open' AND class = 'missing-there';
CREATE INDEX settlement_cases_decided ON settlement_cases (reference, decided_at) WHERE status = 'decided' AND verdict <> 'noted';

-- +goose StatementBegin
CREATE TRIGGER settlement_cases_step BEFORE UPDATE ON settlement_cases
WHEN NEW.day <> OLD.day OR NEW.file <> OLD.file OR NEW.number <> OLD.number OR NEW.class <> OLD.class OR NEW.reference <> OLD.reference
    OR NEW.line IS NOT OLD.line OR NEW.operation IS NOT OLD.operation OR NEW.found <> OLD.found OR NEW.found_at <> OLD.found_at
    OR NOT (OLD.status = 'open' AND NEW.status = 'proposed'
        OR OLD.status = 'proposed' AND NEW.status = 'decided' AND NEW.verdict = OLD.verdict AND NEW.proposed_by = OLD.proposed_by
            AND NEW.charge = OLD.charge AND NEW.decided_by <> 'rule'
        OR OLD.status = 'open' AND NEW.status = 'decided' AND NEW.decided_by = 'rule' AND NEW.verdict = 'noted'
        OR OLD.status <> 'open' AND NEW.status = 'open')
BEGIN
    SELECT RAISE(ABORT, 'a case is proposed, decided by another person, noted by a rule, or open again, and is never another case');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_cases_kept BEFORE DELETE ON settlement_cases
BEGIN
    SELECT RAISE(ABORT, 'cases are kept');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_steps_fixed BEFORE UPDATE ON settlement_steps
BEGIN
    SELECT RAISE(ABORT, 'the history of a case never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_steps_kept BEFORE DELETE ON settlement_steps
BEGIN
    SELECT RAISE(ABORT, 'the history of a case is kept');
END;
-- +goose StatementEnd

CREATE UNIQUE INDEX settlement_cases_by_hand ON settlement_cases (operation) WHERE file = 0;
CREATE INDEX settlement_cases_opened ON settlement_cases (found_at, day, number) WHERE file = 0;
