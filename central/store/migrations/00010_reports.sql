-- For reports: figures of days that have ended, sums of settlement files by merchant, and
-- the files that are written by schedule. The figures are derived from operations,
-- commissions and settlement files, and can be made again from them.

-- A day is closed when its figures are complete. Sums of its earnings are paise.
CREATE TABLE report_days (
    day           TEXT    NOT NULL PRIMARY KEY CHECK (day LIKE '____-__-__'), -- Indian
    operations    INTEGER NOT NULL CHECK (operations >= 0), -- that had their outcome on the day
    earned        INTEGER NOT NULL CHECK (earned >= 0),
    reversed      INTEGER NOT NULL CHECK (reversed >= 0),
    amount        INTEGER NOT NULL,
    charge        INTEGER NOT NULL,
    gst           INTEGER NOT NULL,
    provider_cost INTEGER NOT NULL,
    commission    INTEGER NOT NULL,
    tds           INTEGER NOT NULL,
    closed_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Operations by the day of their outcome. Each counts three times: under its merchant, under
-- its bank, and under 'all', where the name is empty.
CREATE TABLE daily_volumes (
    dimension  TEXT    NOT NULL CHECK (dimension IN ('all', 'bank', 'merchant')),
    name       TEXT    NOT NULL, -- an IIN, or a merchant's id; empty: none
    kind       TEXT    NOT NULL,
    day        TEXT    NOT NULL,
    operations INTEGER NOT NULL CHECK (operations > 0),
    succeeded  INTEGER NOT NULL CHECK (succeeded >= 0),
    failed     INTEGER NOT NULL CHECK (failed >= 0), -- the reversed ones included
    refused    INTEGER NOT NULL CHECK (refused >= 0),
    amount     INTEGER NOT NULL CHECK (amount >= 0), -- paise, of those that succeeded
    PRIMARY KEY (dimension, name, kind, day),
    CONSTRAINT each_has_an_outcome CHECK (succeeded + failed + refused = operations)
) STRICT, WITHOUT ROWID;

-- Earnings by the day on which they were earned or reversed; a reversal is negative. Sums
-- are paise.
CREATE TABLE daily_earnings (
    merchant      TEXT    NOT NULL,
    vendor        TEXT    NOT NULL, -- empty: none
    day           TEXT    NOT NULL,
    earned        INTEGER NOT NULL CHECK (earned >= 0),
    reversed      INTEGER NOT NULL CHECK (reversed >= 0),
    amount        INTEGER NOT NULL,
    charge        INTEGER NOT NULL,
    gst           INTEGER NOT NULL,
    provider_cost INTEGER NOT NULL,
    commission    INTEGER NOT NULL,
    tds           INTEGER NOT NULL,
    PRIMARY KEY (merchant, vendor, day)
) STRICT, WITHOUT ROWID;

-- Sums of the lines of complete settlement files. Amounts are paise, of executed lines.
CREATE TABLE settlement_sums (
    day            TEXT    NOT NULL,
    file           INTEGER NOT NULL,
    merchant       TEXT    NOT NULL, -- empty: the central has no operation of the line
    kind           TEXT    NOT NULL,
    lines          INTEGER NOT NULL CHECK (lines >= 0),
    amount         INTEGER NOT NULL CHECK (amount >= 0),
    matched        INTEGER NOT NULL CHECK (matched BETWEEN 0 AND lines), -- lines without a case
    matched_amount INTEGER NOT NULL CHECK (matched_amount BETWEEN 0 AND amount),
    cases          INTEGER NOT NULL CHECK (cases >= 0),
    PRIMARY KEY (day, file, merchant, kind)
) STRICT, WITHOUT ROWID;

-- The files whose sums are complete, with the sums of all merchants.
CREATE TABLE settlement_summed (
    day            TEXT    NOT NULL,
    file           INTEGER NOT NULL,
    lines          INTEGER NOT NULL,
    amount         INTEGER NOT NULL,
    matched        INTEGER NOT NULL,
    matched_amount INTEGER NOT NULL,
    cases          INTEGER NOT NULL,
    PRIMARY KEY (day, file),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
) STRICT, WITHOUT ROWID;

-- Reports that are written as files. A row is waiting until its file is in all places; it
-- waits again when somebody asks for it.
CREATE TABLE report_runs (
    report    TEXT    NOT NULL CHECK (report <> ''),
    first_day TEXT    NOT NULL CHECK (first_day LIKE '____-__-__'),
    last_day  TEXT    NOT NULL CHECK (last_day LIKE '____-__-__' AND last_day >= first_day),
    period    TEXT    NOT NULL CHECK (period IN ('daily', 'weekly', 'monthly')),
    state     TEXT    NOT NULL CHECK (state IN ('waiting', 'done')),
    due_at    INTEGER NOT NULL, -- of the next attempt
    asked_by  TEXT    CHECK (asked_by <> ''), -- who asked for it again; NULL: the schedule
    failures  INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0), -- consecutive
    error     TEXT    NOT NULL DEFAULT '', -- of the last attempt
    error_at  INTEGER CHECK ((error_at IS NULL) = (error = '')),
    -- The last file that was written.
    file      TEXT    NOT NULL DEFAULT '',
    revision  INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    sha256    BLOB    CHECK (length(sha256) = 32),
    lines     INTEGER NOT NULL DEFAULT 0 CHECK (lines >= 0),
    bytes     INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    places    TEXT    NOT NULL DEFAULT '',
    node      TEXT    NOT NULL DEFAULT '',
    done_at   INTEGER,
    PRIMARY KEY (report, first_day, last_day),
    CONSTRAINT done_has_a_file CHECK (state = 'waiting' OR file <> ''),
    CONSTRAINT file_is_whole CHECK ((file = '') = (done_at IS NULL) AND (file = '') = (sha256 IS NULL) AND (file = '') = (revision = 0))
) STRICT;

CREATE INDEX report_runs_waiting ON report_runs (due_at) WHERE state = 'waiting';
CREATE INDEX report_runs_newest ON report_runs (last_day, report, first_day);
CREATE INDEX report_runs_of_period ON report_runs (report, period, last_day);
