-- For the console's search: payments by the order of any merchant

CREATE INDEX upi_payments_by_order ON upi_payments (order_id) WHERE order_id IS NOT NULL;
