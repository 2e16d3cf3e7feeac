-- The vendor gateway: vendors' keys, sealed, and the messages that were
-- accepted, so that none is accepted twice.

-- +goose Up

CREATE TABLE vendor_keys (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor      TEXT    NOT NULL REFERENCES vendors (id),
    client_hash BLOB    NOT NULL UNIQUE CHECK (length(client_hash) = 32), -- SHA-256 of the API key
    hint        TEXT    NOT NULL CONSTRAINT api_key_is_masked CHECK (length(hint) <= 4),
    sealed      BLOB    NOT NULL CONSTRAINT key_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER,
    used_at     INTEGER,
    uses        INTEGER NOT NULL DEFAULT 0 CONSTRAINT bound_of_random_ivs CHECK (uses BETWEEN 0 AND 4294967296) -- 2^32
) STRICT;

CREATE INDEX vendor_keys_of_vendor ON vendor_keys (vendor, created_at, id);
CREATE INDEX vendor_keys_in_order ON vendor_keys (created_at, id);
CREATE INDEX vendor_keys_live ON vendor_keys (created_at, id) WHERE revoked_at IS NULL;

-- +goose StatementBegin
CREATE TRIGGER vendor_keys_two_live BEFORE INSERT ON vendor_keys
WHEN NEW.revoked_at IS NULL AND (SELECT count(*) FROM vendor_keys WHERE vendor = NEW.vendor AND revoked_at IS NULL) >= 2
BEGIN
    SELECT RAISE(ABORT, 'a vendor has at most two live keys');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER vendor_keys_fixed BEFORE UPDATE ON vendor_keys
WHEN NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.client_hash <> OLD.client_hash OR NEW.hint <> OLD.hint OR
    NEW.created_at <> OLD.created_at OR NEW.uses < OLD.uses OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
    SELECT RAISE(ABORT, 'a key never changes its owner, its uses never shrink, and it is revoked for ever');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER vendor_keys_kept BEFORE DELETE ON vendor_keys
BEGIN
    SELECT RAISE(ABORT, 'keys are kept for audit');
END;
-- +goose StatementEnd

-- Grows with every change of the list of keys.
INSERT INTO counters (name, value) VALUES ('vendor-keys', 1);

CREATE TABLE gateway_messages (
    vendor_key TEXT    NOT NULL REFERENCES vendor_keys (id),
    iv         BLOB    NOT NULL CHECK (length(iv) = 12),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (vendor_key, iv)
) STRICT, WITHOUT ROWID;

CREATE INDEX gateway_messages_expiry ON gateway_messages (expires_at);

-- +goose StatementBegin
CREATE TRIGGER gateway_messages_fixed BEFORE UPDATE ON gateway_messages
BEGIN
    SELECT RAISE(ABORT, 'an accepted message never changes');
END;
-- +goose StatementEnd

-- What a person holds in the hand when they ask about an operation: the bank's
-- reference, the caller's, an id of any door.
CREATE INDEX operations_by_rrn ON operations (rrn) WHERE rrn IS NOT NULL;
CREATE INDEX operations_by_ref ON operations (caller_ref) WHERE caller_ref IS NOT NULL;
CREATE INDEX identities_by_identity ON identities (identity);
