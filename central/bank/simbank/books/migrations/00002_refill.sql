-- Books that were made before the float was refilled have entries without the purpose
-- REFILL: a payment into the float after a transaction that emptied it. SQLite changes no
-- CHECK, so the table is made again.

-- +goose Up

CREATE TABLE entries_again (
    id             INTEGER PRIMARY KEY,
    transaction_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    purpose        TEXT    NOT NULL CHECK (purpose IN ('OPENING', 'DEBIT', 'REVERSAL', 'TRANSFER', 'CHARGE',
        'RETURN', 'CHARGE_RETURN', 'REFUND', 'CHARGE_REFUND', 'FEE', 'REFILL')),
    debit_account  INTEGER NOT NULL REFERENCES accounts (id),
    credit_account INTEGER NOT NULL REFERENCES accounts (id),
    amount_paise   INTEGER NOT NULL CHECK (amount_paise > 0),
    narration      TEXT    NOT NULL CHECK (length(narration) BETWEEN 1 AND 17),
    at             INTEGER NOT NULL,
    CONSTRAINT two_accounts CHECK (debit_account <> credit_account),
    CONSTRAINT opening_alone CHECK ((purpose = 'OPENING') = (transaction_id IS NULL)),
    CONSTRAINT once UNIQUE (transaction_id, purpose)
) STRICT;

INSERT INTO entries_again (id, transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at)
SELECT id, transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at FROM entries ORDER BY id;

DROP TABLE entries;
ALTER TABLE entries_again RENAME TO entries;

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
