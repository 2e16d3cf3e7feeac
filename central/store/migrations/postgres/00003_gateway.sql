-- The vendor gateway: vendors' keys, sealed, and the messages that were
-- accepted, so that none is accepted twice.

-- +goose Up

CREATE TABLE vendor_keys (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor      TEXT COLLATE "C" NOT NULL REFERENCES vendors (id),
    client_hash BYTEA   NOT NULL UNIQUE CHECK (length(client_hash) = 32), -- SHA-256 of the API key
    hint        TEXT COLLATE "C" NOT NULL CONSTRAINT api_key_is_masked CHECK (length(hint) <= 4),
    sealed      BYTEA   NOT NULL CONSTRAINT key_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at  BIGINT  NOT NULL,
    revoked_at  BIGINT,
    used_at     BIGINT,
    uses        BIGINT  NOT NULL DEFAULT 0 CONSTRAINT bound_of_random_ivs CHECK (uses BETWEEN 0 AND 4294967296) -- 2^32
);

CREATE INDEX vendor_keys_of_vendor ON vendor_keys (vendor, created_at, id);
CREATE INDEX vendor_keys_in_order ON vendor_keys (created_at, id);
CREATE INDEX vendor_keys_live ON vendor_keys (created_at, id) WHERE revoked_at IS NULL;

-- The vendor's row is held, so that of several new keys each sees the others.
-- +goose StatementBegin
CREATE FUNCTION bound_live_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM vendors WHERE id = NEW.vendor FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM vendor_keys WHERE vendor = NEW.vendor AND revoked_at IS NULL) >= 2 THEN
        RAISE EXCEPTION 'a vendor has at most two live keys' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER vendor_keys_two_live BEFORE INSERT ON vendor_keys FOR EACH ROW
WHEN (NEW.revoked_at IS NULL)
EXECUTE FUNCTION bound_live_keys();

CREATE TRIGGER vendor_keys_fixed BEFORE UPDATE ON vendor_keys FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.client_hash <> OLD.client_hash OR NEW.hint <> OLD.hint OR
    NEW.created_at <> OLD.created_at OR NEW.uses < OLD.uses OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
EXECUTE FUNCTION refuse('a key never changes its owner, its uses never shrink, and it is revoked for ever');

CREATE TRIGGER vendor_keys_kept BEFORE DELETE ON vendor_keys FOR EACH ROW
EXECUTE FUNCTION refuse('keys are kept for audit');

-- Grows with every change of the list of keys.
INSERT INTO counters (name, value) VALUES ('vendor-keys', 1);

CREATE TABLE gateway_messages (
    vendor_key TEXT COLLATE "C" NOT NULL REFERENCES vendor_keys (id),
    iv         BYTEA   NOT NULL CHECK (length(iv) = 12),
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (vendor_key, iv)
);

CREATE INDEX gateway_messages_expiry ON gateway_messages (expires_at);

CREATE TRIGGER gateway_messages_fixed BEFORE UPDATE ON gateway_messages FOR EACH ROW
EXECUTE FUNCTION refuse('an accepted message never changes');

-- What a person holds in the hand when they ask about an operation: the bank's
-- reference, the caller's, an id of any door.
CREATE INDEX operations_by_rrn ON operations (rrn) WHERE rrn <> '';
CREATE INDEX operations_by_ref ON operation_names (caller_ref) WHERE caller_ref IS NOT NULL;
CREATE INDEX identities_by_identity ON identities (identity);

CREATE TRIGGER vendor_keys_not_emptied BEFORE TRUNCATE ON vendor_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse('keys are kept for audit');
