-- The books of the sandbox bank. Amounts are paise, times Unix milliseconds.
-- Money is in entries only: each row moves one amount from one account to another, so
-- that entries always sum to zero. Entries are never changed. A trigger keeps the totals
-- of accounts.

-- +goose Up

CREATE TABLE books (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    key_check BLOB    NOT NULL CHECK (length(key_check) = 32), -- of records.key
    opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY,
    code          TEXT    NOT NULL UNIQUE,
    title         TEXT    NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('CUSTOMER', 'SETTLEMENT', 'FUNDS', 'FLOAT', 'INCOME', 'PAYABLE')),
    debits_paise  INTEGER NOT NULL DEFAULT 0 CHECK (debits_paise >= 0),
    credits_paise INTEGER NOT NULL DEFAULT 0 CHECK (credits_paise >= 0),
    CONSTRAINT customer_not_overdrawn CHECK (kind <> 'CUSTOMER' OR credits_paise >= debits_paise),
    CONSTRAINT float_not_overdrawn CHECK (kind <> 'FLOAT' OR credits_paise >= debits_paise),
    CONSTRAINT no_more_than_owed CHECK (kind NOT IN ('INCOME', 'PAYABLE') OR credits_paise >= debits_paise)
) STRICT;

CREATE TABLE customers (
    id            INTEGER PRIMARY KEY,
    account_id    INTEGER NOT NULL UNIQUE REFERENCES accounts (id),
    aadhaar_hmac  BLOB    NOT NULL UNIQUE CHECK (length(aadhaar_hmac) = 32),
    aadhaar_last4 TEXT    NOT NULL CHECK (length(aadhaar_last4) = 4),
    name          TEXT    NOT NULL,
    bank          TEXT    NOT NULL,
    iin           TEXT    NOT NULL CHECK (length(iin) = 6),
    mobile        TEXT    NOT NULL CHECK (length(mobile) = 10)
) STRICT;

-- LOST       the bank denies that it received it (paise .98)
-- ABANDONED  the state after LOST, at due_at
-- DEFERRED   answered PENDING; final_state is its state from due_at on (.94, .93)
-- data is sent with a success.
CREATE TABLE transactions (
    id            INTEGER PRIMARY KEY,
    reference     TEXT    NOT NULL UNIQUE CHECK (length(reference) BETWEEN 1 AND 40),
    kind          TEXT    NOT NULL,
    stan          TEXT    NOT NULL CHECK (length(stan) = 6),
    mid           TEXT    NOT NULL,
    tid           TEXT    NOT NULL,
    iin           TEXT    NOT NULL,
    amount_paise  INTEGER NOT NULL CHECK (amount_paise >= 0),
    charge_paise  INTEGER NOT NULL DEFAULT 0 CHECK (charge_paise >= 0),
    customer_id   INTEGER REFERENCES customers (id),
    state         TEXT    NOT NULL CHECK (state IN ('LOST', 'ABANDONED', 'DEFERRED', 'APPROVED', 'DECLINED', 'REVERSED')),
    final_state   TEXT    CHECK (final_state IN ('APPROVED', 'DECLINED', 'REVERSED')),
    code          TEXT    NOT NULL CHECK (length(code) = 2),
    message       TEXT    NOT NULL DEFAULT '', -- empty: the code's own
    refusal       TEXT    NOT NULL DEFAULT '' CHECK (refusal IN ('', 'ORDER', 'NOT_FOUND', 'LIMIT')),
    data          TEXT    CHECK (json_valid(data)),
    rrn           TEXT    NOT NULL UNIQUE CHECK (length(rrn) = 12),
    auth_code     TEXT    NOT NULL CHECK (length(auth_code) IN (0, 6)),
    balance_paise INTEGER CHECK (balance_paise >= 0),
    arrived_at    INTEGER NOT NULL,
    due_at        INTEGER,
    settled_at    INTEGER,
    CONSTRAINT waits_with_due CHECK ((state IN ('LOST', 'DEFERRED')) = (due_at IS NOT NULL)),
    CONSTRAINT waits_unsettled CHECK ((state IN ('LOST', 'DEFERRED')) = (settled_at IS NULL)),
    CONSTRAINT deferred_with_final_state CHECK ((state = 'DEFERRED') = (final_state IS NOT NULL)),
    CONSTRAINT approved_by_code CHECK ((state = 'APPROVED') = (code = '00')),
    CONSTRAINT refused_declined CHECK (refusal = '' OR state = 'DECLINED'),
    CONSTRAINT data_not_declined CHECK (data IS NULL OR state IN ('APPROVED', 'DEFERRED', 'REVERSED')),
    CONSTRAINT charged_transfer CHECK (charge_paise = 0 OR kind = 'TRANSFER'),
    CONSTRAINT known_kind CHECK (state IN ('DECLINED', 'LOST', 'ABANDONED') OR kind IN
        ('CASH_WITHDRAWAL', 'BALANCE_ENQUIRY', 'MINI_STATEMENT', 'PURCHASE', 'AGENT_AUTHENTICATION',
         'AGENT_ONBOARDING', 'AGENT_OTP_CHECK', 'AGENT_PAN', 'AGENT_UID', 'AGENT_BIOMETRIC', 'AGENT_SUBMIT',
         'CUSTOMER_ONBOARDING', 'CUSTOMER_OTP_CHECK', 'CUSTOMER_UID', 'CUSTOMER_BIOMETRIC', 'CUSTOMER_SUBMIT',
         'REMITTER_REGISTER', 'ACCOUNT_VERIFICATION', 'BENEFICIARY_ADD', 'BENEFICIARY_DELETE', 'TRANSFER', 'REFUND',
         'BC_REGISTER', 'BC_AGENT_REGISTER', 'BC_AGENT_INITIALIZE', 'RECEIPT_MESSAGE'))
) STRICT;

