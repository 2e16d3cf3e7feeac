-- Cases of reconciliation that wait for people, counted for metrics.

-- +goose Up

CREATE INDEX settlement_cases_waiting ON settlement_cases (status, found_at) WHERE status IN ('open', 'proposed');
