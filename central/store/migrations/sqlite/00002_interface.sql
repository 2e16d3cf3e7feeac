-- The whole interface: references that callers choose, refunds, service-KYC
-- records, quotas, commission slabs, what operations earned and its ledger,
-- order ids of QR codes, and what else is told of a merchant.
--
-- Rows that stand already have NULL or 0 in the new columns. Days are Indian
-- days, as 2026-11-21; rates are integer millionths.

-- +goose Up

ALTER TABLE operations ADD COLUMN party TEXT CHECK (party <> '');
ALTER TABLE operations ADD COLUMN caller_ref TEXT CONSTRAINT ref_of_a_party CHECK (caller_ref IS NULL OR caller_ref <> '' AND party IS NOT NULL);
ALTER TABLE operations ADD COLUMN original TEXT CHECK (original <> '');
ALTER TABLE operations ADD COLUMN sender TEXT CHECK (sender <> '');
ALTER TABLE operations ADD COLUMN kyc_service TEXT CONSTRAINT kyc_of_a_merchant CHECK (kyc_service IS NULL OR kyc_service <> '' AND merchant IS NOT NULL);
ALTER TABLE operations ADD COLUMN kyc_to TEXT CONSTRAINT legal_kyc_step CHECK (CASE WHEN kyc_to IS NULL THEN kyc_service IS NULL ELSE kyc_service IS NOT NULL AND
    kyc_to IN ('INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED') END);
ALTER TABLE operations ADD COLUMN reverses TEXT REFERENCES operations (id) CONSTRAINT reverses_another CHECK (reverses <> id);
ALTER TABLE operations ADD COLUMN charge INTEGER NOT NULL DEFAULT 0 CONSTRAINT charge_when_settled CHECK (charge = 0 OR charge > 0 AND settled_at IS NOT NULL);

CREATE UNIQUE INDEX operations_by_caller_ref ON operations (party, caller_ref) WHERE caller_ref IS NOT NULL;
CREATE INDEX operations_of_original ON operations (original, created_at, id) WHERE original IS NOT NULL;
CREATE INDEX operations_of_merchant ON operations (merchant, created_at, id) WHERE merchant IS NOT NULL;

-- operations_final holds every column, those that are added here, too.
DROP TRIGGER operations_fixed;

-- +goose StatementBegin
CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at,
    party, caller_ref, original, sender, kyc_service, kyc_to, reverses
ON operations
BEGIN
    SELECT RAISE(ABORT, 'what an operation is never changes');
END;
-- +goose StatementEnd

