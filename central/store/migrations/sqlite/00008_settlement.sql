-- Reconciliation with the bank's settlement files (package settle): the files
-- with their lines, what the comparison said, the cases, and who did what to
-- them. Nothing of it is ever deleted.

-- +goose Up

-- Files of a day are numbered from 1. One counts for its day while it is
-- complete and not superseded.
CREATE TABLE settlement_files (
    day           TEXT    NOT NULL CHECK (day LIKE '____-__-__'), -- Indian
    number        INTEGER NOT NULL CHECK (number > 0),
    sha256        BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
    name          TEXT    NOT NULL,
    bytes         INTEGER NOT NULL CHECK (bytes > 0),
    lines         INTEGER NOT NULL CHECK (lines >= 0),
    amount        INTEGER NOT NULL CHECK (amount >= 0), -- paise, of all lines
    imported_by   TEXT    NOT NULL CHECK (imported_by <> ''),
    node          TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    complete_at   INTEGER, -- NULL: the import was interrupted
    superseded_at INTEGER, -- a later file of the day is complete
    PRIMARY KEY (day, number),
    CONSTRAINT superseded_when_complete CHECK (superseded_at IS NULL OR complete_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX settlement_files_by_moment ON settlement_files (at, day, number);

-- +goose StatementBegin
CREATE TRIGGER settlement_files_fixed BEFORE UPDATE ON settlement_files
WHEN NEW.day <> OLD.day OR NEW.number <> OLD.number OR NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes
    OR NEW.lines <> OLD.lines OR NEW.amount <> OLD.amount OR NEW.imported_by <> OLD.imported_by OR NEW.node <> OLD.node OR NEW.at <> OLD.at
    OR OLD.complete_at IS NOT NULL AND NEW.complete_at IS NOT OLD.complete_at
    OR OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS NOT OLD.superseded_at
BEGIN
    SELECT RAISE(ABORT, 'a settlement file is completed once and superseded once, and never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_files_kept BEFORE DELETE ON settlement_files
BEGIN
    SELECT RAISE(ABORT, 'settlement files are kept');
END;
-- +goose StatementEnd

CREATE TABLE settlement_lines (
    day       TEXT    NOT NULL,
    file      INTEGER NOT NULL,
    line      INTEGER NOT NULL CHECK (line > 1), -- of the file, whose first has the names
    reference TEXT    NOT NULL CHECK (reference <> ''),
    rrn       TEXT    NOT NULL CHECK (length(rrn) = 12),
    stan      TEXT    NOT NULL CHECK (length(stan) = 6),
    amount    INTEGER NOT NULL CHECK (amount > 0), -- paise
    code      TEXT    NOT NULL CHECK (length(code) = 2),
    at        INTEGER NOT NULL,
    PRIMARY KEY (day, file, line),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX settlement_lines_by_reference ON settlement_lines (reference);

-- +goose StatementBegin
CREATE TRIGGER settlement_lines_whole BEFORE INSERT ON settlement_lines
WHEN EXISTS (SELECT 1 FROM settlement_files WHERE day = NEW.day AND number = NEW.file AND complete_at IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'a complete settlement file gets no more lines');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_lines_fixed BEFORE UPDATE ON settlement_lines
BEGIN
    SELECT RAISE(ABORT, 'a settlement line never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_lines_kept BEFORE DELETE ON settlement_lines
BEGIN
    SELECT RAISE(ABORT, 'settlement lines are kept');
END;
-- +goose StatementEnd

-- What the comparison said, by class; amounts are paise.
CREATE TABLE settlement_sums (
    day         TEXT    NOT NULL,
    file        INTEGER NOT NULL,
    class       TEXT    NOT NULL CONSTRAINT known_class CHECK (class IN ('agreed', 'quiet', 'elsewhere', 'missing-here',
        'missing-there', 'amount', 'state', 'names', 'doubled', 'untold', 'awaited')),
    operations  INTEGER NOT NULL CHECK (operations >= 0),
    lines       INTEGER NOT NULL CHECK (lines >= 0),
    here        INTEGER NOT NULL CHECK (here >= 0),
    there       INTEGER NOT NULL CHECK (there >= 0),
    moved_here  INTEGER NOT NULL CHECK (moved_here BETWEEN 0 AND here),
    moved_there INTEGER NOT NULL CHECK (moved_there BETWEEN 0 AND there),
    PRIMARY KEY (day, file, class),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER settlement_sums_fixed BEFORE UPDATE ON settlement_sums
BEGIN
    SELECT RAISE(ABORT, 'what a comparison said never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER settlement_sums_kept BEFORE DELETE ON settlement_sums
BEGIN
    SELECT RAISE(ABORT, 'what a comparison said is kept');
END;
-- +goose StatementEnd

CREATE TABLE settlement_cases (
    day             TEXT    NOT NULL,
    file            INTEGER NOT NULL,
    number          INTEGER NOT NULL CHECK (number > 0),
    class           TEXT    NOT NULL CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-there', 'amount',
        'state', 'names', 'doubled', 'untold', 'awaited')),
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
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number),
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
    CONSTRAINT a_charge_of_a_success CHECK (charge = 0 OR verdict = 'succeeded')
) STRICT, WITHOUT ROWID;

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

CREATE TABLE settlement_steps (
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
    FOREIGN KEY (day, file, number) REFERENCES settlement_cases (day, file, number)
) STRICT, WITHOUT ROWID;

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

-- Those of a day that move money are compared with its file.
CREATE INDEX operations_with_amount ON operations (created_at, id) WHERE amount > 0;
