-- The schema of the central's database.
--
-- Times are integer milliseconds since 1970, amounts integer paise, days Indian
-- days such as 2026-11-21, rates integer millionths. The states of an operation and
-- its transitions are those of package central (CanTransition); triggers refuse all
-- others.
--
-- The SQLite schema has the same tables, columns, constraints and triggers. The
-- difference is operations, which is partitioned by month here. A unique constraint
-- of a partitioned table must contain the partition key. So triggers write the names
-- that are unique over all months into operation_names, and other tables refer to
-- operation_names.
--
-- Texts are compared by their bytes (COLLATE "C"), as in SQLite.

-- +goose Up

-- Refuses a change with the text of the trigger's argument.
-- +goose StatementBegin
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;
-- +goose StatementEnd

-- Accounts: aggregators, vendors, merchants and their programs

CREATE TABLE aggregators (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT COLLATE "C" NOT NULL
);

CREATE TABLE vendors (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT COLLATE "C" NOT NULL,
    aggregator TEXT COLLATE "C" REFERENCES aggregators (id),
    active     BIGINT NOT NULL CHECK (active IN (0, 1))
);

CREATE INDEX vendors_by_name ON vendors (legal_name, id);

CREATE TABLE merchants (
    id                   TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    mid                  TEXT COLLATE "C" UNIQUE, -- the merchant at the bank network
    legal_name           TEXT COLLATE "C" NOT NULL,
    vendor               TEXT COLLATE "C" REFERENCES vendors (id),
    status               TEXT COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'SUSPENDED', 'REJECTED')),
    active               BIGINT NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    has_info             BIGINT NOT NULL CHECK (has_info IN (0, 1)),
    aeps_ready           BIGINT NOT NULL CHECK (aeps_ready IN (0, 1)),
    tid                  TEXT COLLATE "C" UNIQUE, -- the terminal at the bank network for requests that name none
    mobile               TEXT COLLATE "C" NOT NULL,
    app_id               TEXT COLLATE "C" NOT NULL DEFAULT '',
    risk_flag            BIGINT NOT NULL DEFAULT 0,
    vpa                  TEXT COLLATE "C" NOT NULL DEFAULT '',
    mcc                  TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (mcc = '' OR mcc LIKE '____'),
    settlement_last4     TEXT COLLATE "C" CONSTRAINT account_is_masked CHECK (length(settlement_last4) <= 4),
    settlement_ifsc      TEXT COLLATE "C" CHECK ((settlement_ifsc IS NULL) = (settlement_last4 IS NULL)),
    settlement_bank      TEXT COLLATE "C" CHECK ((settlement_bank IS NULL) = (settlement_last4 IS NULL)),
    settlement_holder    TEXT COLLATE "C" CHECK ((settlement_holder IS NULL) = (settlement_last4 IS NULL)),
    callback_url         TEXT COLLATE "C" CHECK (callback_url <> ''),
    callback_events      TEXT COLLATE "C" CHECK ((callback_events IS NULL) = (callback_url IS NULL)), -- a JSON array
    callback_disabled_at BIGINT CONSTRAINT disabled_callback CHECK (callback_disabled_at IS NULL OR callback_url IS NOT NULL), -- the receiver replied 410 Gone
    created_at           BIGINT NOT NULL
);

CREATE INDEX merchants_of_vendor ON merchants (vendor, created_at, id) WHERE status <> 'PENDING';
CREATE INDEX merchants_by_name ON merchants (legal_name, id);
CREATE INDEX merchants_by_mobile ON merchants (mobile);
CREATE INDEX merchants_with_disabled_callback ON merchants (callback_disabled_at) WHERE callback_disabled_at IS NOT NULL;

-- Credentials of programs for the direct entrance.
CREATE TABLE clients (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    secret_hash TEXT COLLATE "C" NOT NULL CHECK (secret_hash LIKE '$argon2id$%'),
    role        TEXT COLLATE "C" NOT NULL CHECK (role IN ('merchant', 'vendor', 'aggregator')),
    merchant    TEXT COLLATE "C" REFERENCES merchants (id),
    vendor      TEXT COLLATE "C" REFERENCES vendors (id),
    aggregator  TEXT COLLATE "C" REFERENCES aggregators (id),
    party       TEXT COLLATE "C" GENERATED ALWAYS AS (role || ':' || coalesce(merchant, vendor, aggregator)) STORED,
    active      BIGINT NOT NULL CHECK (active IN (0, 1)),
    generation  BIGINT NOT NULL DEFAULT 0 CHECK (generation >= 0), -- how often it was suspended or given another secret
    created_at  BIGINT, -- NULL: it came from the seed
    secret_at   BIGINT, -- when its secret was last changed; NULL: never
    CONSTRAINT one_party CHECK (
        (role = 'merchant') = (merchant IS NOT NULL) AND
        (role = 'vendor') = (vendor IS NOT NULL) AND
        (role = 'aggregator') = (aggregator IS NOT NULL)
    )
);

CREATE INDEX clients_of_party ON clients (party, id);

-- The networks from which a client got its tokens: wrong secrets from other networks
-- don't lock it out.
CREATE TABLE client_networks (
    client  TEXT COLLATE "C" NOT NULL REFERENCES clients (id),
    network TEXT COLLATE "C" NOT NULL CHECK (network <> ''), -- an IPv4 address, or the /64 of an IPv6 address
    seen_at BIGINT NOT NULL, -- the day of the last token
    PRIMARY KEY (client, network)
);

CREATE INDEX client_networks_by_moment ON client_networks (client, seen_at, network);

CREATE TABLE service_kyc (
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    service    TEXT COLLATE "C" NOT NULL CHECK (service <> ''),
    state      TEXT COLLATE "C" NOT NULL CONSTRAINT legal_kyc_state CHECK (state IN (
        'INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (merchant, service)
);

CREATE TRIGGER service_kyc_forward BEFORE UPDATE ON service_kyc FOR EACH ROW
WHEN (NEW.merchant <> OLD.merchant OR NEW.service <> OLD.service OR NEW.created_at <> OLD.created_at OR
    CASE NEW.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END <
    CASE OLD.state
        WHEN 'INITIALIZED' THEN 1 WHEN 'ONBOARDING' THEN 2 WHEN 'OTP_VERIFIED' THEN 3 WHEN 'PAN_VERIFIED' THEN 4
        WHEN 'UID_UPDATED' THEN 5 WHEN 'BIO_UPDATED' THEN 6 WHEN 'SUBMITTED' THEN 7 ELSE 8 END)
EXECUTE FUNCTION refuse('a service-KYC record only moves forward');

CREATE TRIGGER service_kyc_no_delete BEFORE DELETE ON service_kyc FOR EACH ROW
EXECUTE FUNCTION refuse('service-KYC records can''t be deleted');

-- Balances of an aggregator's float, from which transfers are paid.
CREATE TABLE float_readings (
    aggregator TEXT COLLATE "C" NOT NULL REFERENCES aggregators (id),
    at         BIGINT NOT NULL,
    balance    BIGINT NOT NULL, -- paise
    source     TEXT COLLATE "C" NOT NULL CHECK (source <> ''), -- the scheduled job, or a login
    PRIMARY KEY (aggregator, at)
);

CREATE TRIGGER float_readings_immutable BEFORE UPDATE ON float_readings FOR EACH ROW
EXECUTE FUNCTION refuse('a reading of the float can''t be changed');

-- Terminals

CREATE TABLE counters (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL -- the next number
);

INSERT INTO counters (name, value) VALUES ('terminal', 101);
-- Grows with every change of vendor_keys.
INSERT INTO counters (name, value) VALUES ('vendor-keys', 1);

CREATE TABLE terminals (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant        TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    name            TEXT COLLATE "C" NOT NULL,
    tid             TEXT COLLATE "C" NOT NULL UNIQUE, -- at the bank network
    public_key      BYTEA NOT NULL CHECK (length(public_key) = 32), -- Ed25519
    client          TEXT COLLATE "C" REFERENCES clients (id), -- whose enrolment code it used; NULL: made in the console
    created_at      BIGINT NOT NULL,
    revoked_at      BIGINT,
    seen_at         BIGINT,
    last_event      BIGINT NOT NULL DEFAULT 0 CHECK (last_event >= 0), -- the highest event cursor so far

    -- From the terminal's last hello, and from the end of that connection.
    node            TEXT COLLATE "C" CHECK (node <> ''),
    connected_at    BIGINT CHECK ((connected_at IS NULL) = (node IS NULL)),
    disconnected_at BIGINT CHECK (disconnected_at IS NULL OR node IS NOT NULL),
    version         TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(version) <= 64),
    unresolved      BIGINT NOT NULL DEFAULT 0 CHECK (unresolved >= 0),
    clock_ahead     BIGINT NOT NULL DEFAULT 0, -- milliseconds: the terminal's clock minus ours
    fault           TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(fault) <= 400),
    fault_at        BIGINT CHECK ((fault_at IS NULL) = (fault = ''))
);

CREATE INDEX terminals_of_merchant ON terminals (merchant, created_at, id);
CREATE INDEX terminals_of_client ON terminals (client, created_at, id);