CREATE INDEX transactions_arrived ON transactions (arrived_at);
CREATE INDEX transactions_due ON transactions (due_at) WHERE due_at IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER transactions_step BEFORE UPDATE ON transactions
WHEN NEW.reference <> OLD.reference OR NEW.id <> OLD.id OR NEW.amount_paise <> OLD.amount_paise
    OR NEW.kind <> OLD.kind OR NEW.arrived_at <> OLD.arrived_at
    OR NEW.data IS NOT OLD.data OR NEW.charge_paise <> OLD.charge_paise
    OR NOT (OLD.state = 'LOST' AND NEW.state = 'ABANDONED'
        OR OLD.state = 'DEFERRED' AND NEW.state = OLD.final_state)
BEGIN
    SELECT RAISE(ABORT, 'only a LOST or DEFERRED transaction can be changed, to its final state');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
BEGIN
    SELECT RAISE(ABORT, 'transactions are never deleted');
END;
-- +goose StatementEnd

-- TRANSFER and CHARGE are debited from the float. RETURN and CHARGE_RETURN move them to
-- the account of refunds to pay. REFUND and CHARGE_REFUND move them back to the float.
-- FEE is debited from the float for a registration. REFILL pays into the float after a
-- transaction that emptied it. PAYMENT moves a UPI payment from the payers' banks to the
-- merchants, and PAYMENT_REFUND moves it back.
CREATE TABLE entries (
    id             INTEGER PRIMARY KEY,
    transaction_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    payment_id     INTEGER REFERENCES payments (id),
    purpose        TEXT    NOT NULL CHECK (purpose IN ('OPENING', 'DEBIT', 'REVERSAL', 'TRANSFER', 'CHARGE',
        'RETURN', 'CHARGE_RETURN', 'REFUND', 'CHARGE_REFUND', 'FEE', 'REFILL', 'PAYMENT', 'PAYMENT_REFUND')),
    debit_account  INTEGER NOT NULL REFERENCES accounts (id),
    credit_account INTEGER NOT NULL REFERENCES accounts (id),
    amount_paise   INTEGER NOT NULL CHECK (amount_paise > 0),
    narration      TEXT    NOT NULL CHECK (length(narration) BETWEEN 1 AND 17),
    at             INTEGER NOT NULL,
    CONSTRAINT two_accounts CHECK (debit_account <> credit_account),
    CONSTRAINT opening_alone CHECK ((purpose = 'OPENING') = (transaction_id IS NULL AND payment_id IS NULL)),
    CONSTRAINT of_a_payment CHECK ((purpose IN ('PAYMENT', 'PAYMENT_REFUND')) = (payment_id IS NOT NULL)),
    CONSTRAINT of_one_thing CHECK (transaction_id IS NULL OR payment_id IS NULL),
    CONSTRAINT once UNIQUE (transaction_id, purpose),
    CONSTRAINT paid_once UNIQUE (payment_id, purpose)
) STRICT;

