-- Slabs whose bands overlap, and whose combinations are any text: the texts stay
-- as they came, and are compared by keys in which upper and lower case are one. A
-- slab of earlier days has no keys: its texts are capital letters, their own keys.
-- Equal bands are refused here, too. Order ids of QR codes are not kept any more;
-- those that were stay in upi_orders.

-- +goose Up

ALTER TABLE commission_slabs ADD COLUMN method_key TEXT COLLATE "C" CHECK (method_key <> '');
ALTER TABLE commission_slabs ADD COLUMN provider_key TEXT COLLATE "C" CHECK (provider_key <> '');
ALTER TABLE commission_slabs ADD COLUMN type_key TEXT COLLATE "C" CHECK (type_key <> '');

CREATE UNIQUE INDEX commission_slabs_band ON commission_slabs (vendor, coalesce(method_key, payment_method), coalesce(provider_key, provider),
    coalesce(type_key, txn_type), coalesce(min_amount, -1), coalesce(max_amount, -1)) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX commission_slabs_one_default ON commission_slabs (vendor, coalesce(method_key, payment_method), coalesce(provider_key, provider),
    coalesce(type_key, txn_type)) WHERE is_default = 1 AND deleted_at IS NULL;

-- The two above hold more, and serve the same questions.
DROP INDEX commission_slabs_default;
DROP INDEX commission_slabs_alike;