-- Nodes that serve terminals.
CREATE TABLE uplink_nodes (
    node    TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (node <> ''),
    since   BIGINT NOT NULL,
    seen_at BIGINT NOT NULL -- the last heartbeat
);

CREATE TABLE enrolment_codes (
    hash       BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    client     TEXT COLLATE "C" REFERENCES clients (id), -- who made it; NULL: made in the console
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT,
    terminal   TEXT COLLATE "C" REFERENCES terminals (id),
    CONSTRAINT used_by_a_terminal CHECK ((used_at IS NULL) = (terminal IS NULL))
);

CREATE INDEX enrolment_codes_unused ON enrolment_codes (expires_at) WHERE used_at IS NULL;
CREATE INDEX enrolment_codes_by_end ON enrolment_codes (expires_at);
CREATE INDEX enrolment_codes_of_merchant ON enrolment_codes (merchant) WHERE used_at IS NULL;
CREATE INDEX enrolment_codes_of_client ON enrolment_codes (client) WHERE used_at IS NULL;

CREATE TABLE spent_tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    expires_at BIGINT NOT NULL
);

CREATE INDEX spent_tokens_by_end ON spent_tokens (expires_at);

-- Sessions of agents at the bank (the agent's own authentication).
CREATE TABLE agent_sessions (
    tid        TEXT COLLATE "C" NOT NULL CHECK (tid <> ''),
    opened_at  BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tid, opened_at),
    CONSTRAINT ends_after_it_opens CHECK (expires_at > opened_at)
);

CREATE INDEX agent_sessions_by_end ON agent_sessions (expires_at);

-- Operations

-- Archive files with full replies. The file is on the disk before its row is written.
CREATE TABLE archives (
    file       TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (file <> '' AND file NOT LIKE '%/%'),
    sha256     TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    month      TEXT COLLATE "C" NOT NULL CHECK (month LIKE '____-__'), -- Indian month in which the operations finished
    operations BIGINT NOT NULL CHECK (operations > 0), -- lines of the file
    node       TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL
);

CREATE TRIGGER archives_immutable BEFORE UPDATE ON archives FOR EACH ROW
EXECUTE FUNCTION refuse('an archive can''t be changed');

CREATE TRIGGER archives_no_delete BEFORE DELETE ON archives FOR EACH ROW
EXECUTE FUNCTION refuse('archives can''t be deleted');

-- The unique names of all operations of all months. created_at leads to the month.
CREATE TABLE operation_names (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created_at        BIGINT NOT NULL,
    reference         TEXT COLLATE "C" NOT NULL CONSTRAINT operation_names_by_reference UNIQUE,
    pending_reference TEXT COLLATE "C",
    party             TEXT COLLATE "C",
    caller_ref        TEXT COLLATE "C",
    attempt           BIGINT NOT NULL,
    otp_refused       BIGINT NOT NULL DEFAULT 0
);

-- Partial: PostgreSQL then does not treat its change as a change of a key, which
-- would lock rows that refer to this one.
CREATE UNIQUE INDEX operation_names_by_pending_reference ON operation_names (pending_reference) WHERE pending_reference IS NOT NULL;

-- At most one attempt of a reference is not refused for its OTP.
CREATE UNIQUE INDEX operations_by_caller_ref ON operation_names (party, caller_ref) WHERE caller_ref IS NOT NULL AND otp_refused = 0;
CREATE UNIQUE INDEX operations_by_attempt ON operation_names (party, caller_ref, attempt) WHERE caller_ref IS NOT NULL;
CREATE INDEX operations_by_ref ON operation_names (caller_ref) WHERE caller_ref IS NOT NULL;

CREATE TRIGGER operation_names_immutable BEFORE UPDATE ON operation_names FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at OR NEW.reference <> OLD.reference OR
    OLD.pending_reference IS NOT NULL AND NEW.pending_reference IS DISTINCT FROM OLD.pending_reference OR
    NEW.party IS DISTINCT FROM OLD.party OR NEW.caller_ref IS DISTINCT FROM OLD.caller_ref OR
    NEW.attempt <> OLD.attempt OR NEW.otp_refused < OLD.otp_refused)
EXECUTE FUNCTION refuse('the names of an operation can''t be changed');

CREATE TRIGGER operation_names_no_delete BEFORE DELETE ON operation_names FOR EACH ROW
EXECUTE FUNCTION refuse('the names of an operation can''t be deleted');

CREATE TABLE operations (
    id                TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    caller            TEXT COLLATE "C" NOT NULL CHECK (caller <> ''),
    identity          TEXT COLLATE "C" NOT NULL CHECK (identity <> ''),
    route             TEXT COLLATE "C" NOT NULL,
    fingerprint       BYTEA NOT NULL CHECK (length(fingerprint) = 32),

    party             TEXT COLLATE "C" CHECK (party <> ''),
    merchant          TEXT COLLATE "C" REFERENCES merchants (id),
    terminal          TEXT COLLATE "C" REFERENCES terminals (id), -- receives a late outcome
    tid               TEXT COLLATE "C" NOT NULL,

    kind              TEXT COLLATE "C" NOT NULL,
    amount            BIGINT NOT NULL CHECK (amount >= 0), -- paise
    aadhaar           TEXT COLLATE "C" NOT NULL CONSTRAINT aadhaar_is_masked CHECK (aadhaar = '' OR aadhaar LIKE 'XXXXXXXX____'),
    iin               TEXT COLLATE "C" NOT NULL,
    sender            TEXT COLLATE "C" CHECK (sender <> ''),
    kyc_service       TEXT COLLATE "C" CONSTRAINT kyc_of_a_merchant CHECK (kyc_service IS NULL OR kyc_service <> '' AND merchant IS NOT NULL),
    kyc_to            TEXT COLLATE "C" CONSTRAINT legal_kyc_step CHECK (CASE WHEN kyc_to IS NULL THEN kyc_service IS NULL ELSE kyc_service IS NOT NULL AND
        kyc_to IN ('INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED') END),

    reference         TEXT COLLATE "C" NOT NULL CHECK (reference <> ''), -- ours at the bank
    stan              TEXT COLLATE "C" NOT NULL,
    caller_ref        TEXT COLLATE "C" CONSTRAINT ref_of_a_party CHECK (caller_ref IS NULL OR caller_ref <> '' AND party IS NOT NULL),
    attempt           BIGINT NOT NULL DEFAULT 1 CONSTRAINT attempts_from_one CHECK (attempt >= 1), -- number of the attempt under caller_ref
    original          TEXT COLLATE "C" CHECK (original <> ''), -- reference of the transfer that is refunded
    reverses          TEXT COLLATE "C" REFERENCES operation_names (id) CONSTRAINT reverses_another CHECK (reverses <> id),

    state             TEXT COLLATE "C" NOT NULL, -- CONSTRAINT legal_state
    node              TEXT COLLATE "C" NOT NULL,
    not_after         BIGINT,
    created_at        BIGINT NOT NULL,

    sent_at           BIGINT,
    bank_not_after    BIGINT,
    pending_reference TEXT COLLATE "C",
    enquiries         BIGINT NOT NULL DEFAULT 0 CHECK (enquiries >= 0),
    next_enquiry      BIGINT,
    stuck_at          BIGINT,
    finished_at       BIGINT,

    code              TEXT COLLATE "C" NOT NULL DEFAULT '',
    rrn               TEXT COLLATE "C" NOT NULL DEFAULT '',
    http              BIGINT NOT NULL DEFAULT 0,
    reply             BYTEA,
    charge            BIGINT NOT NULL DEFAULT 0 CONSTRAINT charge_when_finished CHECK (charge = 0 OR charge > 0 AND finished_at IS NOT NULL),
    otp_refused       BIGINT NOT NULL DEFAULT 0 CONSTRAINT refused_by_the_bank
        CHECK (otp_refused = 0 OR otp_refused = 1 AND state = 'failed' AND sent_at IS NOT NULL),

    -- 2592000000: thirty days, the time in which most repeats of a request come.
    archived_at       BIGINT CONSTRAINT archived_after_a_month
        CHECK (archived_at IS NULL OR finished_at IS NOT NULL AND archived_at >= finished_at + 2592000000),
    archive           TEXT COLLATE "C" REFERENCES archives (file) CONSTRAINT archived_in_a_file
        CHECK ((archive IS NULL) = (archived_at IS NULL)),

    PRIMARY KEY (id, created_at),

    -- What the row of each state has. A failed operation may have failed before it
    -- was sent. A succeeded or failed one may have been pending.
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'received'  THEN sent_at IS NULL     AND pending_reference IS NULL     AND finished_at IS NULL
        WHEN 'sent'      THEN sent_at IS NOT NULL AND pending_reference IS NULL     AND finished_at IS NULL
        WHEN 'pending'   THEN sent_at IS NOT NULL AND pending_reference IS NOT NULL AND finished_at IS NULL
        WHEN 'succeeded' THEN sent_at IS NOT NULL AND finished_at IS NOT NULL
        WHEN 'failed'    THEN finished_at IS NOT NULL
        WHEN 'reversed'  THEN sent_at IS NOT NULL AND pending_reference IS NOT NULL AND finished_at IS NOT NULL
        WHEN 'refused'   THEN sent_at IS NULL     AND pending_reference IS NULL     AND finished_at IS NOT NULL
        ELSE FALSE END),
    CONSTRAINT sent_with_a_deadline CHECK ((sent_at IS NULL) = (bank_not_after IS NULL)),
    CONSTRAINT pending_was_sent CHECK (pending_reference IS NULL OR sent_at IS NOT NULL),
    CONSTRAINT pending_has_an_enquiry CHECK ((state = 'pending') = (next_enquiry IS NOT NULL)),
    CONSTRAINT stuck_was_pending CHECK (stuck_at IS NULL OR pending_reference IS NOT NULL),
    CONSTRAINT finished_has_a_reply CHECK ((finished_at IS NULL) = (reply IS NULL)),
    CONSTRAINT reply_has_a_status CHECK (CASE WHEN reply IS NULL THEN http = 0 ELSE http BETWEEN 100 AND 599 END)
) PARTITION BY RANGE (created_at);

