-- The operators' console (package operator): people with their sessions, wrong
-- tries and the trail of what they did; the documents that decisions rest on;
-- cases that people open by hand (package settle); and what operations are looked
-- for by.

-- +goose Up

CREATE TABLE operators (
    login       TEXT COLLATE "C"    NOT NULL PRIMARY KEY CHECK (login <> '' AND login <> 'rule'),
    name        TEXT COLLATE "C"    NOT NULL CHECK (name <> ''),
    role        TEXT COLLATE "C"    NOT NULL CONSTRAINT known_role CHECK (role IN ('viewer', 'operator', 'admin')),
    password    TEXT COLLATE "C"    NOT NULL CHECK (password = '' OR password LIKE '$argon2id$%'),
    sealed      BYTEA, -- the second factor's secret
    step        BIGINT NOT NULL DEFAULT 0 CHECK (step >= 0), -- the newest half minute whose code was used
    setup_hash  BYTEA    CHECK (length(setup_hash) = 32),
    setup_ends  BIGINT,
    created_at  BIGINT NOT NULL,
    created_by  TEXT COLLATE "C"    NOT NULL,
    disabled_at BIGINT,
    CONSTRAINT a_code_ends CHECK ((setup_hash IS NULL) = (setup_ends IS NULL)),
    CONSTRAINT who_is_out_knows_nothing CHECK (disabled_at IS NULL OR password = '' AND sealed IS NULL AND setup_hash IS NULL),
    CONSTRAINT both_or_a_set_up CHECK (disabled_at IS NOT NULL OR sealed IS NOT NULL AND (password = '') = (setup_hash IS NOT NULL))
);

CREATE TRIGGER operators_kept BEFORE DELETE ON operators FOR EACH ROW
EXECUTE FUNCTION refuse('people who were operators are named in the trail and are kept');

CREATE TRIGGER operators_named BEFORE UPDATE ON operators FOR EACH ROW
WHEN (NEW.login <> OLD.login OR NEW.created_at <> OLD.created_at OR NEW.created_by <> OLD.created_by OR NEW.step < OLD.step AND NEW.sealed IS NOT DISTINCT FROM OLD.sealed)
EXECUTE FUNCTION refuse('an operator keeps the login, and a code is used once');

CREATE TABLE operator_sessions (
    hash      BYTEA    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- of the token
    login     TEXT COLLATE "C"    NOT NULL REFERENCES operators (login),
    source    TEXT COLLATE "C"    NOT NULL, -- the address
    opened_at BIGINT NOT NULL,
    seen_at   BIGINT NOT NULL
);

CREATE INDEX operator_sessions_of_login ON operator_sessions (login);
CREATE INDEX operator_sessions_by_touch ON operator_sessions (seen_at);

-- Wrong tries by name, whether anybody has it or not.
CREATE TABLE operator_tries (
    name     TEXT COLLATE "C"    NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL CHECK (failures >= 0),
    until    BIGINT, -- nothing is looked at before
    at       BIGINT NOT NULL
);

CREATE INDEX operator_tries_by_moment ON operator_tries (at);

CREATE TABLE operator_trail (
    id      TEXT COLLATE "C"    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    at      BIGINT NOT NULL,
    node    TEXT COLLATE "C"    NOT NULL,
    person  TEXT COLLATE "C"    NOT NULL, -- a login; empty: nobody is known, or a command
    role    TEXT COLLATE "C"    NOT NULL,
    source  TEXT COLLATE "C"    NOT NULL, -- an address, or the account and host of a command
    action  TEXT COLLATE "C"    NOT NULL CHECK (action <> ''),
    subject TEXT COLLATE "C"    NOT NULL,
    outcome TEXT COLLATE "C"    NOT NULL CONSTRAINT known_outcome CHECK (outcome IN ('begun', 'done', 'refused')),
    was     TEXT COLLATE "C"    NOT NULL,
    became  TEXT COLLATE "C"    NOT NULL,
    note    TEXT COLLATE "C"    NOT NULL
);

