-- Rotation: a vendor's key may end at a time, and a program has two live secrets

ALTER TABLE vendor_keys ADD COLUMN ends_at INTEGER; -- the end that was planned; NULL: none

-- A program's newest secret is in secret_hash. former_* is the one before, until it ends.
-- Each secret has its own generation, which its tokens name. A suspension gives new ones.
ALTER TABLE clients ADD COLUMN generations INTEGER NOT NULL DEFAULT 0; -- the last one that was given
ALTER TABLE clients ADD COLUMN secret_no INTEGER NOT NULL DEFAULT 1;
ALTER TABLE clients ADD COLUMN secrets INTEGER NOT NULL DEFAULT 1; -- how many it has had
ALTER TABLE clients ADD COLUMN former_no INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clients ADD COLUMN former_hash TEXT CHECK (former_hash LIKE '$argon2id$%');
ALTER TABLE clients ADD COLUMN former_generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clients ADD COLUMN former_at INTEGER; -- when it was made; NULL: not recorded
ALTER TABLE clients ADD COLUMN former_ends_at INTEGER; -- NULL: no end is planned

UPDATE clients SET generations = generation;

-- For the operations and callbacks of a vendor's merchants.
CREATE INDEX merchants_by_vendor ON merchants (vendor, id);