-- Takes rows of a month that has no partition: a clock was wrong, or the partition
-- was not created in time.
CREATE TABLE operations_default PARTITION OF operations DEFAULT;

-- Unfinished operations are few.
CREATE INDEX operations_unfinished ON operations (state, created_at, id) WHERE finished_at IS NULL;
CREATE INDEX operations_due ON operations (next_enquiry) WHERE state = 'pending' AND stuck_at IS NULL;
CREATE INDEX operations_stuck ON operations (stuck_at) WHERE state = 'pending' AND stuck_at IS NOT NULL;
CREATE INDEX operations_of_original ON operations (original, created_at, id) WHERE original IS NOT NULL;
CREATE INDEX operations_of_merchant ON operations (merchant, created_at, id) WHERE merchant IS NOT NULL;
CREATE INDEX operations_to_archive ON operations (finished_at, id) WHERE finished_at IS NOT NULL AND archived_at IS NULL;
-- For the comparison of a day with the bank's settlement file.
CREATE INDEX operations_with_amount ON operations (created_at, id) WHERE amount > 0;
-- For the search of the console.
CREATE INDEX operations_by_rrn ON operations (rrn) WHERE rrn <> '';
CREATE INDEX operations_by_aadhaar ON operations (aadhaar, created_at, id) WHERE aadhaar <> '';
CREATE INDEX operations_of_sender ON operations (sender, created_at, id) WHERE sender IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION insert_operation_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_names (id, created_at, reference, party, caller_ref, attempt)
        VALUES (NEW.id, NEW.created_at, NEW.reference, NEW.party, NEW.caller_ref, NEW.attempt);
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_insert_names BEFORE INSERT ON operations FOR EACH ROW
EXECUTE FUNCTION insert_operation_names();

-- +goose StatementBegin
CREATE FUNCTION set_pending_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET pending_reference = NEW.pending_reference WHERE id = NEW.id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_set_pending_reference BEFORE UPDATE OF pending_reference ON operations FOR EACH ROW
WHEN (NEW.pending_reference IS DISTINCT FROM OLD.pending_reference)
EXECUTE FUNCTION set_pending_reference();

-- +goose StatementBegin
CREATE FUNCTION release_caller_ref() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET otp_refused = NEW.otp_refused WHERE id = NEW.id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_release_caller_ref BEFORE UPDATE OF otp_refused ON operations FOR EACH ROW
WHEN (NEW.otp_refused <> OLD.otp_refused AND OLD.finished_at IS NULL)
EXECUTE FUNCTION release_caller_ref();

CREATE TRIGGER operations_first_state BEFORE INSERT ON operations FOR EACH ROW
WHEN (NEW.state <> 'received')
EXECUTE FUNCTION refuse('a new operation must have the state received');

CREATE TRIGGER operations_transition BEFORE UPDATE OF state ON operations FOR EACH ROW
WHEN (NOT CASE NEW.state
    WHEN 'sent'      THEN OLD.state = 'received'
    WHEN 'pending'   THEN OLD.state = 'sent'
    WHEN 'succeeded' THEN OLD.state = 'sent' OR OLD.state = 'pending'
    WHEN 'failed'    THEN OLD.state = 'received' OR OLD.state = 'sent' OR OLD.state = 'pending'
    WHEN 'reversed'  THEN OLD.state = 'pending'
    WHEN 'refused'   THEN OLD.state = 'received'
    ELSE FALSE END)
EXECUTE FUNCTION refuse('an operation can''t make this transition');

-- The one change of a final operation: archiving replaces its reply by a short one,
-- once. Columns that no operation may change are in operations_immutable.
CREATE TRIGGER operations_final BEFORE UPDATE ON operations FOR EACH ROW
WHEN (OLD.finished_at IS NOT NULL AND NOT (
    OLD.archived_at IS NULL AND NEW.archived_at IS NOT NULL AND length(NEW.reply) BETWEEN 2 AND 2048
    AND NEW.state = OLD.state AND NEW.node = OLD.node AND NEW.enquiries = OLD.enquiries
    AND NEW.sent_at IS NOT DISTINCT FROM OLD.sent_at AND NEW.bank_not_after IS NOT DISTINCT FROM OLD.bank_not_after
    AND NEW.pending_reference IS NOT DISTINCT FROM OLD.pending_reference AND NEW.next_enquiry IS NOT DISTINCT FROM OLD.next_enquiry
    AND NEW.stuck_at IS NOT DISTINCT FROM OLD.stuck_at AND NEW.finished_at IS NOT DISTINCT FROM OLD.finished_at
    AND NEW.code = OLD.code AND NEW.rrn = OLD.rrn AND NEW.http = OLD.http AND NEW.charge = OLD.charge))
EXECUTE FUNCTION refuse('a final operation can''t be changed');

CREATE TRIGGER operations_refused BEFORE UPDATE OF otp_refused ON operations FOR EACH ROW
WHEN (OLD.finished_at IS NOT NULL)
EXECUTE FUNCTION refuse('a final operation can''t be changed');

CREATE TRIGGER operations_archived BEFORE UPDATE OF archived_at, archive ON operations FOR EACH ROW
WHEN (OLD.finished_at IS NULL)
EXECUTE FUNCTION refuse('only a final operation can be archived');

CREATE TRIGGER operations_immutable BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at,
    party, caller_ref, original, sender, kyc_service, kyc_to, reverses, attempt
ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('this column of an operation can''t be changed');

CREATE TRIGGER operations_no_delete BEFORE DELETE ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('operations can''t be deleted');

-- Identities are kept for ever. A known one is answered from its operation. One with a
-- tombstone was never seen and is refused.
CREATE TABLE identities (
    caller       TEXT COLLATE "C" NOT NULL CHECK (caller <> ''),
    identity     TEXT COLLATE "C" NOT NULL CHECK (identity <> ''),
    operation    TEXT COLLATE "C" REFERENCES operation_names (id),
    tombstone_at BIGINT,
    PRIMARY KEY (caller, identity),
    CONSTRAINT operation_or_tombstone CHECK ((operation IS NULL) = (tombstone_at IS NOT NULL))
);

CREATE INDEX identities_by_identity ON identities (identity);

CREATE TRIGGER identities_immutable BEFORE UPDATE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('an identity can''t be changed');

CREATE TRIGGER identities_no_delete BEFORE DELETE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('identities can''t be deleted');

CREATE TABLE operation_steps (
    operation  TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    step       BIGINT NOT NULL CHECK (step > 0),
    at         BIGINT NOT NULL,
    node       TEXT COLLATE "C" NOT NULL,
    from_state TEXT COLLATE "C" NOT NULL,
    to_state   TEXT COLLATE "C" NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (operation, step),
    CONSTRAINT legal_step CHECK (CASE to_state
        WHEN 'received'  THEN from_state = ''
        WHEN 'sent'      THEN from_state = 'received'
        WHEN 'pending'   THEN from_state = 'sent' OR from_state = 'pending' -- an enquiry
        WHEN 'succeeded' THEN from_state = 'sent' OR from_state = 'pending'
        WHEN 'failed'    THEN from_state = 'received' OR from_state = 'sent' OR from_state = 'pending'
        WHEN 'reversed'  THEN from_state = 'pending'
        WHEN 'refused'   THEN from_state = 'received'
        ELSE FALSE END)
);

-- The one change of a step: archiving its operation empties the reason.
-- +goose StatementBegin
CREATE FUNCTION check_step_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reason = '' AND NEW.operation = OLD.operation AND NEW.step = OLD.step AND NEW.at = OLD.at
        AND NEW.node = OLD.node AND NEW.from_state = OLD.from_state AND NEW.to_state = OLD.to_state
        AND EXISTS (SELECT 1 FROM operations WHERE (id, created_at) = (SELECT id, created_at FROM operation_names WHERE id = OLD.operation)
            AND archived_at IS NOT NULL) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the history of an operation can''t be changed' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER steps_immutable BEFORE UPDATE ON operation_steps FOR EACH ROW
