-- Payments by UPI that are over a limit of their merchant: the money has arrived, and operators see it

ALTER TABLE upi_payments ADD COLUMN over_limit TEXT CHECK (over_limit <> ''); -- which limit, for people

DROP INDEX upi_payments_unmatched;
CREATE INDEX upi_payments_for_person ON upi_payments (recorded_at, id) WHERE matched <> 'order' AND matched <> 'static' OR over_limit IS NOT NULL;

CREATE TRIGGER upi_payments_limit_immutable BEFORE UPDATE OF over_limit
ON upi_payments FOR EACH ROW
EXECUTE FUNCTION refuse('a payment can''t be changed');
