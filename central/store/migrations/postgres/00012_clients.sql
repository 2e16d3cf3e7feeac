-- Programs' credentials at the direct door, as the console makes and ends them:
-- whose they are, and since when; and the cases that people decided, counted for
-- metrics.

-- +goose Up

ALTER TABLE clients ADD COLUMN created_at BIGINT; -- NULL: it was there before, or is the sandbox's
ALTER TABLE clients ADD COLUMN secret_at BIGINT; -- since when its secret is what it is; NULL: since it was made
ALTER TABLE clients ADD COLUMN party TEXT COLLATE "C" GENERATED ALWAYS AS (role || ':' || coalesce(merchant, vendor, aggregator)) STORED;

CREATE INDEX clients_of_party ON clients (party, id);

CREATE INDEX settlement_cases_by_people ON settlement_cases (verdict) WHERE status = 'decided' AND decided_by <> 'rule';
