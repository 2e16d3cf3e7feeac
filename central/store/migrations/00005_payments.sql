-- Payments that the network received for merchants by UPI.

-- QR codes for one order and one amount. tr is the order in the QR's link.
CREATE TABLE upi_codes (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    tr       TEXT    NOT NULL CHECK (tr <> ''),
    amount   INTEGER NOT NULL CHECK (amount > 0), -- paise
    order_id TEXT    NOT NULL CHECK (order_id <> ''),
    made_at  INTEGER NOT NULL, -- of the newest code
    PRIMARY KEY (merchant, tr, amount)
) STRICT, WITHOUT ROWID;

CREATE INDEX upi_codes_of_order ON upi_codes (merchant, order_id, made_at);
CREATE INDEX upi_codes_by_age ON upi_codes (made_at);

CREATE INDEX merchants_by_vpa ON merchants (lower(vpa)) WHERE vpa <> '';

-- How far the network was asked for payments, in milliseconds; 0: never.
INSERT INTO counters (name, value) VALUES ('upi-enquired', 0);

-- The operation has merchant, amount and history. A return is another operation.
CREATE TABLE upi_payments (
    id                 TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''), -- the network's
    operation          TEXT    NOT NULL UNIQUE REFERENCES {{.Operations}} (id),
    rrn                TEXT    NOT NULL UNIQUE CHECK (length(rrn) = 12),
    payee              TEXT    NOT NULL CHECK (payee <> ''), -- VPA
    tr                 TEXT    NOT NULL,
    amount             INTEGER NOT NULL CHECK (amount > 0), -- paise
    paid_at            INTEGER NOT NULL,
    payer_name         TEXT    NOT NULL, -- masked by the network
    payer_vpa          TEXT    NOT NULL, -- masked by the network
    merchant           TEXT    REFERENCES merchants (id),
    order_id           TEXT    CHECK (order_id <> ''),
    matched            TEXT    NOT NULL CHECK (matched IN ('order', 'static', 'expired-order', 'wrong-amount', 'unknown-order', 'unknown-payee')),
    source             TEXT    NOT NULL CHECK (source IN ('notification', 'enquiry')),
    recorded_at        INTEGER NOT NULL,
    refund_id          TEXT    UNIQUE CHECK (refund_id <> id),
    refund_rrn         TEXT    CHECK ((refund_rrn IS NULL) = (refund_id IS NULL)),
    refunded_at        INTEGER CHECK ((refunded_at IS NULL) = (refund_id IS NULL)),
    refund_operation   TEXT    UNIQUE REFERENCES {{.Operations}} (id) CHECK ((refund_operation IS NULL) = (refund_id IS NULL)),
    refund_recorded_at INTEGER CHECK ((refund_recorded_at IS NULL) = (refund_id IS NULL)),
    CONSTRAINT payee_is_a_merchant CHECK ((merchant IS NULL) = (matched = 'unknown-payee')),
    CONSTRAINT order_of_a_merchant CHECK (order_id IS NULL OR merchant IS NOT NULL)
) STRICT;

CREATE INDEX upi_payments_of_merchant ON upi_payments (merchant, recorded_at, id) WHERE merchant IS NOT NULL;
CREATE INDEX upi_payments_of_order ON upi_payments (merchant, order_id, recorded_at) WHERE order_id IS NOT NULL;
CREATE INDEX upi_payments_unmatched ON upi_payments (recorded_at, id) WHERE matched <> 'order' AND matched <> 'static';

CREATE TRIGGER upi_payments_immutable BEFORE UPDATE OF
    id, operation, rrn, payee, tr, amount, paid_at, payer_name, payer_vpa, merchant, order_id, matched, source, recorded_at
ON upi_payments FOR EACH ROW
EXECUTE FUNCTION refuse('a payment can''t be changed');

CREATE TRIGGER upi_payments_returned_once BEFORE UPDATE ON upi_payments FOR EACH ROW
WHEN (OLD.refund_id IS NOT NULL)
EXECUTE FUNCTION refuse('a payment is returned only once');

CREATE TRIGGER upi_payments_no_delete BEFORE DELETE ON upi_payments FOR EACH ROW
EXECUTE FUNCTION refuse('payments can''t be deleted');
