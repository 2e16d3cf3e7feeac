-- For the console's pages beside many records

-- Payments by the order of any merchant.
CREATE INDEX upi_payments_by_order ON upi_payments (order_id) WHERE order_id IS NOT NULL;

-- Callbacks that somebody looks for: few beside those that were delivered.
CREATE INDEX callbacks_not_delivered ON callbacks (state, created_at, operation) WHERE state <> 'delivered';

-- Entries of the audit log of an action that is rare.
CREATE INDEX audit_log_of_action ON audit_log (action, at, id);