CREATE INDEX entries_debited ON entries (debit_account, id);
CREATE INDEX entries_credited ON entries (credit_account, id);

-- +goose StatementBegin
CREATE TRIGGER entries_booked AFTER INSERT ON entries
BEGIN
    UPDATE accounts SET debits_paise = debits_paise + NEW.amount_paise WHERE id = NEW.debit_account;
    UPDATE accounts SET credits_paise = credits_paise + NEW.amount_paise WHERE id = NEW.credit_account;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_mirrored BEFORE INSERT ON entries
WHEN NEW.purpose = 'REVERSAL' AND NOT EXISTS (
    SELECT 1 FROM entries d
    WHERE d.transaction_id = NEW.transaction_id AND d.purpose = 'DEBIT' AND d.amount_paise = NEW.amount_paise
        AND d.debit_account = NEW.credit_account AND d.credit_account = NEW.debit_account)
BEGIN
    SELECT RAISE(ABORT, 'a reversal mirrors the debit of its transaction');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_returned BEFORE INSERT ON entries
WHEN NEW.purpose IN ('RETURN', 'CHARGE_RETURN') AND NOT EXISTS (
    SELECT 1 FROM entries d
    WHERE d.transaction_id = NEW.transaction_id AND d.amount_paise = NEW.amount_paise AND d.credit_account = NEW.debit_account
        AND d.purpose = CASE NEW.purpose WHEN 'RETURN' THEN 'TRANSFER' ELSE 'CHARGE' END)
