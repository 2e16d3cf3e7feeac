-- What the operators' console shows and changes of parties: where terminals are
-- connected and what they said (package duty), the nodes that serve them, the
-- readings of the float, and merchants and vendors in the order of their names.

-- +goose Up

-- By the terminal's last hello, and how its connection ended.
ALTER TABLE terminals ADD COLUMN node TEXT CHECK (node <> '');
ALTER TABLE terminals ADD COLUMN connected_at INTEGER CHECK ((connected_at IS NULL) = (node IS NULL));
ALTER TABLE terminals ADD COLUMN version TEXT NOT NULL DEFAULT '' CHECK (length(version) <= 64);
ALTER TABLE terminals ADD COLUMN unresolved INTEGER NOT NULL DEFAULT 0 CHECK (unresolved >= 0);
ALTER TABLE terminals ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0; -- milliseconds: its clock less ours
ALTER TABLE terminals ADD COLUMN left_at INTEGER CHECK (left_at IS NULL OR node IS NOT NULL);
ALTER TABLE terminals ADD COLUMN fault TEXT NOT NULL DEFAULT '' CHECK (length(fault) <= 400);
ALTER TABLE terminals ADD COLUMN fault_at INTEGER CHECK ((fault_at IS NULL) = (fault = ''));

-- Which nodes serve terminals, and when they last said so.
CREATE TABLE uplink_nodes (
    node    TEXT    NOT NULL PRIMARY KEY CHECK (node <> ''),
    since   INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the network said of an aggregator's float, from which transfers are paid.
CREATE TABLE float_readings (
    aggregator TEXT    NOT NULL REFERENCES aggregators (id),
    at         INTEGER NOT NULL,
    balance    INTEGER NOT NULL, -- paise
    source     TEXT    NOT NULL CHECK (source <> ''), -- the chore, or a person's login
    PRIMARY KEY (aggregator, at)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER float_readings_fixed BEFORE UPDATE ON float_readings
BEGIN
    SELECT RAISE(ABORT, 'a reading of the float never changes');
END;
-- +goose StatementEnd

CREATE INDEX merchants_by_name ON merchants (legal_name, id);
CREATE INDEX vendors_by_name ON vendors (legal_name, id);
CREATE INDEX enrolment_codes_of_merchant ON enrolment_codes (merchant) WHERE used_at IS NULL;