EXECUTE FUNCTION check_step_change();

CREATE TRIGGER steps_no_delete BEFORE DELETE ON operation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of an operation can''t be deleted');

-- What terminals receive over the uplink.
CREATE TABLE events (
    terminal  TEXT COLLATE "C" NOT NULL REFERENCES terminals (id),
    cursor    BIGINT NOT NULL CHECK (cursor > 0),
    kind      TEXT COLLATE "C" NOT NULL CHECK (kind IN ('outcome', 'banks', 'settings', 'revoked')),
    operation TEXT COLLATE "C" REFERENCES operation_names (id),
    at        BIGINT NOT NULL,
    PRIMARY KEY (terminal, cursor),
    CONSTRAINT outcome_of_an_operation CHECK ((kind = 'outcome') = (operation IS NOT NULL))
);

-- Quotas, commission and its ledger

-- How much of each quota is used: always the sum of its reservations.
CREATE TABLE quota_usage (
    key    TEXT COLLATE "C" NOT NULL CHECK (key <> ''),
    period TEXT COLLATE "C" NOT NULL CHECK (period <> ''),
    count  BIGINT NOT NULL CHECK (count >= 0),
    sum    BIGINT NOT NULL CHECK (sum >= 0), -- paise
    PRIMARY KEY (key, period)
);

CREATE INDEX quota_usage_by_period ON quota_usage (period, key);

-- What an operation uses of a quota. Release deletes the row.
CREATE TABLE reservations (
    operation TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    key       TEXT COLLATE "C" NOT NULL,
    period    TEXT COLLATE "C" NOT NULL,
    amount    BIGINT NOT NULL CHECK (amount >= 0), -- paise
    PRIMARY KEY (operation, key, period),
    FOREIGN KEY (key, period) REFERENCES quota_usage (key, period)
);

CREATE INDEX reservations_by_period ON reservations (period, key);

CREATE TRIGGER reservations_immutable BEFORE UPDATE ON reservations FOR EACH ROW
EXECUTE FUNCTION refuse('a reservation can''t be changed');

-- Texts are stored as they came. They are compared by keys, which ignore the case of letters.
CREATE TABLE commission_slabs (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor         TEXT COLLATE "C" NOT NULL REFERENCES vendors (id),
    aggregator     TEXT COLLATE "C" NOT NULL REFERENCES aggregators (id),
    payment_method TEXT COLLATE "C" NOT NULL CHECK (payment_method <> ''),
    provider       TEXT COLLATE "C" NOT NULL CHECK (provider <> ''),
    txn_type       TEXT COLLATE "C" NOT NULL CHECK (txn_type <> ''),
    method_key     TEXT COLLATE "C" NOT NULL CHECK (method_key <> ''),
    provider_key   TEXT COLLATE "C" NOT NULL CHECK (provider_key <> ''),
    type_key       TEXT COLLATE "C" NOT NULL CHECK (type_key <> ''),
    min_amount     BIGINT CHECK (min_amount >= 0), -- paise; NULL: no lower limit
    max_amount     BIGINT CHECK (max_amount > 0), -- paise, exclusive; NULL: no upper limit
    rate           BIGINT NOT NULL CHECK (rate >= 0), -- millionths of a rupee or of a percent
    rate_type      TEXT COLLATE "C" NOT NULL CHECK (rate_type IN ('FIXED', 'PERCENTAGE')),
    is_default     BIGINT NOT NULL CHECK (is_default IN (0, 1)),
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    deleted_at     BIGINT, -- the row stays for audit
    CONSTRAINT band_is_not_empty CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount < max_amount)
);

CREATE UNIQUE INDEX commission_slabs_band ON commission_slabs (vendor, method_key, provider_key, type_key,
    coalesce(min_amount, -1), coalesce(max_amount, -1)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX commission_slabs_one_default ON commission_slabs (vendor, method_key, provider_key, type_key) WHERE is_default = 1 AND deleted_at IS NULL;
CREATE INDEX commission_slabs_of_vendor ON commission_slabs (vendor, created_at, id) WHERE deleted_at IS NULL;

CREATE TRIGGER commission_slabs_deleted BEFORE UPDATE ON commission_slabs FOR EACH ROW
WHEN (OLD.deleted_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION refuse('a deleted slab and the owner of a slab can''t be changed');

CREATE TRIGGER commission_slabs_no_delete BEFORE DELETE ON commission_slabs FOR EACH ROW
EXECUTE FUNCTION refuse('rows of slabs can''t be deleted');

-- Which operation was reversed by which: each at most once.
CREATE TABLE reversals (
    operation   TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation_names (id),
    reversed_by TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES operation_names (id),
    at          BIGINT NOT NULL,
    CONSTRAINT by_another CHECK (reversed_by <> operation)
);

-- What an operation earned. Amounts are paise.
CREATE TABLE commissions (
    operation      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation_names (id),
    vendor         TEXT COLLATE "C" REFERENCES vendors (id),
    aggregator     TEXT COLLATE "C" REFERENCES aggregators (id),
    merchant       TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    payment_method TEXT COLLATE "C" NOT NULL,
    provider       TEXT COLLATE "C" NOT NULL,
    txn_type       TEXT COLLATE "C" NOT NULL,
    slab           TEXT COLLATE "C" REFERENCES commission_slabs (id),
    amount         BIGINT NOT NULL CHECK (amount >= 0),
    charge         BIGINT NOT NULL CHECK (charge >= 0),
    gst            BIGINT NOT NULL CHECK (gst >= 0),
    provider_cost  BIGINT NOT NULL CHECK (provider_cost >= 0),
    commission     BIGINT NOT NULL CHECK (commission >= 0),
    tds            BIGINT NOT NULL CHECK (tds >= 0),
    day            TEXT COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'),
    at             BIGINT NOT NULL,
    reversed_day   TEXT COLLATE "C" CHECK (reversed_day LIKE '____-__-__'),
    reversed_at    BIGINT CHECK ((reversed_at IS NULL) = (reversed_day IS NULL)),
    reversed_by    TEXT COLLATE "C" REFERENCES operation_names (id) CHECK ((reversed_by IS NULL) = (reversed_day IS NULL))
);

CREATE INDEX commissions_of_vendor ON commissions (vendor, day);
CREATE INDEX commissions_reversed ON commissions (vendor, reversed_day) WHERE reversed_day IS NOT NULL;

CREATE TRIGGER commissions_immutable BEFORE UPDATE OF
    operation, vendor, aggregator, merchant, payment_method, provider, txn_type, slab,
    amount, charge, gst, provider_cost, commission, tds, day, at
ON commissions FOR EACH ROW
EXECUTE FUNCTION refuse('a commission can''t be changed');

CREATE TRIGGER commissions_reversed_once BEFORE UPDATE ON commissions FOR EACH ROW
WHEN (OLD.reversed_at IS NOT NULL)
EXECUTE FUNCTION refuse('a commission can be reversed only once');

CREATE TRIGGER commissions_no_delete BEFORE DELETE ON commissions FOR EACH ROW
EXECUTE FUNCTION refuse('commissions can''t be deleted');

-- The commission ledger. Each entry debits one account and credits another.
-- Entries of a reversal belong to the operation that they reverse, with debit
-- and credit swapped.
CREATE TABLE ledger_entries (
    operation  TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    purpose    TEXT COLLATE "C" NOT NULL CHECK (purpose <> ''),
    reversal   BIGINT NOT NULL CHECK (reversal IN (0, 1)),
    debit      TEXT COLLATE "C" NOT NULL CHECK (debit <> ''),
    credit     TEXT COLLATE "C" NOT NULL CHECK (credit <> ''),
    amount     BIGINT NOT NULL CHECK (amount > 0), -- paise
    written_by TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id), -- the operation that finished
    at         BIGINT NOT NULL,
    PRIMARY KEY (operation, purpose, reversal),
    CONSTRAINT between_two_accounts CHECK (debit <> credit),
    CONSTRAINT reversed_by_another CHECK ((reversal = 1) = (written_by <> operation))
);

CREATE TRIGGER ledger_entries_immutable BEFORE UPDATE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('a ledger entry can''t be changed');

CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('ledger entries can''t be deleted');

-- Customers and business correspondents

-- Names of a customer at the bank: an onboarding (referenceid:…) or a remitter
-- (sender:…). The customer is a keyed hash of the mobile number.
CREATE TABLE customer_names (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> ''),
    customer BYTEA NOT NULL CHECK (length(customer) = 32),
    at       BIGINT NOT NULL
);

CREATE INDEX customer_names_of_customer ON customer_names (customer);

-- Which merchant passed an OTP or finger step with which customer, by any name.
CREATE TABLE customer_proofs (
    merchant TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    name     TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
    at       BIGINT NOT NULL,
    PRIMARY KEY (merchant, name)
);

-- Customers without a proof that a merchant looked up in the last hour, each once.
CREATE TABLE customer_lookups (
    merchant TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    customer BYTEA NOT NULL CHECK (length(customer) = 32),
    at       BIGINT NOT NULL,
    PRIMARY KEY (merchant, customer)
);

