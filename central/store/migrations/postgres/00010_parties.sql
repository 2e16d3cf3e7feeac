-- What the operators' console shows and changes of parties: where terminals are
-- connected and what they said (package duty), the nodes that serve them, the
-- readings of the float, and merchants and vendors in the order of their names.

-- +goose Up

-- By the terminal's last hello, and how its connection ended.
ALTER TABLE terminals ADD COLUMN node TEXT COLLATE "C" CHECK (node <> '');
ALTER TABLE terminals ADD COLUMN connected_at BIGINT CHECK ((connected_at IS NULL) = (node IS NULL));
ALTER TABLE terminals ADD COLUMN version TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(version) <= 64);
ALTER TABLE terminals ADD COLUMN unresolved BIGINT NOT NULL DEFAULT 0 CHECK (unresolved >= 0);
ALTER TABLE terminals ADD COLUMN ahead BIGINT NOT NULL DEFAULT 0; -- milliseconds: its clock less ours
ALTER TABLE terminals ADD COLUMN left_at BIGINT CHECK (left_at IS NULL OR node IS NOT NULL);
ALTER TABLE terminals ADD COLUMN fault TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(fault) <= 400);
ALTER TABLE terminals ADD COLUMN fault_at BIGINT CHECK ((fault_at IS NULL) = (fault = ''));

-- Which nodes serve terminals, and when they last said so.
CREATE TABLE uplink_nodes (
    node    TEXT COLLATE "C"    NOT NULL PRIMARY KEY CHECK (node <> ''),
    since   BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

-- What the network said of an aggregator's float, from which transfers are paid.
CREATE TABLE float_readings (
    aggregator TEXT COLLATE "C" NOT NULL REFERENCES aggregators (id),
    at         BIGINT NOT NULL,
    balance    BIGINT NOT NULL, -- paise
    source     TEXT COLLATE "C" NOT NULL CHECK (source <> ''), -- the chore, or a person's login
    PRIMARY KEY (aggregator, at)
);

CREATE TRIGGER float_readings_fixed BEFORE UPDATE ON float_readings FOR EACH ROW
EXECUTE FUNCTION refuse('a reading of the float never changes');

CREATE INDEX merchants_by_name ON merchants (legal_name, id);
CREATE INDEX vendors_by_name ON vendors (legal_name, id);
CREATE INDEX enrolment_codes_of_merchant ON enrolment_codes (merchant) WHERE used_at IS NULL;
