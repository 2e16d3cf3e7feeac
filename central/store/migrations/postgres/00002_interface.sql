-- The whole interface: references that callers choose, refunds, service-KYC
-- records, quotas, commission slabs, what operations earned and its ledger,
-- order ids of QR codes, and what else is told of a merchant.
--
-- Rows that stand already have NULL or 0 in the new columns. Days are Indian
-- days, as 2026-11-21; rates are integer millionths.

-- +goose Up

ALTER TABLE operations ADD COLUMN party TEXT COLLATE "C" CHECK (party <> '');
ALTER TABLE operations ADD COLUMN caller_ref TEXT COLLATE "C" CONSTRAINT ref_of_a_party CHECK (caller_ref IS NULL OR caller_ref <> '' AND party IS NOT NULL);
ALTER TABLE operations ADD COLUMN original TEXT COLLATE "C" CHECK (original <> '');
ALTER TABLE operations ADD COLUMN sender TEXT COLLATE "C" CHECK (sender <> '');
ALTER TABLE operations ADD COLUMN kyc_service TEXT COLLATE "C" CONSTRAINT kyc_of_a_merchant CHECK (kyc_service IS NULL OR kyc_service <> '' AND merchant IS NOT NULL);
ALTER TABLE operations ADD COLUMN kyc_to TEXT COLLATE "C" CONSTRAINT legal_kyc_step CHECK (CASE WHEN kyc_to IS NULL THEN kyc_service IS NULL ELSE kyc_service IS NOT NULL AND
    kyc_to IN ('INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED') END);
ALTER TABLE operations ADD COLUMN reverses TEXT COLLATE "C" REFERENCES operation_names (id) CONSTRAINT reverses_another CHECK (reverses <> id);
ALTER TABLE operations ADD COLUMN charge BIGINT NOT NULL DEFAULT 0 CONSTRAINT charge_when_settled CHECK (charge = 0 OR charge > 0 AND settled_at IS NOT NULL);

ALTER TABLE operation_names ADD COLUMN party TEXT COLLATE "C";
ALTER TABLE operation_names ADD COLUMN caller_ref TEXT COLLATE "C";

CREATE UNIQUE INDEX operations_by_caller_ref ON operation_names (party, caller_ref) WHERE caller_ref IS NOT NULL;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION name_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_names (id, created_at, reference, party, caller_ref)
        VALUES (NEW.id, NEW.created_at, NEW.reference, NEW.party, NEW.caller_ref);
    RETURN NEW;
END
$$;
-- +goose StatementEnd

DROP TRIGGER operation_names_fixed ON operation_names;

CREATE TRIGGER operation_names_fixed BEFORE UPDATE ON operation_names FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at OR NEW.reference <> OLD.reference OR OLD.pending_reference IS NOT NULL OR
    NEW.party IS DISTINCT FROM OLD.party OR NEW.caller_ref IS DISTINCT FROM OLD.caller_ref)
EXECUTE FUNCTION refuse('an operation''s names never change');

CREATE INDEX operations_of_original ON operations (original, created_at, id) WHERE original IS NOT NULL;
CREATE INDEX operations_of_merchant ON operations (merchant, created_at, id) WHERE merchant IS NOT NULL;

-- operations_final holds every column, those that are added here, too.
DROP TRIGGER operations_fixed ON operations;

CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at,
    party, caller_ref, original, sender, kyc_service, kyc_to, reverses
ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('what an operation is never changes');

