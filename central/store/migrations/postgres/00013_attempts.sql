-- Attempts under one reference of the caller's: where the bank refused a transfer
-- for its OTP, nothing moved, and the caller may try again under the same refId.
-- At most one operation of a reference is not refused for its OTP, and so at most
-- one can have been executed.
--
-- Rows that stand already are the first and only ones of their references.

-- +goose Up

ALTER TABLE operations ADD COLUMN try BIGINT NOT NULL DEFAULT 1 CONSTRAINT tries_from_one CHECK (try >= 1);
ALTER TABLE operations ADD COLUMN otp_refused BIGINT NOT NULL DEFAULT 0 CONSTRAINT refused_by_the_bank
    CHECK (otp_refused = 0 OR otp_refused = 1 AND state = 'failed' AND dispatched_at IS NOT NULL);

ALTER TABLE operation_names ADD COLUMN try BIGINT NOT NULL DEFAULT 1;
ALTER TABLE operation_names ADD COLUMN otp_refused BIGINT NOT NULL DEFAULT 0;

DROP INDEX operations_by_caller_ref;
CREATE UNIQUE INDEX operations_by_caller_ref ON operation_names (party, caller_ref) WHERE caller_ref IS NOT NULL AND otp_refused = 0;
CREATE UNIQUE INDEX operations_by_try ON operation_names (party, caller_ref, try) WHERE caller_ref IS NOT NULL;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION name_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_names (id, created_at, reference, party, caller_ref, try)
        VALUES (NEW.id, NEW.created_at, NEW.reference, NEW.party, NEW.caller_ref, NEW.try);
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION free_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET otp_refused = NEW.otp_refused WHERE id = NEW.id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_name_freed BEFORE UPDATE OF otp_refused ON operations FOR EACH ROW
WHEN (NEW.otp_refused <> OLD.otp_refused AND OLD.settled_at IS NULL)
EXECUTE FUNCTION free_name();

DROP TRIGGER operation_names_fixed ON operation_names;

CREATE TRIGGER operation_names_fixed BEFORE UPDATE ON operation_names FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at OR NEW.reference <> OLD.reference OR
    OLD.pending_reference IS NOT NULL AND NEW.pending_reference IS DISTINCT FROM OLD.pending_reference OR
    NEW.party IS DISTINCT FROM OLD.party OR NEW.caller_ref IS DISTINCT FROM OLD.caller_ref OR
    NEW.try <> OLD.try OR NEW.otp_refused < OLD.otp_refused)
EXECUTE FUNCTION refuse('an operation''s names never change');

DROP TRIGGER operations_fixed ON operations;

CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at,
    party, caller_ref, original, sender, kyc_service, kyc_to, reverses, try
ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('what an operation is never changes');

-- operations_final lists what must stay where a reply is archived.
CREATE TRIGGER operations_refused BEFORE UPDATE OF otp_refused ON operations FOR EACH ROW
WHEN (OLD.settled_at IS NOT NULL)
EXECUTE FUNCTION refuse('a final operation never changes');
