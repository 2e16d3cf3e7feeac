-- The shop's address, for receipts

ALTER TABLE merchants ADD COLUMN address TEXT NOT NULL DEFAULT '';