ALTER TABLE merchants ADD COLUMN app_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN risk_flag BIGINT NOT NULL DEFAULT 0;
ALTER TABLE merchants ADD COLUMN active BIGINT NOT NULL DEFAULT 1 CHECK (active IN (0, 1));
ALTER TABLE merchants ADD COLUMN vpa TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN mcc TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (mcc = '' OR mcc LIKE '____');
ALTER TABLE merchants ADD COLUMN settlement_last4 TEXT COLLATE "C" CONSTRAINT account_is_masked CHECK (length(settlement_last4) <= 4);
ALTER TABLE merchants ADD COLUMN settlement_ifsc TEXT COLLATE "C" CHECK ((settlement_ifsc IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN settlement_bank TEXT COLLATE "C" CHECK ((settlement_bank IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN settlement_holder TEXT COLLATE "C" CHECK ((settlement_holder IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN callback_url TEXT COLLATE "C" CHECK (callback_url <> '');
ALTER TABLE merchants ADD COLUMN callback_events TEXT COLLATE "C" CHECK ((callback_events IS NULL) = (callback_url IS NULL)); -- a JSON array

CREATE INDEX merchants_of_vendor ON merchants (vendor, created_at, id) WHERE status <> 'PENDING';

CREATE TABLE service_kyc (
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    service    TEXT COLLATE "C" NOT NULL CHECK (service <> ''),
    state      TEXT COLLATE "C" NOT NULL CONSTRAINT legal_kyc_state CHECK (state IN (
        'INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED')),
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    PRIMARY KEY (merchant, service)
);

-- Merchants that are onboarded already have the record of it.
INSERT INTO service_kyc (merchant, service, state, created_at, updated_at)
    SELECT id, 'AEPS', 'APPROVED', created_at, created_at FROM merchants WHERE aeps_ready = 1;

CREATE TRIGGER service_kyc_forward BEFORE UPDATE ON service_kyc FOR EACH ROW
WHEN (NEW.merchant <> OLD.merchant OR NEW.service <> OLD.service OR NEW.created_at <> OLD.created_at OR
    CASE NEW.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END <
    CASE OLD.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END)
EXECUTE FUNCTION refuse('a service-KYC record only moves forward');

CREATE TRIGGER service_kyc_kept BEFORE DELETE ON service_kyc FOR EACH ROW
EXECUTE FUNCTION refuse('service-KYC records are kept');

-- What is used of each quota: always the sum of the reservations on it.
CREATE TABLE quota_usage (
    key    TEXT COLLATE "C" NOT NULL CHECK (key <> ''),
    period TEXT COLLATE "C" NOT NULL CHECK (period <> ''),
    count  BIGINT  NOT NULL CHECK (count >= 0),
    sum    BIGINT  NOT NULL CHECK (sum >= 0), -- paise
    PRIMARY KEY (key, period)
);

-- What an operation counts for. Giving back deletes the row.
CREATE TABLE reservations (
    operation TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    key       TEXT COLLATE "C" NOT NULL,
    period    TEXT COLLATE "C" NOT NULL,
    amount    BIGINT  NOT NULL CHECK (amount >= 0), -- paise
    PRIMARY KEY (operation, key, period),
    FOREIGN KEY (key, period) REFERENCES quota_usage (key, period)
);

CREATE TRIGGER reservations_fixed BEFORE UPDATE ON reservations FOR EACH ROW
EXECUTE FUNCTION refuse('a reservation is given back, and never changes');

CREATE TABLE commission_slabs (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor         TEXT COLLATE "C" NOT NULL REFERENCES vendors (id),
    aggregator     TEXT COLLATE "C" NOT NULL REFERENCES aggregators (id),
    payment_method TEXT COLLATE "C" NOT NULL CHECK (payment_method <> ''),
    provider       TEXT COLLATE "C" NOT NULL CHECK (provider <> ''),
    txn_type       TEXT COLLATE "C" NOT NULL CHECK (txn_type <> ''),
    min_amount     BIGINT  CHECK (min_amount >= 0), -- paise; NULL: open
    max_amount     BIGINT  CHECK (max_amount > 0),  -- paise, not in the band; NULL: open
    rate           BIGINT  NOT NULL CHECK (rate >= 0), -- millionths of a rupee or of a percent
    rate_type      TEXT COLLATE "C" NOT NULL CHECK (rate_type IN ('FIXED', 'PERCENTAGE')),
    is_default     BIGINT  NOT NULL CHECK (is_default IN (0, 1)),
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    deleted_at     BIGINT, -- for the vendor; kept for audit
    CONSTRAINT band_is_not_empty CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount < max_amount)
);

CREATE UNIQUE INDEX commission_slabs_default ON commission_slabs (vendor, payment_method, provider, txn_type) WHERE is_default = 1 AND deleted_at IS NULL;
CREATE INDEX commission_slabs_of_vendor ON commission_slabs (vendor, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX commission_slabs_alike ON commission_slabs (vendor, payment_method, provider, txn_type, created_at, id) WHERE deleted_at IS NULL;

CREATE TRIGGER commission_slabs_deleted BEFORE UPDATE ON commission_slabs FOR EACH ROW
WHEN (OLD.deleted_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION refuse('a deleted slab never changes, and no slab changes its owner');

CREATE TRIGGER commission_slabs_kept BEFORE DELETE ON commission_slabs FOR EACH ROW
EXECUTE FUNCTION refuse('slabs are kept for audit');

-- Which operation was reversed, by which: each at most once.
CREATE TABLE reversals (
    operation   TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation_names (id),
    reversed_by TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES operation_names (id),
    at          BIGINT  NOT NULL,
    CONSTRAINT by_another CHECK (reversed_by <> operation)
);

-- What an operation earned. Amounts are paise.
CREATE TABLE commissions (
    operation      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation_names (id),
    vendor         TEXT COLLATE "C" REFERENCES vendors (id),
    aggregator     TEXT COLLATE "C" REFERENCES aggregators (id),
    merchant       TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    payment_method TEXT COLLATE "C" NOT NULL,
    provider       TEXT COLLATE "C" NOT NULL,
    txn_type       TEXT COLLATE "C" NOT NULL,
    slab           TEXT COLLATE "C" REFERENCES commission_slabs (id),
    amount         BIGINT  NOT NULL CHECK (amount >= 0),
    charge         BIGINT  NOT NULL CHECK (charge >= 0),
    gst            BIGINT  NOT NULL CHECK (gst >= 0),
    provider_cost  BIGINT  NOT NULL CHECK (provider_cost >= 0),
    commission     BIGINT  NOT NULL CHECK (commission >= 0),
    tds            BIGINT  NOT NULL CHECK (tds >= 0),
    day            TEXT COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'),
    at             BIGINT  NOT NULL,
    reversed_day   TEXT COLLATE "C" CHECK (reversed_day LIKE '____-__-__'),
    reversed_at    BIGINT  CHECK ((reversed_at IS NULL) = (reversed_day IS NULL)),
    reversed_by    TEXT COLLATE "C" REFERENCES operation_names (id) CHECK ((reversed_by IS NULL) = (reversed_day IS NULL))
);

CREATE INDEX commissions_of_vendor ON commissions (vendor, day);
CREATE INDEX commissions_reversed ON commissions (vendor, reversed_day) WHERE reversed_day IS NOT NULL;

CREATE TRIGGER commissions_fixed BEFORE UPDATE OF
    operation, vendor, aggregator, merchant, payment_method, provider, txn_type, slab,
    amount, charge, gst, provider_cost, commission, tds, day, at
ON commissions FOR EACH ROW
EXECUTE FUNCTION refuse('what was earned never changes');

CREATE TRIGGER commissions_reversed_once BEFORE UPDATE ON commissions FOR EACH ROW
WHEN (OLD.reversed_at IS NOT NULL)
EXECUTE FUNCTION refuse('what was earned is reversed once');

CREATE TRIGGER commissions_kept BEFORE DELETE ON commissions FOR EACH ROW
EXECUTE FUNCTION refuse('what was earned is kept');

-- The commission ledger. Each entry debits one account and credits another.
-- A reversal's entries stand under the operation that they reverse, with debit
-- and credit swapped.
CREATE TABLE ledger_entries (
    operation  TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    purpose    TEXT COLLATE "C" NOT NULL CHECK (purpose <> ''),
    reversal   BIGINT  NOT NULL CHECK (reversal IN (0, 1)),
    debit      TEXT COLLATE "C" NOT NULL CHECK (debit <> ''),
    credit     TEXT COLLATE "C" NOT NULL CHECK (credit <> ''),
    amount     BIGINT  NOT NULL CHECK (amount > 0), -- paise
    written_by TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id), -- whose settlement wrote it
    at         BIGINT  NOT NULL,
    PRIMARY KEY (operation, purpose, reversal),
    CONSTRAINT between_two_accounts CHECK (debit <> credit),
    CONSTRAINT reversed_by_another CHECK ((reversal = 1) = (written_by <> operation))
);

CREATE TRIGGER ledger_entries_fixed BEFORE UPDATE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('the ledger never changes');

CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('the ledger is kept');

-- Order ids of dynamic QR codes, with the amount that each was first used for.
CREATE TABLE upi_orders (
    merchant TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    order_id TEXT COLLATE "C" NOT NULL CHECK (order_id <> ''),
    amount   BIGINT  NOT NULL CHECK (amount >= 0), -- paise
    at       BIGINT  NOT NULL,
    PRIMARY KEY (merchant, order_id)
);

CREATE TRIGGER upi_orders_fixed BEFORE UPDATE ON upi_orders FOR EACH ROW
EXECUTE FUNCTION refuse('an order never changes');

CREATE TRIGGER service_kyc_not_emptied BEFORE TRUNCATE ON service_kyc FOR EACH STATEMENT EXECUTE FUNCTION refuse('service-KYC records are kept');
CREATE TRIGGER commission_slabs_not_emptied BEFORE TRUNCATE ON commission_slabs FOR EACH STATEMENT EXECUTE FUNCTION refuse('slabs are kept for audit');
CREATE TRIGGER commissions_not_emptied BEFORE TRUNCATE ON commissions FOR EACH STATEMENT EXECUTE FUNCTION refuse('what was earned is kept');
CREATE TRIGGER ledger_entries_not_emptied BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse('the ledger is kept');