CREATE INDEX customer_lookups_by_moment ON customer_lookups (merchant, at);

-- Lookups over the limit, for the staff.
CREATE TABLE customer_lookups_refused (
    merchant TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES merchants (id),
    count    BIGINT NOT NULL CHECK (count > 0),
    at       BIGINT NOT NULL -- the last one
);

CREATE INDEX customer_lookups_refused_by_moment ON customer_lookups_refused (at);

-- Business correspondents and their agents, and which party registered them.
CREATE TABLE correspondents (
    kind  TEXT COLLATE "C" NOT NULL CONSTRAINT known_correspondent CHECK (kind IN ('bc', 'agent')),
    id    TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    party TEXT COLLATE "C" NOT NULL CHECK (party <> ''),
    at    BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);

CREATE TRIGGER correspondents_immutable BEFORE UPDATE ON correspondents FOR EACH ROW
EXECUTE FUNCTION refuse('the owner of a business correspondent or agent can''t be changed');

-- The gateway: vendors' keys, and messages that can't be accepted twice

CREATE TABLE vendor_keys (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor      TEXT COLLATE "C" NOT NULL REFERENCES vendors (id),
    client_hash BYTEA NOT NULL UNIQUE CHECK (length(client_hash) = 32), -- SHA-256 of the API key
    hint        TEXT COLLATE "C" NOT NULL CONSTRAINT api_key_is_masked CHECK (length(hint) <= 4),
    sealed      BYTEA NOT NULL CONSTRAINT key_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at  BIGINT NOT NULL,
    revoked_at  BIGINT,
    used_at     BIGINT,
    uses        BIGINT NOT NULL DEFAULT 0 CONSTRAINT limit_of_random_ivs CHECK (uses BETWEEN 0 AND 4294967296) -- 2^32
);

CREATE INDEX vendor_keys_of_vendor ON vendor_keys (vendor, created_at, id);
CREATE INDEX vendor_keys_in_order ON vendor_keys (created_at, id);
CREATE INDEX vendor_keys_live ON vendor_keys (created_at, id) WHERE revoked_at IS NULL;

-- Locks the vendor's row, so that each of several new keys sees the others.
-- +goose StatementBegin
CREATE FUNCTION limit_live_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM vendors WHERE id = NEW.vendor FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM vendor_keys WHERE vendor = NEW.vendor AND revoked_at IS NULL) >= 2 THEN
        RAISE EXCEPTION 'a vendor has at most two live keys' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER vendor_keys_two_live BEFORE INSERT ON vendor_keys FOR EACH ROW
WHEN (NEW.revoked_at IS NULL)
EXECUTE FUNCTION limit_live_keys();

CREATE TRIGGER vendor_keys_immutable BEFORE UPDATE ON vendor_keys FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.client_hash <> OLD.client_hash OR NEW.hint <> OLD.hint OR
    NEW.created_at <> OLD.created_at OR NEW.uses < OLD.uses OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
EXECUTE FUNCTION refuse('the owner of a key and a revocation can''t be changed, and uses can''t shrink');

CREATE TRIGGER vendor_keys_no_delete BEFORE DELETE ON vendor_keys FOR EACH ROW
EXECUTE FUNCTION refuse('vendor keys can''t be deleted');

CREATE TABLE gateway_messages (
    vendor_key TEXT COLLATE "C" NOT NULL REFERENCES vendor_keys (id),
    iv         BYTEA NOT NULL CHECK (length(iv) = 12),
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (vendor_key, iv)
);

CREATE INDEX gateway_messages_expiry ON gateway_messages (expires_at);

CREATE TRIGGER gateway_messages_immutable BEFORE UPDATE ON gateway_messages FOR EACH ROW
EXECUTE FUNCTION refuse('an accepted message can''t be changed');

-- Callbacks to merchants

CREATE TABLE callback_secrets (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    sealed     BYTEA NOT NULL CONSTRAINT secret_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX callback_secrets_of_merchant ON callback_secrets (merchant, created_at, id);
CREATE INDEX callback_secrets_live ON callback_secrets (merchant, created_at, id) WHERE revoked_at IS NULL;

-- Locks the merchant's row, so that each of several new secrets sees the others.
-- +goose StatementBegin
CREATE FUNCTION limit_live_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM merchants WHERE id = NEW.merchant FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM callback_secrets WHERE merchant = NEW.merchant AND revoked_at IS NULL) >= 2 THEN
        RAISE EXCEPTION 'a merchant has at most two live callback secrets' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER callback_secrets_two_live BEFORE INSERT ON callback_secrets FOR EACH ROW
WHEN (NEW.revoked_at IS NULL)
EXECUTE FUNCTION limit_live_secrets();

CREATE TRIGGER callback_secrets_immutable BEFORE UPDATE ON callback_secrets FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.merchant <> OLD.merchant OR NEW.created_at <> OLD.created_at OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
EXECUTE FUNCTION refuse('the owner of a callback secret and a revocation can''t be changed');

CREATE TRIGGER callback_secrets_no_delete BEFORE DELETE ON callback_secrets FOR EACH ROW
EXECUTE FUNCTION refuse('callback secrets can''t be deleted');

-- One for each operation that was pending and is finished, where its merchant has an
-- endpoint. due_at is the next attempt, or while a node makes an attempt the end of its
-- lease. since is when the present series of attempts began.
CREATE TABLE callbacks (
    operation  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES operation_names (id),
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    event      TEXT COLLATE "C" NOT NULL CONSTRAINT known_event CHECK (event = 'operation.finished'),
    state      TEXT COLLATE "C" NOT NULL, -- CONSTRAINT legal_state
    created_at BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    due_at     BIGINT,
    node       TEXT COLLATE "C" CHECK (node <> ''),
    attempts   BIGINT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failures   BIGINT NOT NULL DEFAULT 0 CHECK (failures >= 0),
    tried_at   BIGINT,
    http       BIGINT NOT NULL DEFAULT 0 CHECK (http BETWEEN 0 AND 999),
    detail     TEXT COLLATE "C" NOT NULL DEFAULT '',
    ended_at   BIGINT,
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'waiting'   THEN due_at IS NOT NULL AND ended_at IS NULL
        WHEN 'delivered' THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL AND attempts > 0
        WHEN 'given-up'  THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL
        ELSE FALSE END),
    CONSTRAINT node_has_an_attempt CHECK (node IS NULL OR attempts > 0),
    CONSTRAINT tried_by_an_attempt CHECK ((tried_at IS NULL) = (attempts = 0)),
    CONSTRAINT since_not_before_created CHECK (since >= created_at)
);

CREATE INDEX callbacks_due_of_merchant ON callbacks (merchant, due_at) WHERE state = 'waiting';
CREATE INDEX callbacks_waiting_since ON callbacks (since) WHERE state = 'waiting';
CREATE INDEX callbacks_given_up ON callbacks (ended_at) WHERE state = 'given-up';
CREATE INDEX callbacks_delivered ON callbacks (ended_at) WHERE state = 'delivered';
CREATE INDEX callbacks_by_age ON callbacks (created_at, operation);
CREATE INDEX callbacks_of_merchant ON callbacks (merchant, created_at, operation);

-- +goose StatementBegin
CREATE FUNCTION check_new_callback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'waiting' OR NEW.attempts <> 0 OR NOT EXISTS (SELECT 1 FROM operations
        WHERE (id, created_at) = (SELECT id, created_at FROM operation_names WHERE id = NEW.operation)
        AND merchant = NEW.merchant AND finished_at IS NOT NULL AND pending_reference IS NOT NULL)
    THEN
        RAISE EXCEPTION 'a new callback must wait, and its operation must be the merchant''s, finished, and was pending' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER callbacks_first_state BEFORE INSERT ON callbacks FOR EACH ROW
EXECUTE FUNCTION check_new_callback();

CREATE TRIGGER callbacks_transition BEFORE UPDATE ON callbacks FOR EACH ROW
WHEN (NEW.operation <> OLD.operation OR NEW.merchant <> OLD.merchant OR NEW.event <> OLD.event OR NEW.created_at <> OLD.created_at OR
    NEW.attempts < OLD.attempts OR NEW.since < OLD.since OR
    OLD.state <> 'waiting' AND (NEW.state <> 'waiting' OR NEW.attempts <> OLD.attempts))
EXECUTE FUNCTION refuse('the subject of a callback can''t be changed, attempts only grow, and an ended callback can only be replayed');

CREATE TRIGGER callbacks_no_delete BEFORE DELETE ON callbacks FOR EACH ROW
WHEN (OLD.state = 'waiting')
EXECUTE FUNCTION refuse('a waiting callback can''t be deleted');

