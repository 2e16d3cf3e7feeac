-- The books of the sandbox bank. Amounts are paise, times Unix milliseconds.
-- Money stands in entries only: each row moves one amount from one account to
-- another, so that no set of postings can fail to sum to zero. Entries are
-- never changed; the totals of accounts follow from them by a trigger.

-- +goose Up
CREATE TABLE books (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    key_check BLOB    NOT NULL CHECK (length(key_check) = 32), -- tells whether records.key is the one that made these books
    opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY,
    code          TEXT    NOT NULL UNIQUE,
    title         TEXT    NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('CUSTOMER', 'SETTLEMENT', 'FUNDS')),
    debits_paise  INTEGER NOT NULL DEFAULT 0 CHECK (debits_paise >= 0),
    credits_paise INTEGER NOT NULL DEFAULT 0 CHECK (credits_paise >= 0),
    CONSTRAINT customer_not_overdrawn CHECK (kind <> 'CUSTOMER' OR credits_paise >= debits_paise)
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

-- LOST       never reached the bank, as far as the bank will say (paise .98)
-- ABANDONED  what LOST becomes at due_at
-- DEFERRED   answered PENDING; fate is what it becomes at due_at (.94, .93)
CREATE TABLE transactions (
    id            INTEGER PRIMARY KEY,
    reference     TEXT    NOT NULL UNIQUE CHECK (length(reference) BETWEEN 1 AND 40),
    kind          TEXT    NOT NULL,
    stan          TEXT    NOT NULL CHECK (length(stan) = 6),
    mid           TEXT    NOT NULL,
    tid           TEXT    NOT NULL,
    iin           TEXT    NOT NULL,
    amount_paise  INTEGER NOT NULL CHECK (amount_paise >= 0),
    customer_id   INTEGER REFERENCES customers (id),
    state         TEXT    NOT NULL CHECK (state IN ('LOST', 'ABANDONED', 'DEFERRED', 'APPROVED', 'DECLINED', 'REVERSED')),
    fate          TEXT    CHECK (fate IN ('APPROVED', 'DECLINED', 'REVERSED')),
    code          TEXT    NOT NULL CHECK (length(code) = 2),
    rrn           TEXT    NOT NULL UNIQUE CHECK (length(rrn) = 12),
    auth_code     TEXT    NOT NULL CHECK (length(auth_code) IN (0, 6)),
    balance_paise INTEGER CHECK (balance_paise >= 0),
    arrived_at    INTEGER NOT NULL,
    due_at        INTEGER,
    settled_at    INTEGER,
    CONSTRAINT waits_with_due CHECK ((state IN ('LOST', 'DEFERRED')) = (due_at IS NOT NULL)),
    CONSTRAINT waits_unsettled CHECK ((state IN ('LOST', 'DEFERRED')) = (settled_at IS NULL)),
    CONSTRAINT deferred_with_fate CHECK ((state = 'DEFERRED') = (fate IS NOT NULL)),
    CONSTRAINT approved_by_code CHECK ((state = 'APPROVED') = (code = '00')),
    CONSTRAINT known_kind CHECK (state IN ('DECLINED', 'LOST', 'ABANDONED') OR kind IN
        ('CASH_WITHDRAWAL', 'BALANCE_ENQUIRY', 'MINI_STATEMENT', 'PURCHASE', 'AGENT_AUTHENTICATION'))
) STRICT;

CREATE INDEX transactions_arrived ON transactions (arrived_at);
CREATE INDEX transactions_due ON transactions (due_at) WHERE due_at IS NOT NULL;

-- +goose StatementBegin
CREATE TRIGGER transactions_step BEFORE UPDATE ON transactions
WHEN NEW.reference <> OLD.reference OR NEW.id <> OLD.id OR NEW.amount_paise <> OLD.amount_paise
    OR NEW.kind <> OLD.kind OR NEW.arrived_at <> OLD.arrived_at
    OR NOT (OLD.state = 'LOST' AND NEW.state = 'ABANDONED'
        OR OLD.state = 'DEFERRED' AND NEW.state = OLD.fate)
BEGIN
    SELECT RAISE(ABORT, 'a transaction changes only from LOST or DEFERRED to its end');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
BEGIN
    SELECT RAISE(ABORT, 'transactions are never deleted');
END;
-- +goose StatementEnd

CREATE TABLE entries (
    id             INTEGER PRIMARY KEY,
    transaction_id INTEGER REFERENCES transactions (id),
    purpose        TEXT    NOT NULL CHECK (purpose IN ('OPENING', 'DEBIT', 'REVERSAL')),
    debit_account  INTEGER NOT NULL REFERENCES accounts (id),
    credit_account INTEGER NOT NULL REFERENCES accounts (id),
    amount_paise   INTEGER NOT NULL CHECK (amount_paise > 0),
    narration      TEXT    NOT NULL CHECK (length(narration) BETWEEN 1 AND 17),
    at             INTEGER NOT NULL,
    CONSTRAINT two_accounts CHECK (debit_account <> credit_account),
    CONSTRAINT opening_alone CHECK ((purpose = 'OPENING') = (transaction_id IS NULL)),
    CONSTRAINT once UNIQUE (transaction_id, purpose)
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

-- What each customer was debited on an Indian day, reversals taken off.
CREATE TABLE daily_debits (
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    day         TEXT    NOT NULL CHECK (length(day) = 10),
    paise       INTEGER NOT NULL CHECK (paise >= 0),
    PRIMARY KEY (customer_id, day)
) STRICT, WITHOUT ROWID;

-- PID blocks that were presented, by an HMAC. One block serves one
-- transaction, and the agent authentication marked inline with it.
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