ALTER TABLE merchants ADD COLUMN app_id TEXT NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN risk_flag INTEGER NOT NULL DEFAULT 0;
ALTER TABLE merchants ADD COLUMN active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1));
ALTER TABLE merchants ADD COLUMN vpa TEXT NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN mcc TEXT NOT NULL DEFAULT '' CHECK (mcc = '' OR mcc LIKE '____');
ALTER TABLE merchants ADD COLUMN settlement_last4 TEXT CONSTRAINT account_is_masked CHECK (length(settlement_last4) <= 4);
ALTER TABLE merchants ADD COLUMN settlement_ifsc TEXT CHECK ((settlement_ifsc IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN settlement_bank TEXT CHECK ((settlement_bank IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN settlement_holder TEXT CHECK ((settlement_holder IS NULL) = (settlement_last4 IS NULL));
ALTER TABLE merchants ADD COLUMN callback_url TEXT CHECK (callback_url <> '');
ALTER TABLE merchants ADD COLUMN callback_events TEXT CHECK ((callback_events IS NULL) = (callback_url IS NULL)); -- a JSON array

CREATE INDEX merchants_of_vendor ON merchants (vendor, created_at, id) WHERE status <> 'PENDING';

CREATE TABLE service_kyc (
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    service    TEXT    NOT NULL CHECK (service <> ''),
    state      TEXT    NOT NULL CONSTRAINT legal_kyc_state CHECK (state IN (
        'INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (merchant, service)
) STRICT, WITHOUT ROWID;

-- Merchants that are onboarded already have the record of it.
INSERT INTO service_kyc (merchant, service, state, created_at, updated_at)
    SELECT id, 'AEPS', 'APPROVED', created_at, created_at FROM merchants WHERE aeps_ready = 1;

-- +goose StatementBegin
CREATE TRIGGER service_kyc_forward BEFORE UPDATE ON service_kyc
WHEN NEW.merchant <> OLD.merchant OR NEW.service <> OLD.service OR NEW.created_at <> OLD.created_at OR
    CASE NEW.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END <
    CASE OLD.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END
BEGIN
    SELECT RAISE(ABORT, 'a service-KYC record only moves forward');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER service_kyc_kept BEFORE DELETE ON service_kyc
BEGIN
    SELECT RAISE(ABORT, 'service-KYC records are kept');
END;
-- +goose StatementEnd

-- What is used of each quota: always the sum of the reservations on it.
CREATE TABLE quota_usage (
    key    TEXT    NOT NULL CHECK (key <> ''),
    period TEXT    NOT NULL CHECK (period <> ''),
    count  INTEGER NOT NULL CHECK (count >= 0),
    sum    INTEGER NOT NULL CHECK (sum >= 0), -- paise
    PRIMARY KEY (key, period)
) STRICT, WITHOUT ROWID;

-- What an operation counts for. Giving back deletes the row.
CREATE TABLE reservations (
    operation TEXT    NOT NULL REFERENCES operations (id),
    key       TEXT    NOT NULL,
    period    TEXT    NOT NULL,
    amount    INTEGER NOT NULL CHECK (amount >= 0), -- paise
    PRIMARY KEY (operation, key, period),
    FOREIGN KEY (key, period) REFERENCES quota_usage (key, period)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER reservations_fixed BEFORE UPDATE ON reservations
BEGIN
    SELECT RAISE(ABORT, 'a reservation is given back, and never changes');
END;
-- +goose StatementEnd

CREATE TABLE commission_slabs (
    id             TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor         TEXT    NOT NULL REFERENCES vendors (id),
    aggregator     TEXT    NOT NULL REFERENCES aggregators (id),
    payment_method TEXT    NOT NULL CHECK (payment_method <> ''),
    provider       TEXT    NOT NULL CHECK (provider <> ''),
    txn_type       TEXT    NOT NULL CHECK (txn_type <> ''),
    min_amount     INTEGER CHECK (min_amount >= 0), -- paise; NULL: open
    max_amount     INTEGER CHECK (max_amount > 0),  -- paise, not in the band; NULL: open
    rate           INTEGER NOT NULL CHECK (rate >= 0), -- millionths of a rupee or of a percent
    rate_type      TEXT    NOT NULL CHECK (rate_type IN ('FIXED', 'PERCENTAGE')),
    is_default     INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    deleted_at     INTEGER, -- for the vendor; kept for audit
    CONSTRAINT band_is_not_empty CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount < max_amount)
) STRICT;

CREATE UNIQUE INDEX commission_slabs_default ON commission_slabs (vendor, payment_method, provider, txn_type) WHERE is_default = 1 AND deleted_at IS NULL;
CREATE INDEX commission_slabs_of_vendor ON commission_slabs (vendor, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX commission_slabs_alike ON commission_slabs (vendor, payment_method, provider, txn_type, created_at, id) WHERE deleted_at IS NULL;

-- +goose StatementBegin
CREATE TRIGGER commission_slabs_deleted BEFORE UPDATE ON commission_slabs
WHEN OLD.deleted_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.created_at <> OLD.created_at
BEGIN
    SELECT RAISE(ABORT, 'a deleted slab never changes, and no slab changes its owner');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER commission_slabs_kept BEFORE DELETE ON commission_slabs
BEGIN
    SELECT RAISE(ABORT, 'slabs are kept for audit');
END;
-- +goose StatementEnd

-- Which operation was reversed, by which: each at most once.
CREATE TABLE reversals (
    operation   TEXT    NOT NULL PRIMARY KEY REFERENCES operations (id),
    reversed_by TEXT    NOT NULL UNIQUE REFERENCES operations (id),
    at          INTEGER NOT NULL,
    CONSTRAINT by_another CHECK (reversed_by <> operation)
) STRICT, WITHOUT ROWID;

-- What an operation earned. Amounts are paise.
CREATE TABLE commissions (
    operation      TEXT    NOT NULL PRIMARY KEY REFERENCES operations (id),
    vendor         TEXT    REFERENCES vendors (id),
    aggregator     TEXT    REFERENCES aggregators (id),
    merchant       TEXT    NOT NULL REFERENCES merchants (id),
    payment_method TEXT    NOT NULL,
    provider       TEXT    NOT NULL,
    txn_type       TEXT    NOT NULL,
    slab           TEXT    REFERENCES commission_slabs (id),
    amount         INTEGER NOT NULL CHECK (amount >= 0),
    charge         INTEGER NOT NULL CHECK (charge >= 0),
    gst            INTEGER NOT NULL CHECK (gst >= 0),
    provider_cost  INTEGER NOT NULL CHECK (provider_cost >= 0),
    commission     INTEGER NOT NULL CHECK (commission >= 0),
    tds            INTEGER NOT NULL CHECK (tds >= 0),
    day            TEXT    NOT NULL CHECK (day LIKE '____-__-__'),
    at             INTEGER NOT NULL,
    reversed_day   TEXT    CHECK (reversed_day LIKE '____-__-__'),
    reversed_at    INTEGER CHECK ((reversed_at IS NULL) = (reversed_day IS NULL)),
    reversed_by    TEXT    REFERENCES operations (id) CHECK ((reversed_by IS NULL) = (reversed_day IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX commissions_of_vendor ON commissions (vendor, day);
CREATE INDEX commissions_reversed ON commissions (vendor, reversed_day) WHERE reversed_day IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER commissions_fixed BEFORE UPDATE OF
    operation, vendor, aggregator, merchant, payment_method, provider, txn_type, slab,
    amount, charge, gst, provider_cost, commission, tds, day, at
ON commissions
BEGIN
    SELECT RAISE(ABORT, 'what was earned never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER commissions_reversed_once BEFORE UPDATE ON commissions
WHEN OLD.reversed_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'what was earned is reversed once');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER commissions_kept BEFORE DELETE ON commissions
BEGIN
    SELECT RAISE(ABORT, 'what was earned is kept');
END;
-- +goose StatementEnd

-- The commission ledger. Each entry debits one account and credits another.
-- A reversal's entries stand under the operation that they reverse, with debit
-- and credit swapped.
CREATE TABLE ledger_entries (
    operation  TEXT    NOT NULL REFERENCES operations (id),
    purpose    TEXT    NOT NULL CHECK (purpose <> ''),
    reversal   INTEGER NOT NULL CHECK (reversal IN (0, 1)),
    debit      TEXT    NOT NULL CHECK (debit <> ''),
    credit     TEXT    NOT NULL CHECK (credit <> ''),
    amount     INTEGER NOT NULL CHECK (amount > 0), -- paise
    written_by TEXT    NOT NULL REFERENCES operations (id), -- whose settlement wrote it
    at         INTEGER NOT NULL,
    PRIMARY KEY (operation, purpose, reversal),
    CONSTRAINT between_two_accounts CHECK (debit <> credit),
    CONSTRAINT reversed_by_another CHECK ((reversal = 1) = (written_by <> operation))
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER ledger_entries_fixed BEFORE UPDATE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'the ledger never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER ledger_entries_kept BEFORE DELETE ON ledger_entries
BEGIN
    SELECT RAISE(ABORT, 'the ledger is kept');
END;
-- +goose StatementEnd

-- Order ids of dynamic QR codes, with the amount that each was first used for.
CREATE TABLE upi_orders (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    order_id TEXT    NOT NULL CHECK (order_id <> ''),
    amount   INTEGER NOT NULL CHECK (amount >= 0), -- paise
    at       INTEGER NOT NULL,
    PRIMARY KEY (merchant, order_id)
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER upi_orders_fixed BEFORE UPDATE ON upi_orders
BEGIN
    SELECT RAISE(ABORT, 'an order never changes');
END;
-- +goose StatementEnd