CREATE TABLE callback_attempts (
    operation TEXT COLLATE "C" NOT NULL REFERENCES callbacks (operation) ON DELETE CASCADE,
    attempt   BIGINT NOT NULL CHECK (attempt > 0),
    at        BIGINT NOT NULL,
    node      TEXT COLLATE "C" NOT NULL,
    http      BIGINT NOT NULL CHECK (http BETWEEN 0 AND 999),
    detail    TEXT COLLATE "C" NOT NULL,
    result    TEXT COLLATE "C" NOT NULL CONSTRAINT known_result CHECK (result IN ('delivered', 'retry', 'given-up', 'gone')),
    PRIMARY KEY (operation, attempt)
);

CREATE TRIGGER callback_attempts_immutable BEFORE UPDATE ON callback_attempts FOR EACH ROW
EXECUTE FUNCTION refuse('an attempt can''t be changed');

-- Jobs and rates, shared by all nodes

-- One row for each scheduled job. due_at is the next run, or while a node runs it the
-- end of its lease.
CREATE TABLE scheduled_jobs (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> ''),
    due_at     BIGINT NOT NULL,
    node       TEXT COLLATE "C" CHECK (node <> ''),
    started_at BIGINT,
    ended_at   BIGINT,
    failures   BIGINT NOT NULL DEFAULT 0 CHECK (failures >= 0),
    note       TEXT COLLATE "C" NOT NULL DEFAULT '',
    CONSTRAINT node_has_started CHECK (node IS NULL OR started_at IS NOT NULL),
    CONSTRAINT ended_was_started CHECK (ended_at IS NULL OR started_at IS NOT NULL)
);

-- One row for each name with a rate limit. level was the value at the time at, and has
-- grown by the rate since. 0 at 0 is full.
CREATE TABLE rates (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (name <> ''),
    level BIGINT NOT NULL CONSTRAINT level_not_negative CHECK (level >= 0), -- millionths of a use
    at    BIGINT NOT NULL CHECK (at >= 0)
);

CREATE INDEX rates_by_moment ON rates (at);

-- Backup and recovery

-- When copies of the database were started. A copy has its own row.
CREATE TABLE backups (
    at   BIGINT NOT NULL PRIMARY KEY,
    node TEXT COLLATE "C" NOT NULL
);

-- When the database was restored from a copy. With gap = 1, the copy may lack
-- operations that were recorded after it.
CREATE TABLE restorations (
    at          BIGINT NOT NULL PRIMARY KEY,
    backup_at   BIGINT, -- NULL: not known
    gap         BIGINT NOT NULL CHECK (gap IN (0, 1)),
    released_at BIGINT, -- a person has dealt with the gap
    CONSTRAINT released_afterwards CHECK (released_at >= at),
    CONSTRAINT no_gap_is_released CHECK (gap = 1 OR released_at IS NOT NULL)
);

CREATE TRIGGER restorations_immutable BEFORE UPDATE ON restorations FOR EACH ROW
WHEN (OLD.released_at IS NOT NULL OR NEW.at <> OLD.at OR NEW.backup_at IS DISTINCT FROM OLD.backup_at OR NEW.gap <> OLD.gap)
EXECUTE FUNCTION refuse('a restoration can be released once and not be changed otherwise');

CREATE TRIGGER restorations_no_delete BEFORE DELETE ON restorations FOR EACH ROW
EXECUTE FUNCTION refuse('restorations can''t be deleted');

-- Identities that callers asked for after a restoration and that may have been used in
-- its gap. A person must find out.
CREATE TABLE held_identities (
    caller   TEXT COLLATE "C" NOT NULL CHECK (caller <> ''),
    identity TEXT COLLATE "C" NOT NULL CHECK (identity <> ''),
    at       BIGINT NOT NULL,
    PRIMARY KEY (caller, identity)
);

CREATE INDEX held_identities_in_order ON held_identities (at, caller, identity);

-- Reconciliation with the bank's settlement files. No row is ever deleted.

-- Files of a day are numbered from 1. The one that is complete and not superseded
-- counts.
CREATE TABLE settlement_files (
    day           TEXT COLLATE "C" NOT NULL CHECK (day LIKE '____-__-__'), -- Indian
    number        BIGINT NOT NULL CHECK (number > 0),
    sha256        BYTEA NOT NULL UNIQUE CHECK (length(sha256) = 32),
    name          TEXT COLLATE "C" NOT NULL,
    bytes         BIGINT NOT NULL CHECK (bytes > 0),
    lines         BIGINT NOT NULL CHECK (lines >= 0),
    amount        BIGINT NOT NULL CHECK (amount >= 0), -- paise, of all lines
    imported_by   TEXT COLLATE "C" NOT NULL CHECK (imported_by <> ''),
    node          TEXT COLLATE "C" NOT NULL,
    at            BIGINT NOT NULL,
    complete_at   BIGINT, -- NULL: the import was interrupted
    superseded_at BIGINT, -- when a later file of the day was complete
    PRIMARY KEY (day, number),
    CONSTRAINT superseded_when_complete CHECK (superseded_at IS NULL OR complete_at IS NOT NULL)
);

CREATE INDEX settlement_files_by_moment ON settlement_files (at, day, number);

CREATE TRIGGER settlement_files_immutable BEFORE UPDATE ON settlement_files FOR EACH ROW
WHEN (NEW.day <> OLD.day OR NEW.number <> OLD.number OR NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes
    OR NEW.lines <> OLD.lines OR NEW.amount <> OLD.amount OR NEW.imported_by <> OLD.imported_by OR NEW.node <> OLD.node OR NEW.at <> OLD.at
    OR OLD.complete_at IS NOT NULL AND NEW.complete_at IS DISTINCT FROM OLD.complete_at
    OR OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS DISTINCT FROM OLD.superseded_at)
EXECUTE FUNCTION refuse('a settlement file can be completed once, superseded once and not be changed otherwise');

CREATE TRIGGER settlement_files_no_delete BEFORE DELETE ON settlement_files FOR EACH ROW
EXECUTE FUNCTION refuse('settlement files can''t be deleted');

CREATE TABLE settlement_lines (
    day       TEXT COLLATE "C" NOT NULL,
    file      BIGINT NOT NULL,
    line      BIGINT NOT NULL CHECK (line > 1), -- of the file; the first line has the column names
    reference TEXT COLLATE "C" NOT NULL CHECK (reference <> ''),
    rrn       TEXT COLLATE "C" NOT NULL CHECK (length(rrn) = 12),
    stan      TEXT COLLATE "C" NOT NULL CHECK (length(stan) = 6),
    amount    BIGINT NOT NULL CHECK (amount > 0), -- paise
    code      TEXT COLLATE "C" NOT NULL CHECK (length(code) = 2),
    at        BIGINT NOT NULL,
    PRIMARY KEY (day, file, line),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
);

CREATE INDEX settlement_lines_by_reference ON settlement_lines (reference);

-- +goose StatementBegin
CREATE FUNCTION check_file_is_incomplete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM settlement_files WHERE day = NEW.day AND number = NEW.file AND complete_at IS NOT NULL) THEN
        RAISE EXCEPTION 'a complete settlement file can''t get more lines' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER settlement_lines_open_file BEFORE INSERT ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION check_file_is_incomplete();

CREATE TRIGGER settlement_lines_immutable BEFORE UPDATE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('a settlement line can''t be changed');

CREATE TRIGGER settlement_lines_no_delete BEFORE DELETE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('settlement lines can''t be deleted');

-- The result of the comparison by class. Amounts are paise: ours and the bank's.
CREATE TABLE reconciliation_sums (
    day          TEXT COLLATE "C" NOT NULL,
    file         BIGINT NOT NULL,
    class        TEXT COLLATE "C" NOT NULL CONSTRAINT known_class CHECK (class IN ('agreed', 'nothing-moved', 'other-day', 'missing-here',
        'missing-at-bank', 'amount-differs', 'outcome-differs', 'identifiers-differ', 'duplicate-line', 'unreported', 'awaiting-bank')),
    operations   BIGINT NOT NULL CHECK (operations >= 0),
    lines        BIGINT NOT NULL CHECK (lines >= 0),
    ours         BIGINT NOT NULL CHECK (ours >= 0),
    theirs       BIGINT NOT NULL CHECK (theirs >= 0),
    moved_ours   BIGINT NOT NULL CHECK (moved_ours BETWEEN 0 AND ours),
    moved_theirs BIGINT NOT NULL CHECK (moved_theirs BETWEEN 0 AND theirs),
    PRIMARY KEY (day, file, class),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
);

CREATE TRIGGER reconciliation_sums_immutable BEFORE UPDATE ON reconciliation_sums FOR EACH ROW
EXECUTE FUNCTION refuse('the result of a comparison can''t be changed');

CREATE TRIGGER reconciliation_sums_no_delete BEFORE DELETE ON reconciliation_sums FOR EACH ROW
EXECUTE FUNCTION refuse('the result of a comparison can''t be deleted');

