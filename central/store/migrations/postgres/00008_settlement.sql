-- Reconciliation with the bank's settlement files (package settle): the files
-- with their lines, what the comparison said, the cases, and who did what to
-- them. Nothing of it is ever deleted.

-- +goose Up

-- Files of a day are numbered from 1. One counts for its day while it is
-- complete and not superseded.
CREATE TABLE settlement_files (
    day           TEXT COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'), -- Indian
    number        BIGINT  NOT NULL CHECK (number > 0),
    sha256        BYTEA   NOT NULL UNIQUE CHECK (length(sha256) = 32),
    name          TEXT COLLATE "C" NOT NULL,
    bytes         BIGINT  NOT NULL CHECK (bytes > 0),
    lines         BIGINT  NOT NULL CHECK (lines >= 0),
    amount        BIGINT  NOT NULL CHECK (amount >= 0), -- paise, of all lines
    imported_by   TEXT COLLATE "C" NOT NULL CHECK (imported_by <> ''),
    node          TEXT COLLATE "C" NOT NULL,
    at            BIGINT  NOT NULL,
    complete_at   BIGINT, -- NULL: the import was interrupted
    superseded_at BIGINT, -- a later file of the day is complete
    PRIMARY KEY (day, number),
    CONSTRAINT superseded_when_complete CHECK (superseded_at IS NULL OR complete_at IS NOT NULL)
);

CREATE INDEX settlement_files_by_moment ON settlement_files (at, day, number);

CREATE TRIGGER settlement_files_fixed BEFORE UPDATE ON settlement_files FOR EACH ROW
WHEN (NEW.day <> OLD.day OR NEW.number <> OLD.number OR NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes
    OR NEW.lines <> OLD.lines OR NEW.amount <> OLD.amount OR NEW.imported_by <> OLD.imported_by OR NEW.node <> OLD.node OR NEW.at <> OLD.at
    OR OLD.complete_at IS NOT NULL AND NEW.complete_at IS DISTINCT FROM OLD.complete_at
    OR OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS DISTINCT FROM OLD.superseded_at)
EXECUTE FUNCTION refuse('a settlement file is completed once and superseded once, and never changes');

CREATE TRIGGER settlement_files_kept BEFORE DELETE ON settlement_files FOR EACH ROW
EXECUTE FUNCTION refuse('settlement files are kept');

CREATE TABLE settlement_lines (
    day       TEXT COLLATE "C" NOT NULL,
    file      BIGINT  NOT NULL,
    line      BIGINT  NOT NULL CHECK (line > 1), -- of the file, whose first has the names
    reference TEXT COLLATE "C" NOT NULL CHECK (reference <> ''),
    rrn       TEXT COLLATE "C" NOT NULL CHECK (length(rrn) = 12),
    stan      TEXT COLLATE "C" NOT NULL CHECK (length(stan) = 6),
    amount    BIGINT  NOT NULL CHECK (amount > 0), -- paise
    code      TEXT COLLATE "C" NOT NULL CHECK (length(code) = 2),
    at        BIGINT  NOT NULL,
    PRIMARY KEY (day, file, line),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
);

CREATE INDEX settlement_lines_by_reference ON settlement_lines (reference);

-- +goose StatementBegin
CREATE FUNCTION whole_settlement_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM settlement_files WHERE day = NEW.day AND number = NEW.file AND complete_at IS NOT NULL) THEN
        RAISE EXCEPTION 'a complete settlement file gets no more lines' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER settlement_lines_whole BEFORE INSERT ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION whole_settlement_file();

CREATE TRIGGER settlement_lines_fixed BEFORE UPDATE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('a settlement line never changes');

CREATE TRIGGER settlement_lines_kept BEFORE DELETE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('settlement lines are kept');

-- What the comparison said, by class; amounts are paise.
CREATE TABLE settlement_sums (
    day         TEXT COLLATE "C" NOT NULL,
    file        BIGINT  NOT NULL,
    class       TEXT COLLATE "C" NOT NULL CONSTRAINT known_class CHECK (class IN ('agreed', 'quiet', 'elsewhere', 'missing-here',
        'missing-there', 'amount', 'state', 'names', 'doubled', 'untold', 'awaited')),
    operations  BIGINT  NOT NULL CHECK (operations >= 0),
    lines       BIGINT  NOT NULL CHECK (lines >= 0),
    here        BIGINT  NOT NULL CHECK (here >= 0),
    there       BIGINT  NOT NULL CHECK (there >= 0),
    moved_here  BIGINT  NOT NULL CHECK (moved_here BETWEEN 0 AND here),
    moved_there BIGINT  NOT NULL CHECK (moved_there BETWEEN 0 AND there),
    PRIMARY KEY (day, file, class),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
);

CREATE TRIGGER settlement_sums_fixed BEFORE UPDATE ON settlement_sums FOR EACH ROW
EXECUTE FUNCTION refuse('what a comparison said never changes');

CREATE TRIGGER settlement_sums_kept BEFORE DELETE ON settlement_sums FOR EACH ROW
EXECUTE FUNCTION refuse('what a comparison said is kept');

