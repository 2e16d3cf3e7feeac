-- Which party may do what with the bank's customers and with business
-- correspondents: customers are known by a keyed hash of their mobile number only.

-- +goose Up

-- What names a customer at the bank: an onboarding (referenceid:…) or a remitter
-- (sender:…).
CREATE TABLE customer_names (
    name     TEXT COLLATE "C"    NOT NULL PRIMARY KEY CHECK (name <> ''),
    customer BYTEA   NOT NULL CHECK (length(customer) = 32), -- keyed hash of the mobile number
    at       BIGINT NOT NULL
);

CREATE INDEX customer_names_of_customer ON customer_names (customer);

-- Which merchant passed an OTP or finger step with whom, by any name.
CREATE TABLE customer_proofs (
    merchant TEXT COLLATE "C"    NOT NULL REFERENCES merchants (id),
    name     TEXT COLLATE "C"    NOT NULL CHECK (name <> ''),
    at       BIGINT NOT NULL,
    PRIMARY KEY (merchant, name)
);

-- Strangers whom a merchant has looked up in the last hour, each once.
CREATE TABLE customer_lookups (
    merchant TEXT COLLATE "C"    NOT NULL REFERENCES merchants (id),
    customer BYTEA   NOT NULL CHECK (length(customer) = 32),
    at       BIGINT NOT NULL,
    PRIMARY KEY (merchant, customer)
);

CREATE INDEX customer_lookups_by_moment ON customer_lookups (merchant, at);

-- What was over the limit, for people.
CREATE TABLE lookups_refused (
    merchant TEXT COLLATE "C"    NOT NULL PRIMARY KEY REFERENCES merchants (id),
    count    BIGINT NOT NULL CHECK (count > 0),
    at       BIGINT NOT NULL -- the last one
);

CREATE INDEX lookups_refused_by_moment ON lookups_refused (at);

-- Business correspondents and their agents, by who registered them.
CREATE TABLE correspondents (
    kind  TEXT COLLATE "C"    NOT NULL CONSTRAINT known_correspondent CHECK (kind IN ('bc', 'agent')),
    id    TEXT COLLATE "C"    NOT NULL CHECK (id <> ''),
    party TEXT COLLATE "C"    NOT NULL CHECK (party <> ''),
    at    BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);

CREATE TRIGGER correspondents_fixed BEFORE UPDATE ON correspondents FOR EACH ROW
EXECUTE FUNCTION refuse('a business correspondent or agent stays with who registered it');

-- What is known from before, as long as the replies are kept.
INSERT INTO correspondents (kind, id, party, at)
SELECT 'bc', convert_from(reply, 'UTF8')::json #>> '{data,bcId}', party, settled_at FROM operations
WHERE kind = 'BC_REGISTER' AND state = 'succeeded' AND party IS NOT NULL AND reply IS NOT NULL AND coalesce(convert_from(reply, 'UTF8')::json #>> '{data,bcId}', '') <> ''
ORDER BY settled_at ON CONFLICT (kind, id) DO NOTHING;
INSERT INTO correspondents (kind, id, party, at)
SELECT 'agent', convert_from(reply, 'UTF8')::json #>> '{data,agentId}', party, settled_at FROM operations
WHERE kind = 'BC_AGENT_REGISTER' AND state = 'succeeded' AND party IS NOT NULL AND reply IS NOT NULL AND coalesce(convert_from(reply, 'UTF8')::json #>> '{data,agentId}', '') <> ''
ORDER BY settled_at ON CONFLICT (kind, id) DO NOTHING;
INSERT INTO customer_proofs (merchant, name, at)
SELECT merchant, 'sender:' || sender, max(settled_at) FROM operations
WHERE kind = 'TRANSFER' AND state IN ('succeeded', 'reversed') AND sender IS NOT NULL AND merchant IS NOT NULL GROUP BY merchant, sender;