-- A case that a person opened has an operation and no file: its file number is 0.
CREATE TABLE reconciliation_cases (
    day             TEXT COLLATE "C" NOT NULL,
    file            BIGINT NOT NULL, -- 0: opened by a person
    of_file         BIGINT GENERATED ALWAYS AS (nullif(file, 0)) STORED,
    number          BIGINT NOT NULL CHECK (number > 0),
    class           TEXT COLLATE "C" NOT NULL CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-at-bank', 'amount-differs',
        'outcome-differs', 'identifiers-differ', 'duplicate-line', 'unreported', 'awaiting-bank', 'manual')),
    reference       TEXT COLLATE "C" NOT NULL CHECK (reference <> ''),
    line            BIGINT, -- NULL: the bank has none
    operation       TEXT COLLATE "C" REFERENCES operation_names (id), -- NULL: the central has none
    found           TEXT COLLATE "C" NOT NULL, -- the operation's state at the comparison
    found_at        BIGINT NOT NULL,

    status          TEXT COLLATE "C" NOT NULL,
    verdict         TEXT COLLATE "C" CONSTRAINT known_verdict CHECK (verdict IN ('succeeded', 'failed', 'reversed', 'noted')),
    charge          BIGINT NOT NULL DEFAULT 0 CHECK (charge >= 0), -- paise
    reason          TEXT COLLATE "C" NOT NULL DEFAULT '',
    document        TEXT COLLATE "C" NOT NULL DEFAULT '',
    document_sha256 TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (length(document_sha256) IN (0, 64)),
    proposed_by     TEXT COLLATE "C",
    decided_by      TEXT COLLATE "C",
    decided_at      BIGINT,
    PRIMARY KEY (day, file, number),
    FOREIGN KEY (day, of_file) REFERENCES settlement_files (day, number),
    FOREIGN KEY (day, file, line) REFERENCES settlement_lines (day, file, line),
    CONSTRAINT has_a_line_or_an_operation CHECK (line IS NOT NULL OR operation IS NOT NULL),
    CONSTRAINT found_with_an_operation CHECK ((found = '') = (operation IS NULL)),
    CONSTRAINT legal_status CHECK (CASE status
        WHEN 'open'     THEN verdict IS NULL     AND proposed_by IS NULL     AND decided_by IS NULL
        WHEN 'proposed' THEN verdict IS NOT NULL AND proposed_by IS NOT NULL AND decided_by IS NULL
        WHEN 'decided'  THEN verdict IS NOT NULL AND proposed_by IS NOT NULL AND decided_by IS NOT NULL
        ELSE FALSE END),
    CONSTRAINT decided_at_a_moment CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
    CONSTRAINT four_eyes CHECK (decided_by IS NULL OR decided_by <> proposed_by OR decided_by = 'rule'),
    CONSTRAINT outcome_needs_an_operation CHECK (operation IS NOT NULL OR verdict IS NULL OR verdict = 'noted'),
    CONSTRAINT manual_without_a_file CHECK ((class = 'manual') = (file = 0) AND (file > 0 OR operation IS NOT NULL AND line IS NULL)),
    CONSTRAINT charge_of_a_success CHECK (charge = 0 OR verdict = 'succeeded')
);

CREATE INDEX reconciliation_cases_of_operation ON reconciliation_cases (operation) WHERE operation IS NOT NULL;
CREATE INDEX reconciliation_cases_missing ON reconciliation_cases (reference) WHERE status = 'open' AND class = 'missing-at-bank';
CREATE INDEX reconciliation_cases_decided ON reconciliation_cases (reference, decided_at) WHERE status = 'decided' AND verdict <> 'noted';
CREATE UNIQUE INDEX reconciliation_cases_manual ON reconciliation_cases (operation) WHERE file = 0;
CREATE INDEX reconciliation_cases_opened ON reconciliation_cases (found_at, day, number) WHERE file = 0;
-- For metrics.
CREATE INDEX reconciliation_cases_waiting ON reconciliation_cases (status, found_at) WHERE status IN ('open', 'proposed');
CREATE INDEX reconciliation_cases_by_people ON reconciliation_cases (verdict) WHERE status = 'decided' AND decided_by <> 'rule';

CREATE TRIGGER reconciliation_cases_transition BEFORE UPDATE ON reconciliation_cases FOR EACH ROW
WHEN (NEW.day <> OLD.day OR NEW.file <> OLD.file OR NEW.number <> OLD.number OR NEW.class <> OLD.class OR NEW.reference <> OLD.reference
    OR NEW.line IS DISTINCT FROM OLD.line OR NEW.operation IS DISTINCT FROM OLD.operation OR NEW.found <> OLD.found OR NEW.found_at <> OLD.found_at
    OR NOT (OLD.status = 'open' AND NEW.status = 'proposed'
        OR OLD.status = 'proposed' AND NEW.status = 'decided' AND NEW.verdict = OLD.verdict AND NEW.proposed_by = OLD.proposed_by
            AND NEW.charge = OLD.charge AND NEW.decided_by <> 'rule'
        OR OLD.status = 'open' AND NEW.status = 'decided' AND NEW.decided_by = 'rule' AND NEW.verdict = 'noted'
        OR OLD.status <> 'open' AND NEW.status = 'open'))
EXECUTE FUNCTION refuse('a case can be proposed, decided by a second person, noted by a rule or opened again, and not be changed otherwise');

CREATE TRIGGER reconciliation_cases_no_delete BEFORE DELETE ON reconciliation_cases FOR EACH ROW
EXECUTE FUNCTION refuse('cases can''t be deleted');

CREATE TABLE reconciliation_steps (
    day             TEXT COLLATE "C" NOT NULL,
    file            BIGINT NOT NULL,
    number          BIGINT NOT NULL,
    step            BIGINT NOT NULL CHECK (step > 0),
    at              BIGINT NOT NULL,
    actor           TEXT COLLATE "C" NOT NULL CHECK (actor <> ''),
    account         TEXT COLLATE "C" NOT NULL,
    node            TEXT COLLATE "C" NOT NULL,
    action          TEXT COLLATE "C" NOT NULL CHECK (action IN ('found', 'proposed', 'confirmed', 'rejected', 'withdrawn')),
    verdict         TEXT COLLATE "C" NOT NULL,
    charge          BIGINT NOT NULL CHECK (charge >= 0),
    reason          TEXT COLLATE "C" NOT NULL,
    document        TEXT COLLATE "C" NOT NULL,
    document_sha256 TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (day, file, number, step),
    FOREIGN KEY (day, file, number) REFERENCES reconciliation_cases (day, file, number)
);

CREATE TRIGGER reconciliation_steps_immutable BEFORE UPDATE ON reconciliation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case can''t be changed');

CREATE TRIGGER reconciliation_steps_no_delete BEFORE DELETE ON reconciliation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case can''t be deleted');

-- Staff of the console

CREATE TABLE staff (
    login        TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (login <> '' AND login <> 'rule'),
    name         TEXT COLLATE "C" NOT NULL CHECK (name <> ''),
    role         TEXT COLLATE "C" NOT NULL CONSTRAINT known_role CHECK (role IN ('viewer', 'operator', 'admin')),
    password     TEXT COLLATE "C" NOT NULL CHECK (password = '' OR password LIKE '$argon2id$%'),
    sealed       BYTEA, -- the secret of the second factor
    step         BIGINT NOT NULL DEFAULT 0 CHECK (step >= 0), -- the latest half minute whose code was used
    setup_hash   BYTEA CHECK (length(setup_hash) = 32),
    setup_ends   BIGINT,
    approval     TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (approval IN ('', 'add', 'reset', 'role')), -- what waits for approval
    requested_by TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK ((approval = '') = (requested_by = '')),
    created_at   BIGINT NOT NULL,
    created_by   TEXT COLLATE "C" NOT NULL,
    disabled_at  BIGINT,
    CONSTRAINT setup_code_expires CHECK ((setup_hash IS NULL) = (setup_ends IS NULL)),
    CONSTRAINT disabled_has_no_credentials CHECK (disabled_at IS NULL OR password = '' AND sealed IS NULL AND setup_hash IS NULL),
    CONSTRAINT password_or_setup_code CHECK (disabled_at IS NOT NULL OR sealed IS NOT NULL AND (password = '') = (setup_hash IS NOT NULL))
);

CREATE TRIGGER staff_no_delete BEFORE DELETE ON staff FOR EACH ROW
EXECUTE FUNCTION refuse('staff members can''t be deleted: the audit log names them');

CREATE TRIGGER staff_immutable BEFORE UPDATE ON staff FOR EACH ROW
WHEN (NEW.login <> OLD.login OR NEW.created_at <> OLD.created_at OR NEW.created_by <> OLD.created_by OR NEW.step < OLD.step AND NEW.sealed IS NOT DISTINCT FROM OLD.sealed)
EXECUTE FUNCTION refuse('a login can''t be changed, and a code can''t be used again');

CREATE TABLE staff_sessions (
    hash          BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- of the token
    login         TEXT COLLATE "C" NOT NULL REFERENCES staff (login),
    source        TEXT COLLATE "C" NOT NULL, -- the address
    opened_at     BIGINT NOT NULL,
    seen_at       BIGINT NOT NULL,
    stepped_up_at BIGINT -- when a code was last entered for a privileged action
);

CREATE INDEX staff_sessions_of_login ON staff_sessions (login);
CREATE INDEX staff_sessions_by_touch ON staff_sessions (seen_at);

