-- Attempts under one reference of the caller's: where the bank refused a transfer
-- for its OTP, nothing moved, and the caller may try again under the same refId.
-- At most one operation of a reference is not refused for its OTP, and so at most
-- one can have been executed.
--
-- Rows that stand already are the first and only ones of their references.

-- +goose Up

ALTER TABLE operations ADD COLUMN try INTEGER NOT NULL DEFAULT 1 CONSTRAINT tries_from_one CHECK (try >= 1);
ALTER TABLE operations ADD COLUMN otp_refused INTEGER NOT NULL DEFAULT 0 CONSTRAINT refused_by_the_bank
    CHECK (otp_refused = 0 OR otp_refused = 1 AND state = 'failed' AND dispatched_at IS NOT NULL);

DROP INDEX operations_by_caller_ref;
CREATE UNIQUE INDEX operations_by_caller_ref ON operations (party, caller_ref) WHERE caller_ref IS NOT NULL AND otp_refused = 0;
CREATE UNIQUE INDEX operations_by_try ON operations (party, caller_ref, try) WHERE caller_ref IS NOT NULL;

DROP TRIGGER operations_fixed;

-- +goose StatementBegin
CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at,
    party, caller_ref, original, sender, kyc_service, kyc_to, reverses, try
ON operations
BEGIN
    SELECT RAISE(ABORT, 'what an operation is never changes');
END;
-- +goose StatementEnd

-- operations_final lists what must stay where a reply is archived.
-- +goose StatementBegin
CREATE TRIGGER operations_refused BEFORE UPDATE OF otp_refused ON operations
WHEN OLD.settled_at IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'a final operation never changes');
END;
-- +goose StatementEnd