CREATE TABLE settlement_cases (
    day             TEXT COLLATE "C" NOT NULL,
    file            BIGINT  NOT NULL,
    number          BIGINT  NOT NULL CHECK (number > 0),
    class           TEXT COLLATE "C" NOT NULL CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-there', 'amount',
        'state', 'names', 'doubled', 'untold', 'awaited')),
    reference       TEXT COLLATE "C" NOT NULL CHECK (reference <> ''),
    line            BIGINT, -- NULL: the bank has none
    operation       TEXT COLLATE "C" REFERENCES operation_names (id), -- NULL: the central has none
    found           TEXT COLLATE "C" NOT NULL, -- the operation's state at the comparison
    found_at        BIGINT  NOT NULL,

    status          TEXT COLLATE "C" NOT NULL,
    verdict         TEXT COLLATE "C" CONSTRAINT known_verdict CHECK (verdict IN ('succeeded', 'failed', 'reversed', 'noted')),
    charge          BIGINT  NOT NULL DEFAULT 0 CHECK (charge >= 0), -- paise
    reason          TEXT COLLATE "C" NOT NULL DEFAULT '',
    document        TEXT COLLATE "C" NOT NULL DEFAULT '',
    document_sha256 TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(document_sha256) IN (0, 64)),
    proposed_by     TEXT,
    decided_by      TEXT,
    decided_at      BIGINT,
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
);

CREATE INDEX settlement_cases_of_operation ON settlement_cases (operation) WHERE operation IS NOT NULL;
CREATE INDEX settlement_cases_missing ON settlement_cases (reference) WHERE status = 'open' AND class = 'missing-there';
CREATE INDEX settlement_cases_decided ON settlement_cases (reference, decided_at) WHERE status = 'decided' AND verdict <> 'noted';

CREATE TRIGGER settlement_cases_step BEFORE UPDATE ON settlement_cases FOR EACH ROW
WHEN (NEW.day <> OLD.day OR NEW.file <> OLD.file OR NEW.number <> OLD.number OR NEW.class <> OLD.class OR NEW.reference <> OLD.reference
    OR NEW.line IS DISTINCT FROM OLD.line OR NEW.operation IS DISTINCT FROM OLD.operation OR NEW.found <> OLD.found OR NEW.found_at <> OLD.found_at
    OR NOT (OLD.status = 'open' AND NEW.status = 'proposed'
        OR OLD.status = 'proposed' AND NEW.status = 'decided' AND NEW.verdict = OLD.verdict AND NEW.proposed_by = OLD.proposed_by
            AND NEW.charge = OLD.charge AND NEW.decided_by <> 'rule'
        OR OLD.status = 'open' AND NEW.status = 'decided' AND NEW.decided_by = 'rule' AND NEW.verdict = 'noted'
        OR OLD.status <> 'open' AND NEW.status = 'open'))
EXECUTE FUNCTION refuse('a case is proposed, decided by another person, noted by a rule, or open again, and is never another case');

CREATE TRIGGER settlement_cases_kept BEFORE DELETE ON settlement_cases FOR EACH ROW
EXECUTE FUNCTION refuse('cases are kept');

CREATE TABLE settlement_steps (
    day             TEXT COLLATE "C" NOT NULL,
    file            BIGINT  NOT NULL,
    number          BIGINT  NOT NULL,
    step            BIGINT  NOT NULL CHECK (step > 0),
    at              BIGINT  NOT NULL,
    person          TEXT COLLATE "C" NOT NULL CHECK (person <> ''),
    account         TEXT COLLATE "C" NOT NULL,
    node            TEXT COLLATE "C" NOT NULL,
    did             TEXT COLLATE "C" NOT NULL CHECK (did IN ('found', 'proposed', 'confirmed', 'rejected', 'withdrawn')),
    verdict         TEXT COLLATE "C" NOT NULL,
    charge          BIGINT  NOT NULL CHECK (charge >= 0),
    reason          TEXT COLLATE "C" NOT NULL,
    document        TEXT COLLATE "C" NOT NULL,
    document_sha256 TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (day, file, number, step),
    FOREIGN KEY (day, file, number) REFERENCES settlement_cases (day, file, number)
);

CREATE TRIGGER settlement_steps_fixed BEFORE UPDATE ON settlement_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case never changes');

CREATE TRIGGER settlement_steps_kept BEFORE DELETE ON settlement_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case is kept');

-- Those of a day that move money are compared with its file.
CREATE INDEX operations_with_amount ON operations (created_at, id) WHERE amount > 0;

CREATE TRIGGER settlement_files_not_emptied BEFORE TRUNCATE ON settlement_files FOR EACH STATEMENT EXECUTE FUNCTION refuse('settlement files are kept');
CREATE TRIGGER settlement_lines_not_emptied BEFORE TRUNCATE ON settlement_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse('settlement lines are kept');
CREATE TRIGGER settlement_sums_not_emptied BEFORE TRUNCATE ON settlement_sums FOR EACH STATEMENT EXECUTE FUNCTION refuse('what a comparison said is kept');
CREATE TRIGGER settlement_cases_not_emptied BEFORE TRUNCATE ON settlement_cases FOR EACH STATEMENT EXECUTE FUNCTION refuse('cases are kept');
CREATE TRIGGER settlement_steps_not_emptied BEFORE TRUNCATE ON settlement_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse('the history of a case is kept');