-- Everybody who added, reset or approved an account, and those before them, since the
-- last set-up from the command line. single_control: that person alone could have
-- arranged all of it.
CREATE TABLE staff_descent (
    login          TEXT COLLATE "C" NOT NULL REFERENCES staff (login),
    ancestor       TEXT COLLATE "C" NOT NULL CHECK (ancestor <> ''),
    single_control BIGINT NOT NULL CHECK (single_control IN (0, 1)),
    PRIMARY KEY (login, ancestor),
    CHECK (login <> ancestor)
);

-- Failed sign-ins by name, whether the name exists or not.
CREATE TABLE sign_in_attempts (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL CHECK (failures >= 0),
    until    BIGINT, -- attempts before it are refused
    at       BIGINT NOT NULL
);

CREATE INDEX sign_in_attempts_by_moment ON sign_in_attempts (at);

CREATE TABLE audit_log (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    at      BIGINT NOT NULL,
    node    TEXT COLLATE "C" NOT NULL,
    actor   TEXT COLLATE "C" NOT NULL, -- a login; empty: not known, or a command
    role    TEXT COLLATE "C" NOT NULL,
    source  TEXT COLLATE "C" NOT NULL, -- an address, or the account and host of a command
    action  TEXT COLLATE "C" NOT NULL CHECK (action <> ''),
    subject TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL CONSTRAINT known_outcome CHECK (outcome IN ('started', 'done', 'refused')),
    was     TEXT COLLATE "C" NOT NULL,
    became  TEXT COLLATE "C" NOT NULL,
    note    TEXT COLLATE "C" NOT NULL
);

CREATE INDEX audit_log_by_moment ON audit_log (at, id);
CREATE INDEX audit_log_of_actor ON audit_log (actor, at, id);
CREATE INDEX audit_log_of_subject ON audit_log (subject, at, id);

CREATE TRIGGER audit_log_immutable BEFORE UPDATE ON audit_log FOR EACH ROW
EXECUTE FUNCTION refuse('the audit log can''t be changed');

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log FOR EACH ROW
EXECUTE FUNCTION refuse('the audit log can''t be deleted');

-- Documents that decisions rest on, sealed under the master keys.
CREATE TABLE documents (
    sha256    TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(sha256) = 64), -- of the document, in hex
    name      TEXT COLLATE "C" NOT NULL,
    bytes     BIGINT NOT NULL CHECK (bytes > 0),
    sealed    BYTEA NOT NULL CHECK (length(sealed) > bytes),
    at        BIGINT NOT NULL,
    stored_by TEXT COLLATE "C" NOT NULL CHECK (stored_by <> '')
);

CREATE TRIGGER documents_immutable BEFORE UPDATE ON documents FOR EACH ROW
WHEN (NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes OR NEW.at <> OLD.at OR NEW.stored_by <> OLD.stored_by)
EXECUTE FUNCTION refuse('a document can be sealed again and not be changed otherwise');

CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents FOR EACH ROW
EXECUTE FUNCTION refuse('documents can''t be deleted');

-- PostgreSQL can empty a table without looking at its rows.

CREATE TRIGGER service_kyc_no_truncate BEFORE TRUNCATE ON service_kyc FOR EACH STATEMENT EXECUTE FUNCTION refuse('service-KYC records can''t be deleted');
CREATE TRIGGER archives_no_truncate BEFORE TRUNCATE ON archives FOR EACH STATEMENT EXECUTE FUNCTION refuse('archives can''t be deleted');
CREATE TRIGGER operation_names_no_truncate BEFORE TRUNCATE ON operation_names FOR EACH STATEMENT EXECUTE FUNCTION refuse('the names of an operation can''t be deleted');
CREATE TRIGGER operations_no_truncate BEFORE TRUNCATE ON operations FOR EACH STATEMENT EXECUTE FUNCTION refuse('operations can''t be deleted');
CREATE TRIGGER identities_no_truncate BEFORE TRUNCATE ON identities FOR EACH STATEMENT EXECUTE FUNCTION refuse('identities can''t be deleted');
CREATE TRIGGER steps_no_truncate BEFORE TRUNCATE ON operation_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse('the history of an operation can''t be deleted');
CREATE TRIGGER commission_slabs_no_truncate BEFORE TRUNCATE ON commission_slabs FOR EACH STATEMENT EXECUTE FUNCTION refuse('rows of slabs can''t be deleted');
CREATE TRIGGER commissions_no_truncate BEFORE TRUNCATE ON commissions FOR EACH STATEMENT EXECUTE FUNCTION refuse('commissions can''t be deleted');
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse('ledger entries can''t be deleted');
CREATE TRIGGER vendor_keys_no_truncate BEFORE TRUNCATE ON vendor_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse('vendor keys can''t be deleted');
CREATE TRIGGER callback_secrets_no_truncate BEFORE TRUNCATE ON callback_secrets FOR EACH STATEMENT EXECUTE FUNCTION refuse('callback secrets can''t be deleted');
CREATE TRIGGER callbacks_no_truncate BEFORE TRUNCATE ON callbacks FOR EACH STATEMENT EXECUTE FUNCTION refuse('waiting callbacks can''t be deleted');
CREATE TRIGGER restorations_no_truncate BEFORE TRUNCATE ON restorations FOR EACH STATEMENT EXECUTE FUNCTION refuse('restorations can''t be deleted');
CREATE TRIGGER settlement_files_no_truncate BEFORE TRUNCATE ON settlement_files FOR EACH STATEMENT EXECUTE FUNCTION refuse('settlement files can''t be deleted');
CREATE TRIGGER settlement_lines_no_truncate BEFORE TRUNCATE ON settlement_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse('settlement lines can''t be deleted');
CREATE TRIGGER reconciliation_sums_no_truncate BEFORE TRUNCATE ON reconciliation_sums FOR EACH STATEMENT EXECUTE FUNCTION refuse('the result of a comparison can''t be deleted');
CREATE TRIGGER reconciliation_cases_no_truncate BEFORE TRUNCATE ON reconciliation_cases FOR EACH STATEMENT EXECUTE FUNCTION refuse('cases can''t be deleted');
CREATE TRIGGER reconciliation_steps_no_truncate BEFORE TRUNCATE ON reconciliation_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse('the history of a case can''t be deleted');
CREATE TRIGGER staff_no_truncate BEFORE TRUNCATE ON staff FOR EACH STATEMENT EXECUTE FUNCTION refuse('staff members can''t be deleted: the audit log names them');
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse('the audit log can''t be deleted');
CREATE TRIGGER documents_no_truncate BEFORE TRUNCATE ON documents FOR EACH STATEMENT EXECUTE FUNCTION refuse('documents can''t be deleted');

-- Creates the partitions of the present Indian month and of the months after it that
-- are missing, and returns how many it created; -1: the table is in use. Rows of such
-- a month that the default partition has taken move over.
--
-- A new partition needs an exclusive lock, and other statements wait behind who waits
-- for that lock. So it waits for a short time only, and not while a backup reads. Two
-- seconds are longer than the one second after which PostgreSQL ends a vacuum that is
-- in the way (deadlock_timeout).
-- +goose StatementBegin
CREATE FUNCTION ensure_operation_months(present BIGINT, ahead INTEGER) RETURNS INTEGER LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    zone    CONSTANT INTERVAL := '05:30';
    month   TIMESTAMP := date_trunc('month', to_timestamp(present / 1000) AT TIME ZONE zone);
    first   BIGINT;
    next    BIGINT;
    part    TEXT;
    created INTEGER := 0;
BEGIN
    FOR n IN 0..ahead LOOP
        first := extract(epoch FROM month AT TIME ZONE zone) * 1000;
        part  := 'operations_' || to_char(month, 'YYYY_MM');
        month := month + INTERVAL '1 month';
        next  := extract(epoch FROM month AT TIME ZONE zone) * 1000;
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        LOCK TABLE ONLY operations, operations_default IN ACCESS EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(part) IS NOT NULL; -- another node was faster
        IF EXISTS (SELECT 1 FROM operations_default WHERE created_at >= first AND created_at < next) THEN
            EXECUTE format('CREATE TABLE %I (LIKE operations INCLUDING ALL)', part);
            ALTER TABLE operations_default DISABLE TRIGGER operations_no_delete;
            EXECUTE format('WITH moved AS (DELETE FROM operations_default WHERE created_at >= %s AND created_at < %s RETURNING *)
                INSERT INTO %I SELECT * FROM moved', first, next, part);
            ALTER TABLE operations_default ENABLE TRIGGER operations_no_delete;
            EXECUTE format('ALTER TABLE operations ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, first, next);
        ELSE
            EXECUTE format('CREATE TABLE %I PARTITION OF operations FOR VALUES FROM (%s) TO (%s)', part, first, next);
        END IF;
        created := created + 1;
    END LOOP;
    RETURN created;
EXCEPTION
    WHEN lock_not_available THEN RETURN -1;
END
$$;
-- +goose StatementEnd

SELECT ensure_operation_months((extract(epoch FROM now()) * 1000)::BIGINT, 2);