BEGIN
    SELECT RAISE(ABORT, 'a return takes back what its transfer moved');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_unchanged BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE(ABORT, 'entries are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_kept BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ABORT, 'entries are never deleted');
END;
-- +goose StatementEnd

-- Debits of each customer on an Indian day, minus reversals.
CREATE TABLE daily_debits (
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    day         TEXT    NOT NULL CHECK (length(day) = 10),
    paise       INTEGER NOT NULL CHECK (paise >= 0),
    PRIMARY KEY (customer_id, day)
) STRICT, WITHOUT ROWID;

-- PID blocks by an HMAC. One block is good for one transaction, and for the agent
-- authentication that is marked inline with it.
CREATE TABLE pid_blocks (
    hmac           BLOB    PRIMARY KEY CHECK (length(hmac) = 32),
    belongs_to     TEXT    NOT NULL, -- reference of the transaction
    transaction_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    inline_auth_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT used CHECK (transaction_id IS NOT NULL OR inline_auth_id IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    id     INTEGER PRIMARY KEY,
    mobile TEXT    NOT NULL CHECK (length(mobile) = 10),
    at     INTEGER NOT NULL,
    text   TEXT    NOT NULL
) STRICT;

CREATE INDEX messages_mobile ON messages (mobile, id);

-- Onboarding of DMT customers. status is the last step that was done.
CREATE TABLE enrolments (
    id            INTEGER PRIMARY KEY,
    reference     TEXT    NOT NULL UNIQUE CHECK (length(reference) = 36), -- referenceid
    mobile        TEXT    NOT NULL UNIQUE CHECK (length(mobile) = 10),
    name          TEXT    NOT NULL CHECK (name <> ''),
    email         TEXT    NOT NULL,
    city          TEXT    NOT NULL,
    region        TEXT    NOT NULL, -- the interface's state
    status        TEXT    NOT NULL CHECK (status IN ('STARTED', 'OTP_VERIFIED', 'UID_VERIFIED', 'BIO_UPDATED', 'APPROVED')),
    aadhaar_hmac  BLOB    CHECK (length(aadhaar_hmac) = 32),
    aadhaar_last4 TEXT    NOT NULL DEFAULT '' CHECK (length(aadhaar_last4) IN (0, 4)),
    begun_at      INTEGER NOT NULL,
    CONSTRAINT verified_with_aadhaar CHECK (status IN ('STARTED', 'OTP_VERIFIED') OR aadhaar_hmac IS NOT NULL)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER enrolments_approved BEFORE UPDATE ON enrolments
WHEN OLD.status = 'APPROVED' AND (NEW.status <> 'APPROVED' OR NEW.aadhaar_hmac IS NOT OLD.aadhaar_hmac)
    OR NEW.reference <> OLD.reference OR NEW.mobile <> OLD.mobile
BEGIN
    SELECT RAISE(ABORT, 'an approved customer stays approved, under one reference and one mobile number');
END;
-- +goose StatementEnd

-- Onboarding of AEPS agents, by the MID of the merchant.
CREATE TABLE agents (
    mid           TEXT    PRIMARY KEY CHECK (mid <> ''),
    name          TEXT    NOT NULL,
    mobile        TEXT    NOT NULL CHECK (length(mobile) IN (0, 10)),
    shop          TEXT    NOT NULL,
    application   TEXT    NOT NULL DEFAULT '', -- the merchant's appid, given with the submission
    pan_masked    TEXT    NOT NULL DEFAULT '' CHECK (pan_masked = '' OR pan_masked GLOB '???XXXXX??'),
    status        TEXT    NOT NULL CHECK (status IN ('OTP_SENT', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'APPROVED')),
    aadhaar_hmac  BLOB    CHECK (length(aadhaar_hmac) = 32),
    aadhaar_last4 TEXT    NOT NULL DEFAULT '' CHECK (length(aadhaar_last4) IN (0, 4)),
    begun_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER agents_approved BEFORE UPDATE ON agents
WHEN OLD.status = 'APPROVED' AND NEW.status <> 'APPROVED'
BEGIN
    SELECT RAISE(ABORT, 'an approved agent stays approved');
END;
-- +goose StatementEnd

CREATE TABLE remitters (
    id            INTEGER PRIMARY KEY,
    sender        TEXT    NOT NULL UNIQUE CHECK (length(sender) = 36), -- senderid
    enrolment_id  INTEGER NOT NULL UNIQUE REFERENCES enrolments (id),
    registered_at INTEGER NOT NULL
) STRICT;

-- Transfers of each remitter on an Indian day, minus reversals and refunds.
CREATE TABLE remitter_debits (
    remitter_id INTEGER NOT NULL REFERENCES remitters (id),
    day         TEXT    NOT NULL CHECK (length(day) = 10),
    transfers   INTEGER NOT NULL CHECK (transfers >= 0),
    paise       INTEGER NOT NULL CHECK (paise >= 0),
    PRIMARY KEY (remitter_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE beneficiaries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    remitter_id INTEGER NOT NULL REFERENCES remitters (id),
    account     TEXT    NOT NULL CHECK (length(account) BETWEEN 5 AND 20),
    ifsc        TEXT    NOT NULL CHECK (length(ifsc) = 11),
    name        TEXT    NOT NULL CHECK (name <> ''),
    mobile      TEXT    NOT NULL CHECK (length(mobile) IN (0, 10)),
    email       TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    city        TEXT    NOT NULL,
    region      TEXT    NOT NULL,
    branch      TEXT    NOT NULL,
    added_at    INTEGER NOT NULL,
    deleted_at  INTEGER, -- adding it again gives it the same number
    UNIQUE (remitter_id, account, ifsc)
) STRICT;

-- The last result for each account: 1 verified, 0 failed, -1 and 91 ambiguous.
CREATE TABLE verifications (
    account  TEXT    NOT NULL,
    ifsc     TEXT    NOT NULL,
    status   INTEGER NOT NULL CHECK (status IN (1, 0, -1, 91)),
    asked_at INTEGER NOT NULL, -- for the first time
    PRIMARY KEY (account, ifsc)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfers (
    transaction_id INTEGER PRIMARY KEY REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    remitter_id    INTEGER NOT NULL REFERENCES remitters (id),
    beneficiary_id INTEGER NOT NULL REFERENCES beneficiaries (id),
    sender_mobile  TEXT    NOT NULL CHECK (length(sender_mobile) = 10),
    receiver       TEXT    NOT NULL,
    account        TEXT    NOT NULL,
    ifsc           TEXT    NOT NULL,
    caller_ref     TEXT    NOT NULL,
    remarks        TEXT    NOT NULL
) STRICT;

-- The key allows one refund of a transfer.
CREATE TABLE refunds (
    transfer_id    INTEGER PRIMARY KEY REFERENCES transfers (transaction_id),
    transaction_id INTEGER NOT NULL UNIQUE REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER transfers_unchanged BEFORE UPDATE ON transfers
BEGIN
    SELECT RAISE(ABORT, 'transfers are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER transfers_kept BEFORE DELETE ON transfers
BEGIN
    SELECT RAISE(ABORT, 'transfers are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER refunds_unchanged BEFORE UPDATE ON refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER refunds_kept BEFORE DELETE ON refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER refunds_final BEFORE INSERT ON refunds
WHEN NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = NEW.transfer_id AND t.kind = 'TRANSFER' AND t.state IN ('APPROVED', 'REVERSED'))
BEGIN
    SELECT RAISE(ABORT, 'only a transfer that succeeded or was reversed is refunded');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_refunded BEFORE INSERT ON entries
WHEN NEW.purpose IN ('REFUND', 'CHARGE_REFUND') AND NOT EXISTS (
    SELECT 1 FROM refunds f JOIN entries d ON d.transaction_id = f.transfer_id
    WHERE f.transaction_id = NEW.transaction_id AND d.amount_paise = NEW.amount_paise AND d.debit_account = NEW.credit_account
        AND d.purpose = CASE NEW.purpose WHEN 'REFUND' THEN 'TRANSFER' ELSE 'CHARGE' END)
BEGIN
    SELECT RAISE(ABORT, 'a refund gives back what its transfer took');
END;
-- +goose StatementEnd

-- Business correspondents and their agents.
CREATE TABLE correspondents (
    id            INTEGER PRIMARY KEY,
    bc            TEXT    NOT NULL UNIQUE CHECK (length(bc) = 36), -- bcId
    mid           TEXT    NOT NULL, -- who registered it
    mobile        TEXT    NOT NULL CHECK (length(mobile) = 10),
    pan_hmac      BLOB    NOT NULL CHECK (length(pan_hmac) = 32),
    pan_masked    TEXT    NOT NULL CHECK (pan_masked GLOB '???XXXXX??'),
    name          TEXT    NOT NULL CHECK (name <> ''),
    email         TEXT    NOT NULL,
    address       TEXT    NOT NULL,
    city          TEXT    NOT NULL,
    region        TEXT    NOT NULL,
    pincode       TEXT    NOT NULL,
    status        TEXT    NOT NULL CHECK (status = 'REGISTERED'),
    registered_at INTEGER NOT NULL,
    UNIQUE (mid, mobile, pan_hmac)
) STRICT;

CREATE TABLE correspondent_agents (
    id                INTEGER PRIMARY KEY,
    agent             TEXT    NOT NULL UNIQUE CHECK (length(agent) = 36), -- agentId
    correspondent_id  INTEGER NOT NULL REFERENCES correspondents (id),
    mid               TEXT    NOT NULL, -- who registered it
    mobile            TEXT    NOT NULL CHECK (length(mobile) = 10),
    pan_hmac          BLOB    NOT NULL CHECK (length(pan_hmac) = 32),
    pan_masked        TEXT    NOT NULL CHECK (pan_masked GLOB '???XXXXX??'),
    aadhaar_hmac      BLOB    NOT NULL CHECK (length(aadhaar_hmac) = 32),
    aadhaar_last4     TEXT    NOT NULL CHECK (length(aadhaar_last4) = 4),
    name              TEXT    NOT NULL CHECK (name <> ''),
    email             TEXT    NOT NULL,
    address           TEXT    NOT NULL,
    city              TEXT    NOT NULL,
    region            TEXT    NOT NULL,
    pincode           TEXT    NOT NULL,
    shop              TEXT    NOT NULL,
    status            TEXT    NOT NULL CHECK (status IN ('REGISTERED', 'ACTIVE')),
    registered_at     INTEGER NOT NULL,
    UNIQUE (correspondent_id, mid, mobile, pan_hmac)
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER correspondent_agents_active BEFORE UPDATE ON correspondent_agents
WHEN OLD.status = 'ACTIVE' AND NEW.status <> 'ACTIVE'
BEGIN
    SELECT RAISE(ABORT, 'an active agent stays active');
END;
-- +goose StatementEnd

-- Payments by UPI that the bank received for merchants. upi_id is UPI's transaction id;
-- the payer's name and VPA are masked.
CREATE TABLE payments (
    id           INTEGER PRIMARY KEY,
    upi_id       TEXT    NOT NULL UNIQUE CHECK (length(upi_id) BETWEEN 1 AND 35),
    rrn          TEXT    NOT NULL UNIQUE CHECK (length(rrn) = 12),
    payee        TEXT    NOT NULL CHECK (payee LIKE '_%@_%'),
    tr           TEXT    NOT NULL CHECK (length(tr) <= 35), -- empty: a static code, or none
    amount_paise INTEGER NOT NULL CHECK (amount_paise > 0),
    payer_name   TEXT    NOT NULL,
    payer_vpa    TEXT    NOT NULL,
    paid_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX payments_tr ON payments (payee, tr, id);

-- The key allows one refund of a payment, which is of the whole payment.
CREATE TABLE payment_refunds (
    payment_id  INTEGER PRIMARY KEY REFERENCES payments (id),
    upi_id      TEXT    NOT NULL UNIQUE CHECK (length(upi_id) BETWEEN 1 AND 35),
    rrn         TEXT    NOT NULL UNIQUE CHECK (length(rrn) = 12),
    refunded_at INTEGER NOT NULL
) STRICT;

-- The order in which payments and their refunds were recorded. recorded_at never falls
-- from one record to the next.
CREATE TABLE payment_records (
    seq         INTEGER PRIMARY KEY,
    payment_id  INTEGER NOT NULL REFERENCES payments (id),
    is_refund   INTEGER NOT NULL CHECK (is_refund IN (0, 1)),
    recorded_at INTEGER NOT NULL,
    UNIQUE (payment_id, is_refund)
) STRICT;

CREATE INDEX payment_records_at ON payment_records (recorded_at, seq);

-- What the central is to be told, a row for each notification. next_at: when it is sent
-- next; none: the central has it, or it was tried for too long. spoil: whether its first
-- checksum, or each, is wrong.
CREATE TABLE notifications (
    id           INTEGER PRIMARY KEY,
    payment_id   INTEGER NOT NULL REFERENCES payments (id),
    spoil        TEXT    NOT NULL CHECK (spoil IN ('', 'once', 'always')),
    begins_at    INTEGER NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at      INTEGER,
    delivered_at INTEGER,
    CONSTRAINT delivered_ends CHECK (next_at IS NULL OR delivered_at IS NULL)
) STRICT;

CREATE INDEX notifications_due ON notifications (next_at, id) WHERE next_at IS NOT NULL;
CREATE INDEX notifications_payment ON notifications (payment_id, id);

-- +goose StatementBegin
CREATE TRIGGER payments_unchanged BEFORE UPDATE ON payments
BEGIN
    SELECT RAISE(ABORT, 'payments are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payments_kept BEFORE DELETE ON payments
BEGIN
    SELECT RAISE(ABORT, 'payments are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payment_refunds_unchanged BEFORE UPDATE ON payment_refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds of payments are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payment_refunds_kept BEFORE DELETE ON payment_refunds
BEGIN
    SELECT RAISE(ABORT, 'refunds of payments are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payment_records_unchanged BEFORE UPDATE ON payment_records
BEGIN
    SELECT RAISE(ABORT, 'records of payments are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payment_records_kept BEFORE DELETE ON payment_records
BEGIN
    SELECT RAISE(ABORT, 'records of payments are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER payment_records_rise BEFORE INSERT ON payment_records
WHEN EXISTS (SELECT 1 FROM payment_records r WHERE r.seq >= NEW.seq OR r.recorded_at > NEW.recorded_at)
BEGIN
    SELECT RAISE(ABORT, 'records of payments follow each other');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER notifications_end BEFORE UPDATE ON notifications
WHEN OLD.next_at IS NULL OR NEW.id <> OLD.id OR NEW.payment_id <> OLD.payment_id OR NEW.attempts <= OLD.attempts
BEGIN
    SELECT RAISE(ABORT, 'a notification that has ended is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER notifications_kept BEFORE DELETE ON notifications
BEGIN
    SELECT RAISE(ABORT, 'notifications are never deleted');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_paid BEFORE INSERT ON entries
WHEN NEW.purpose = 'PAYMENT' AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.id = NEW.payment_id AND p.amount_paise = NEW.amount_paise)
BEGIN
    SELECT RAISE(ABORT, 'a payment moves its own amount');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER entries_paid_back BEFORE INSERT ON entries
WHEN NEW.purpose = 'PAYMENT_REFUND' AND NOT EXISTS (
    SELECT 1 FROM payment_refunds f JOIN entries d ON d.payment_id = f.payment_id
    WHERE f.payment_id = NEW.payment_id AND d.purpose = 'PAYMENT' AND d.amount_paise = NEW.amount_paise
        AND d.debit_account = NEW.credit_account AND d.credit_account = NEW.debit_account)
BEGIN
    SELECT RAISE(ABORT, 'a refund of a payment mirrors it');
END;
-- +goose StatementEnd
