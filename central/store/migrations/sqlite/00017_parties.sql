-- Which party may do what with the bank's customers and with business
-- correspondents: customers are known by a keyed hash of their mobile number only.

-- +goose Up

-- What names a customer at the bank: an onboarding (referenceid:…) or a remitter
-- (sender:…).
CREATE TABLE customer_names (
    name     TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    customer BLOB    NOT NULL CHECK (length(customer) = 32), -- keyed hash of the mobile number
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_names_of_customer ON customer_names (customer);

-- Which merchant passed an OTP or finger step with whom, by any name.
CREATE TABLE customer_proofs (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    name     TEXT    NOT NULL CHECK (name <> ''),
    at       INTEGER NOT NULL,
    PRIMARY KEY (merchant, name)
) STRICT, WITHOUT ROWID;

-- Strangers whom a merchant has looked up in the last hour, each once.
CREATE TABLE customer_lookups (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    customer BLOB    NOT NULL CHECK (length(customer) = 32),
    at       INTEGER NOT NULL,
    PRIMARY KEY (merchant, customer)
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_lookups_by_moment ON customer_lookups (merchant, at);

-- What was over the limit, for people.
CREATE TABLE lookups_refused (
    merchant TEXT    NOT NULL PRIMARY KEY REFERENCES merchants (id),
    count    INTEGER NOT NULL CHECK (count > 0),
    at       INTEGER NOT NULL -- the last one
) STRICT, WITHOUT ROWID;

CREATE INDEX lookups_refused_by_moment ON lookups_refused (at);

-- Business correspondents and their agents, by who registered them.
CREATE TABLE correspondents (
    kind  TEXT    NOT NULL CONSTRAINT known_correspondent CHECK (kind IN ('bc', 'agent')),
    id    TEXT    NOT NULL CHECK (id <> ''),
    party TEXT    NOT NULL CHECK (party <> ''),
    at    INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER correspondents_fixed BEFORE UPDATE ON correspondents
BEGIN
    SELECT RAISE(ABORT, 'a business correspondent or agent stays with who registered it');
END;
-- +goose StatementEnd

-- What is known from before, as long as the replies are kept.
INSERT INTO correspondents (kind, id, party, at)
SELECT 'bc', json_extract(CAST(reply AS TEXT), '$.data.bcId'), party, settled_at FROM operations
WHERE kind = 'BC_REGISTER' AND state = 'succeeded' AND party IS NOT NULL AND json_valid(CAST(reply AS TEXT)) AND coalesce(json_extract(CAST(reply AS TEXT), '$.data.bcId'), '') <> ''
ORDER BY settled_at ON CONFLICT (kind, id) DO NOTHING;
INSERT INTO correspondents (kind, id, party, at)
SELECT 'agent', json_extract(CAST(reply AS TEXT), '$.data.agentId'), party, settled_at FROM operations
WHERE kind = 'BC_AGENT_REGISTER' AND state = 'succeeded' AND party IS NOT NULL AND json_valid(CAST(reply AS TEXT)) AND coalesce(json_extract(CAST(reply AS TEXT), '$.data.agentId'), '') <> ''
ORDER BY settled_at ON CONFLICT (kind, id) DO NOTHING;
INSERT INTO customer_proofs (merchant, name, at)
SELECT merchant, 'sender:' || sender, max(settled_at) FROM operations
WHERE kind = 'TRANSFER' AND state IN ('succeeded', 'reversed') AND sender IS NOT NULL AND merchant IS NOT NULL GROUP BY merchant, sender;