CREATE INDEX operator_trail_by_moment ON operator_trail (at, id);
CREATE INDEX operator_trail_of_person ON operator_trail (person, at, id);
CREATE INDEX operator_trail_of_subject ON operator_trail (subject, at, id);

CREATE TRIGGER operator_trail_fixed BEFORE UPDATE ON operator_trail FOR EACH ROW
EXECUTE FUNCTION refuse('the trail never changes');

CREATE TRIGGER operator_trail_kept BEFORE DELETE ON operator_trail FOR EACH ROW
EXECUTE FUNCTION refuse('the trail is kept');

-- Documents that decisions rest on, sealed under the master keys.
CREATE TABLE papers (
    sha256 TEXT COLLATE "C"    NOT NULL PRIMARY KEY CHECK (length(sha256) = 64), -- of the document, in hex
    name   TEXT COLLATE "C"    NOT NULL,
    bytes  BIGINT NOT NULL CHECK (bytes > 0),
    sealed BYTEA    NOT NULL CHECK (length(sealed) > bytes),
    at     BIGINT NOT NULL,
    person TEXT COLLATE "C"    NOT NULL CHECK (person <> '')
);

CREATE TRIGGER papers_fixed BEFORE UPDATE ON papers FOR EACH ROW
WHEN (NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes OR NEW.at <> OLD.at OR NEW.person <> OLD.person)
EXECUTE FUNCTION refuse('a document may be sealed anew and never changes');

CREATE TRIGGER papers_kept BEFORE DELETE ON papers FOR EACH ROW
EXECUTE FUNCTION refuse('documents are kept');

-- Which remitter a mobile number belongs to: the number is a keyed hash, from
-- which nobody without the key finds it.
CREATE TABLE remitter_mobiles (
    mobile BYTEA    NOT NULL CHECK (length(mobile) = 32),
    sender TEXT COLLATE "C"    NOT NULL CHECK (sender <> ''),
    at     BIGINT NOT NULL, -- when it was first seen
    PRIMARY KEY (mobile, sender)
);

-- What operations are looked for by.
CREATE INDEX operations_by_aadhaar ON operations (aadhaar, created_at, id) WHERE aadhaar <> '';
CREATE INDEX operations_of_sender ON operations (sender, created_at, id) WHERE sender IS NOT NULL;
CREATE INDEX merchants_by_mobile ON merchants (mobile);

-- A case may be opened by hand: it has an operation and no file, whose number is
-- 0 then.
ALTER TABLE settlement_cases DROP CONSTRAINT settlement_cases_day_file_fkey;
ALTER TABLE settlement_cases DROP CONSTRAINT class_of_a_case;
ALTER TABLE settlement_cases ADD COLUMN of_file BIGINT GENERATED ALWAYS AS (nullif(file, 0)) STORED;
ALTER TABLE settlement_cases ADD FOREIGN KEY (day, of_file) REFERENCES settlement_files (day, number);
ALTER TABLE settlement_cases ADD CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-there', 'amount',
    'state', 'names', 'doubled', 'untold', 'awaited', 'by-hand'));
ALTER TABLE settlement_cases ADD CONSTRAINT by_hand_without_a_file CHECK ((class = 'by-hand') = (file = 0) AND (file > 0 OR operation IS NOT NULL AND line IS NULL));

CREATE UNIQUE INDEX settlement_cases_by_hand ON settlement_cases (operation) WHERE file = 0;
CREATE INDEX settlement_cases_opened ON settlement_cases (found_at, day, number) WHERE file = 0;

CREATE TRIGGER operators_not_emptied BEFORE TRUNCATE ON operators FOR EACH STATEMENT EXECUTE FUNCTION refuse('people who were operators are named in the trail and are kept');
CREATE TRIGGER operator_trail_not_emptied BEFORE TRUNCATE ON operator_trail FOR EACH STATEMENT EXECUTE FUNCTION refuse('the trail is kept');
CREATE TRIGGER papers_not_emptied BEFORE TRUNCATE ON papers FOR EACH STATEMENT EXECUTE FUNCTION refuse('documents are kept');
