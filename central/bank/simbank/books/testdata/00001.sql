PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO goose_db_version VALUES(1,0,1,'2026-11-21 13:05:56');
INSERT INTO goose_db_version VALUES(2,1,1,'2026-11-21 13:05:56');
CREATE TABLE books (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    key_check BLOB    NOT NULL CHECK (length(key_check) = 32), -- tells whether records.key is the one that made these books
    opened_at INTEGER NOT NULL
) STRICT;
INSERT INTO books VALUES(1,X'6c56ed028797df9255e95c3454a2e6f0711aa4ee778be9a4760ce51397c49c87',946684800000);
CREATE TABLE accounts (
    id            INTEGER PRIMARY KEY,
    code          TEXT    NOT NULL UNIQUE,
    title         TEXT    NOT NULL,
    kind          TEXT    NOT NULL CHECK (kind IN ('CUSTOMER', 'SETTLEMENT', 'FUNDS')),
    debits_paise  INTEGER NOT NULL DEFAULT 0 CHECK (debits_paise >= 0),
    credits_paise INTEGER NOT NULL DEFAULT 0 CHECK (credits_paise >= 0),
    CONSTRAINT customer_not_overdrawn CHECK (kind <> 'CUSTOMER' OR credits_paise >= debits_paise)
) STRICT;
INSERT INTO accounts VALUES(1,'funds','Funds held for customers','FUNDS',12169617,0);
INSERT INTO accounts VALUES(2,'settlement.acquirer','Settlement with the acquirer','SETTLEMENT',10093,90186);
INSERT INTO accounts VALUES(3,'customer.1','Shivshankar Choudhury','CUSTOMER',110280,2510093);
INSERT INTO accounts VALUES(4,'customer.2','Kumar Agarwal','CUSTOMER',0,8000000);
INSERT INTO accounts VALUES(5,'customer.3','Fatima Bedi','CUSTOMER',0,420050);
INSERT INTO accounts VALUES(6,'customer.4','Rohit Pandey','CUSTOMER',0,15000);
INSERT INTO accounts VALUES(7,'customer.5','Anisha Jay Kapoor','CUSTOMER',0,1234567);
INSERT INTO accounts VALUES(8,'settlement.merchant.GAL0000001','Settlement with merchant GAL0000001','SETTLEMENT',0,20094);
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
INSERT INTO customers VALUES(1,3,X'afa6c6f3cb2fbad55cad7257da9f1faf97c3875f95c43e161803d121814f20b4','7058','Shivshankar Choudhury','Sandbox Test Bank','990326','9000000001');
INSERT INTO customers VALUES(2,4,X'442bba1967dabe8c5323b0674313b0c1817a410ad6678ca2e620a85e4c9ebb76','8847','Kumar Agarwal','State Bank of India','607094','9000000002');
INSERT INTO customers VALUES(3,5,X'86c829160300b2dec64e20e0c3c431e7da6bbb908b6027f4a714d60eaeff3709','9405','Fatima Bedi','Bank of Baroda','606985','9000000003');
INSERT INTO customers VALUES(4,6,X'e1ec541a05c4b2c4d83114fabeecc7497b5f7ede42c91654353461dad38a6806','3433','Rohit Pandey','Punjab National Bank','607027','9000000004');
INSERT INTO customers VALUES(5,7,X'dc69caceaa4debdfd40609df86adbb3a24a00f7aea015f01483827df40747af7','1894','Anisha Jay Kapoor','India Post Payments Bank','608314','9000000005');
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
INSERT INTO transactions VALUES(1,'OLD-AUTH','AGENT_AUTHENTICATION','000001','GAL0000001','GAL00001','990326',0,1,'APPROVED',NULL,'00','000100000001','',NULL,946684800000,NULL,946684800000);
INSERT INTO transactions VALUES(2,'OLD-WDL','CASH_WITHDRAWAL','000002','GAL0000001','GAL00001','990326',50000,1,'APPROVED',NULL,'00','000100000002','MKWGD6',2450000,946684801000,NULL,946684801000);
INSERT INTO transactions VALUES(3,'OLD-REFUSED','CASH_WITHDRAWAL','000003','GAL0000001','GAL00001','990326',50005,1,'DECLINED',NULL,'05','000100000003','',NULL,946684802000,NULL,946684802000);
INSERT INTO transactions VALUES(4,'OLD-REVERSED','CASH_WITHDRAWAL','000004','GAL0000001','GAL00001','990326',10093,1,'REVERSED',NULL,'22','000100000004','',2439907,946684803000,NULL,946688408000);
INSERT INTO transactions VALUES(5,'OLD-LATE','PURCHASE','000005','GAL0000001','GAL00001','990326',20094,1,'APPROVED',NULL,'00','000100000005','P93WGQ',2419813,946684804000,NULL,946688408000);
INSERT INTO transactions VALUES(6,'OLD-GONE','CASH_WITHDRAWAL','000006','GAL0000001','GAL00001','990326',10098,NULL,'ABANDONED',NULL,'91','000100000006','',NULL,946684805000,NULL,946688408000);
INSERT INTO transactions VALUES(7,'OLD-BALANCE','BALANCE_ENQUIRY','000007','GAL0000001','GAL00001','990326',0,1,'APPROVED',NULL,'00','000100000007','',2419813,946684806000,NULL,946684806000);
INSERT INTO transactions VALUES(8,'OLD-DEPOSIT','CASH_DEPOSIT','000008','GAL0000001','GAL00001','990326',10000,NULL,'DECLINED',NULL,'12','000100000008','',NULL,946684807000,NULL,946684807000);
INSERT INTO transactions VALUES(9,'OLD-WAITS','CASH_WITHDRAWAL','000009','GAL0000001','GAL00001','990326',30093,1,'DEFERRED','REVERSED','68','000100000009','QDVJ44',2399813,946688408000,946688418000,NULL);
INSERT INTO transactions VALUES(10,'OLD-LOST','CASH_WITHDRAWAL','000000','GAL0000001','GAL00001','990326',10098,NULL,'LOST',NULL,'91','000100000010','',NULL,946688409000,946688469000,NULL);
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
INSERT INTO entries VALUES(1,NULL,'OPENING',1,3,2500000,'OPENING BALANCE',946684800000);
INSERT INTO entries VALUES(2,NULL,'OPENING',1,4,8000000,'OPENING BALANCE',946684800000);
INSERT INTO entries VALUES(3,NULL,'OPENING',1,5,420050,'OPENING BALANCE',946684800000);
INSERT INTO entries VALUES(4,NULL,'OPENING',1,6,15000,'OPENING BALANCE',946684800000);
INSERT INTO entries VALUES(5,NULL,'OPENING',1,7,1234567,'OPENING BALANCE',946684800000);
INSERT INTO entries VALUES(6,2,'DEBIT',3,2,50000,'AEPS CASH WDL',946684801000);
INSERT INTO entries VALUES(7,4,'DEBIT',3,2,10093,'AEPS CASH WDL',946684803000);
INSERT INTO entries VALUES(8,5,'DEBIT',3,8,20094,'AADHAAR PAY',946684804000);
INSERT INTO entries VALUES(9,4,'REVERSAL',2,3,10093,'AEPS WDL REVERSAL',946688408000);
INSERT INTO entries VALUES(10,9,'DEBIT',3,2,30093,'AEPS CASH WDL',946688408000);
CREATE TABLE daily_debits (
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    day         TEXT    NOT NULL CHECK (length(day) = 10),
    paise       INTEGER NOT NULL CHECK (paise >= 0),
    PRIMARY KEY (customer_id, day)
) STRICT, WITHOUT ROWID;
INSERT INTO daily_debits VALUES(1,'2000-01-01',100187);
CREATE TABLE pid_blocks (
    hmac           BLOB    PRIMARY KEY CHECK (length(hmac) = 32),
    belongs_to     TEXT    NOT NULL, -- reference of the transaction
    transaction_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    inline_auth_id INTEGER REFERENCES transactions (id) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT used CHECK (transaction_id IS NOT NULL OR inline_auth_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO pid_blocks VALUES(X'068ffca8039b4f4ab322eb5e4fb0642bc9bdcdd6660bc020806533b233f3d94c','OLD-LATE',5,NULL);
INSERT INTO pid_blocks VALUES(X'4bc658b6bbeba91cea91b32845d4ef8aa88601bfae974ba0344216fe258523db','OLD-WDL',2,1);
INSERT INTO pid_blocks VALUES(X'73936369d583cc5cea269531653d438cf64a964012bafc86bf5f37a410177ddb','OLD-REVERSED',4,NULL);
INSERT INTO pid_blocks VALUES(X'78b038ec725f5a354589dfd77bd6e6219d9d245ff48c84aa95561b8fa8193f8c','OLD-WAITS',9,NULL);
INSERT INTO pid_blocks VALUES(X'e6b9569671a9dd2f99b9204569a226693176868c07690743ecfcf5b4a439adbe','OLD-BALANCE',7,NULL);
INSERT INTO pid_blocks VALUES(X'f84a6782f73bba3b2c4fac2096369b701af295b8010e241f0fb1cd43d437dcd7','OLD-REFUSED',3,NULL);
CREATE TABLE messages (
    id     INTEGER PRIMARY KEY,
    mobile TEXT    NOT NULL CHECK (length(mobile) = 10),
    at     INTEGER NOT NULL,
    text   TEXT    NOT NULL
) STRICT;
INSERT INTO messages VALUES(1,'9000000001',946684801000,'Rs 500.00 debited from your Sandbox Test Bank account on 01-01-2000 05:30 by AePS cash withdrawal. RRN 000100000002. Balance Rs 24500.00. Not you? Call your bank.');
INSERT INTO messages VALUES(2,'9000000001',946684803000,'Rs 100.93 debited from your Sandbox Test Bank account on 01-01-2000 05:30 by AePS cash withdrawal. RRN 000100000004. Balance Rs 24399.07. Not you? Call your bank.');
INSERT INTO messages VALUES(3,'9000000001',946684804000,'Rs 200.94 debited from your Sandbox Test Bank account on 01-01-2000 05:30 by Aadhaar Pay purchase. RRN 000100000005. Balance Rs 24198.13. Not you? Call your bank.');
INSERT INTO messages VALUES(4,'9000000001',946688408000,'Rs 100.93 credited back to your Sandbox Test Bank account on 01-01-2000 06:30: transaction RRN 000100000004 failed and was reversed. Balance Rs 24299.06.');
INSERT INTO messages VALUES(5,'9000000001',946688408000,'Rs 300.93 debited from your Sandbox Test Bank account on 01-01-2000 06:30 by AePS cash withdrawal. RRN 000100000009. Balance Rs 23998.13. Not you? Call your bank.');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('goose_db_version',2);
CREATE INDEX transactions_arrived ON transactions (arrived_at);
CREATE INDEX transactions_due ON transactions (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER transactions_step BEFORE UPDATE ON transactions
WHEN NEW.reference <> OLD.reference OR NEW.id <> OLD.id OR NEW.amount_paise <> OLD.amount_paise
    OR NEW.kind <> OLD.kind OR NEW.arrived_at <> OLD.arrived_at
    OR NOT (OLD.state = 'LOST' AND NEW.state = 'ABANDONED'
        OR OLD.state = 'DEFERRED' AND NEW.state = OLD.fate)
BEGIN
    SELECT RAISE(ABORT, 'a transaction changes only from LOST or DEFERRED to its end');
END;
CREATE TRIGGER transactions_kept BEFORE DELETE ON transactions
BEGIN
    SELECT RAISE(ABORT, 'transactions are never deleted');
END;
CREATE INDEX entries_debited ON entries (debit_account, id);
CREATE INDEX entries_credited ON entries (credit_account, id);
CREATE TRIGGER entries_booked AFTER INSERT ON entries
BEGIN
    UPDATE accounts SET debits_paise = debits_paise + NEW.amount_paise WHERE id = NEW.debit_account;
    UPDATE accounts SET credits_paise = credits_paise + NEW.amount_paise WHERE id = NEW.credit_account;
END;
CREATE TRIGGER entries_mirrored BEFORE INSERT ON entries
WHEN NEW.purpose = 'REVERSAL' AND NOT EXISTS (
    SELECT 1 FROM entries d
    WHERE d.transaction_id = NEW.transaction_id AND d.purpose = 'DEBIT' AND d.amount_paise = NEW.amount_paise
        AND d.debit_account = NEW.credit_account AND d.credit_account = NEW.debit_account)
BEGIN
    SELECT RAISE(ABORT, 'a reversal mirrors the debit of its transaction');
END;
CREATE TRIGGER entries_unchanged BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE(ABORT, 'entries are never changed');
END;
CREATE TRIGGER entries_kept BEFORE DELETE ON entries
BEGIN
    SELECT RAISE(ABORT, 'entries are never deleted');
END;
CREATE INDEX messages_mobile ON messages (mobile, id);
COMMIT;
