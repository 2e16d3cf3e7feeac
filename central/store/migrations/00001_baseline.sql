-- The schema of the central's database, for SQLite and PostgreSQL. It is a template (Go's
-- text/template); package store says how the databases' spellings differ.
--
-- Times are integer milliseconds since 1970, amounts integer paise, days Indian
-- days such as 2026-11-21, rates integer millionths. The states of an operation and
-- its transitions are those of package central (CanTransition); triggers refuse all
-- others.
--
-- On PostgreSQL, operations is partitioned by month. A unique constraint of a
-- partitioned table must contain the partition key. So triggers write the names that
-- are unique over all months into operation_names, and other tables refer to it
-- ({{.Operations}}). Texts are compared by their bytes (COLLATE "C"), as in SQLite.
--
-- Constraints of the busy tables compare with = instead of IN: for a list of three
-- or more values, SQLite builds a temporary table for each row.

{{if .Postgres}}
-- Refuses a change with the text of the trigger's argument.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Ends a statement that finds that it must not be committed.
CREATE FUNCTION refuse_statement(why text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', why USING ERRCODE = 'integrity_constraint_violation';
END
$$;
{{end}}

-- Accounts: aggregators, vendors, merchants and their programs

CREATE TABLE aggregators (
    id         TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT NOT NULL
) STRICT;

CREATE TABLE vendors (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT    NOT NULL,
    aggregator TEXT    REFERENCES aggregators (id),
    active     INTEGER NOT NULL CHECK (active IN (0, 1)),
    -- For the callbacks of its merchants that have no endpoint of their own, as in merchants.
    callback_url         TEXT    CHECK (callback_url <> ''),
    callback_events      TEXT    CHECK ((callback_events IS NULL) = (callback_url IS NULL)),
    callback_disabled_at INTEGER CONSTRAINT disabled_callback CHECK (callback_disabled_at IS NULL OR callback_url IS NOT NULL)
) STRICT;

CREATE INDEX vendors_by_name ON vendors (legal_name, id);
CREATE INDEX vendors_with_disabled_callback ON vendors (callback_disabled_at) WHERE callback_disabled_at IS NOT NULL;

CREATE TABLE merchants (
    id                   TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    mid                  TEXT    UNIQUE, -- the merchant at the bank network
    legal_name           TEXT    NOT NULL,
    vendor               TEXT    REFERENCES vendors (id),
    status               TEXT    NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'SUSPENDED', 'REJECTED')),
    active               INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    has_info             INTEGER NOT NULL CHECK (has_info IN (0, 1)),
    aeps_ready           INTEGER NOT NULL CHECK (aeps_ready IN (0, 1)),
    tid                  TEXT    UNIQUE, -- the terminal at the bank network for requests that name none
    mobile               TEXT    NOT NULL,
    app_id               TEXT    NOT NULL DEFAULT '',
    risk_flag            INTEGER NOT NULL DEFAULT 0,
    vpa                  TEXT    NOT NULL DEFAULT '',
    mcc                  TEXT    NOT NULL DEFAULT '' CHECK (mcc = '' OR mcc LIKE '____'),
    settlement_last4     TEXT    CONSTRAINT account_is_masked CHECK (length(settlement_last4) <= 4),
    settlement_ifsc      TEXT    CHECK ((settlement_ifsc IS NULL) = (settlement_last4 IS NULL)),
    settlement_bank      TEXT    CHECK ((settlement_bank IS NULL) = (settlement_last4 IS NULL)),
    settlement_holder    TEXT    CHECK ((settlement_holder IS NULL) = (settlement_last4 IS NULL)),
    callback_url         TEXT    CHECK (callback_url <> ''),
    callback_events      TEXT    CHECK ((callback_events IS NULL) = (callback_url IS NULL)), -- a JSON array
    callback_disabled_at INTEGER CONSTRAINT disabled_callback CHECK (callback_disabled_at IS NULL OR callback_url IS NOT NULL), -- the receiver replied 410 Gone
    created_at           INTEGER NOT NULL
) STRICT;

CREATE INDEX merchants_of_vendor ON merchants (vendor, created_at, id) WHERE status <> 'PENDING';
CREATE INDEX merchants_by_name ON merchants (legal_name, id);
CREATE INDEX merchants_by_mobile ON merchants (mobile);
CREATE INDEX merchants_with_disabled_callback ON merchants (callback_disabled_at) WHERE callback_disabled_at IS NOT NULL;

-- Credentials of programs for the direct entrance.
CREATE TABLE clients (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    secret_hash TEXT    NOT NULL CHECK (secret_hash LIKE '$argon2id$%'),
    role        TEXT    NOT NULL CHECK (role IN ('merchant', 'vendor', 'aggregator')),
    merchant    TEXT    REFERENCES merchants (id),
    vendor      TEXT    REFERENCES vendors (id),
    aggregator  TEXT    REFERENCES aggregators (id),
    party       TEXT    GENERATED ALWAYS AS (role || ':' || coalesce(merchant, vendor, aggregator)) VIRTUAL,
    active      INTEGER NOT NULL CHECK (active IN (0, 1)),
    generation  INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0), -- how often it was suspended or given another secret
    created_at  INTEGER, -- NULL: it came from the seed
    secret_at   INTEGER, -- when its secret was last changed; NULL: never
    CONSTRAINT one_party CHECK (
        (role = 'merchant') = (merchant IS NOT NULL) AND
        (role = 'vendor') = (vendor IS NOT NULL) AND
        (role = 'aggregator') = (aggregator IS NOT NULL)
    )
) STRICT;

CREATE INDEX clients_of_party ON clients (party, id);

-- The networks from which a client got its tokens: wrong secrets from other networks
-- don't lock it out.
CREATE TABLE client_networks (
    client  TEXT    NOT NULL REFERENCES clients (id),
    network TEXT    NOT NULL CHECK (network <> ''), -- an IPv4 address, or the /64 of an IPv6 address
    seen_at INTEGER NOT NULL, -- the day of the last token
    PRIMARY KEY (client, network)
) STRICT, WITHOUT ROWID;

CREATE INDEX client_networks_by_moment ON client_networks (client, seen_at, network);

CREATE TABLE service_kyc (
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    service    TEXT    NOT NULL CHECK (service <> ''),
    state      TEXT    NOT NULL CONSTRAINT legal_kyc_state CHECK (state IN (
        'INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (merchant, service)
) STRICT, WITHOUT ROWID;

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
    aggregator TEXT    NOT NULL REFERENCES aggregators (id),
    at         INTEGER NOT NULL,
    balance    INTEGER NOT NULL, -- paise
    source     TEXT    NOT NULL CHECK (source <> ''), -- the scheduled job, or a login
    PRIMARY KEY (aggregator, at)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER float_readings_immutable BEFORE UPDATE ON float_readings FOR EACH ROW
EXECUTE FUNCTION refuse('a reading of the float can''t be changed');

-- Terminals

CREATE TABLE counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL -- the next number
) STRICT;

INSERT INTO counters (name, value) VALUES ('terminal', 101);
-- These grow with every change of what nodes keep in memory: of merchants, vendors,
-- clients and revoked terminals, of commission_slabs, and of vendor_keys.
INSERT INTO counters (name, value) VALUES ('accounts', 1);
INSERT INTO counters (name, value) VALUES ('slabs', 1);
INSERT INTO counters (name, value) VALUES ('vendor-keys', 1);

CREATE TABLE terminals (
    id              TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant        TEXT    NOT NULL REFERENCES merchants (id),
    name            TEXT    NOT NULL,
    tid             TEXT    NOT NULL UNIQUE, -- at the bank network
    public_key      BLOB    NOT NULL CHECK (length(public_key) = 32), -- Ed25519
    client          TEXT    REFERENCES clients (id), -- whose enrolment code it used; NULL: made in the console
    created_at      INTEGER NOT NULL,
    revoked_at      INTEGER,
    seen_at         INTEGER,
    last_event      INTEGER NOT NULL DEFAULT 0 CHECK (last_event >= 0), -- the highest event cursor so far

    -- From the terminal's last hello, and from the end of that connection.
    node            TEXT    CHECK (node <> ''),
    connected_at    INTEGER CHECK ((connected_at IS NULL) = (node IS NULL)),
    disconnected_at INTEGER CHECK (disconnected_at IS NULL OR node IS NOT NULL),
    version         TEXT    NOT NULL DEFAULT '' CHECK (length(version) <= 64),
    unresolved      INTEGER NOT NULL DEFAULT 0 CHECK (unresolved >= 0),
    clock_ahead     INTEGER NOT NULL DEFAULT 0, -- milliseconds: the terminal's clock minus ours
    fault           TEXT    NOT NULL DEFAULT '' CHECK (length(fault) <= 400),
    fault_at        INTEGER CHECK ((fault_at IS NULL) = (fault = ''))
) STRICT;

CREATE INDEX terminals_of_merchant ON terminals (merchant, created_at, id);
CREATE INDEX terminals_of_client ON terminals (client, created_at, id);

-- Nodes that serve terminals.
CREATE TABLE uplink_nodes (
    node    TEXT    NOT NULL PRIMARY KEY CHECK (node <> ''),
    since   INTEGER NOT NULL,
    seen_at INTEGER NOT NULL -- the last heartbeat
) STRICT, WITHOUT ROWID;

CREATE TABLE enrolment_codes (
    hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    client     TEXT    REFERENCES clients (id), -- who made it; NULL: made in the console
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    terminal   TEXT    REFERENCES terminals (id),
    CONSTRAINT used_by_a_terminal CHECK ((used_at IS NULL) = (terminal IS NULL))
) STRICT;

CREATE INDEX enrolment_codes_unused ON enrolment_codes (expires_at) WHERE used_at IS NULL;
CREATE INDEX enrolment_codes_by_end ON enrolment_codes (expires_at);
CREATE INDEX enrolment_codes_of_merchant ON enrolment_codes (merchant) WHERE used_at IS NULL;
CREATE INDEX enrolment_codes_of_client ON enrolment_codes (client) WHERE used_at IS NULL;

CREATE TABLE spent_tokens (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_tokens_by_end ON spent_tokens (expires_at);

-- Sessions of agents at the bank (the agent's own authentication).
CREATE TABLE agent_sessions (
    tid        TEXT    NOT NULL CHECK (tid <> ''),
    opened_at  INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tid, opened_at),
    CONSTRAINT ends_after_it_opens CHECK (expires_at > opened_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_sessions_by_end ON agent_sessions (expires_at);

-- Operations

-- Archive files with full replies. The file is on the disk before its row is written.
CREATE TABLE archives (
    file       TEXT    NOT NULL PRIMARY KEY CHECK (file <> '' AND file NOT LIKE '%/%'),
    sha256     TEXT    NOT NULL CHECK (length(sha256) = 64),
    month      TEXT    NOT NULL CHECK (month LIKE '____-__'), -- Indian month in which the operations finished
    operations INTEGER NOT NULL CHECK (operations > 0), -- lines of the file
    node       TEXT    NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER archives_immutable BEFORE UPDATE ON archives FOR EACH ROW
EXECUTE FUNCTION refuse('an archive can''t be changed');

CREATE TRIGGER archives_no_delete BEFORE DELETE ON archives FOR EACH ROW
EXECUTE FUNCTION refuse('archives can''t be deleted');

{{if .Postgres}}
-- The unique names of all operations of all months. created_at leads to the month.
CREATE TABLE operation_names (
    id                TEXT NOT NULL PRIMARY KEY,
    created_at        INTEGER NOT NULL,
    reference         TEXT NOT NULL CONSTRAINT operation_names_by_reference UNIQUE,
    pending_reference TEXT,
    party             TEXT,
    caller_ref        TEXT,
    attempt           INTEGER NOT NULL,
    otp_refused       INTEGER NOT NULL DEFAULT 0
);

-- Partial: PostgreSQL then does not treat its change as a change of a key, which
-- would lock rows that refer to this one.
CREATE UNIQUE INDEX operation_names_by_pending_reference ON operation_names (pending_reference) WHERE pending_reference IS NOT NULL;

-- At most one attempt of a reference is not refused for its OTP.
CREATE UNIQUE INDEX operations_by_caller_ref ON operation_names (party, caller_ref) WHERE caller_ref IS NOT NULL AND otp_refused = 0;
-- Also for the search by a reference of any party.
CREATE UNIQUE INDEX operations_by_attempt ON operation_names (caller_ref, party, attempt) WHERE caller_ref IS NOT NULL;

CREATE TRIGGER operation_names_immutable BEFORE UPDATE ON operation_names FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at OR NEW.reference <> OLD.reference OR
    OLD.pending_reference IS NOT NULL AND NEW.pending_reference IS DISTINCT FROM OLD.pending_reference OR
    NEW.party IS DISTINCT FROM OLD.party OR NEW.caller_ref IS DISTINCT FROM OLD.caller_ref OR
    NEW.attempt <> OLD.attempt OR NEW.otp_refused < OLD.otp_refused)
EXECUTE FUNCTION refuse('the names of an operation can''t be changed');

CREATE TRIGGER operation_names_no_delete BEFORE DELETE ON operation_names FOR EACH ROW
EXECUTE FUNCTION refuse('the names of an operation can''t be deleted');
{{end}}
CREATE TABLE operations (
    id                TEXT    NOT NULL {{if not .Postgres}}PRIMARY KEY {{end}}CHECK (id <> ''),
    caller            TEXT    NOT NULL CHECK (caller <> ''),
    identity          TEXT    NOT NULL CHECK (identity <> ''),
    route             TEXT    NOT NULL,
    fingerprint       BLOB    NOT NULL CHECK (length(fingerprint) = 32),

    party             TEXT    CHECK (party <> ''),
    merchant          TEXT    REFERENCES merchants (id),
    terminal          TEXT    REFERENCES terminals (id), -- receives a late outcome
    tid               TEXT    NOT NULL,

    kind              TEXT    NOT NULL,
    amount            INTEGER NOT NULL CHECK (amount >= 0), -- paise
    aadhaar           TEXT    NOT NULL CONSTRAINT aadhaar_is_masked CHECK (aadhaar = '' OR aadhaar LIKE 'XXXXXXXX____'),
    iin               TEXT    NOT NULL,
    sender            TEXT    CHECK (sender <> ''),
    kyc_service       TEXT    CONSTRAINT kyc_of_a_merchant CHECK (kyc_service IS NULL OR kyc_service <> '' AND merchant IS NOT NULL),
    kyc_to            TEXT    CONSTRAINT legal_kyc_step CHECK (CASE WHEN kyc_to IS NULL THEN kyc_service IS NULL ELSE kyc_service IS NOT NULL AND
        kyc_to IN ('INITIALIZED', 'ONBOARDING', 'OTP_VERIFIED', 'PAN_VERIFIED', 'UID_UPDATED', 'BIO_UPDATED', 'SUBMITTED', 'APPROVED') END),

    reference         TEXT    NOT NULL {{if not .Postgres}}UNIQUE {{end}}CHECK (reference <> ''), -- ours at the bank
    stan              TEXT    NOT NULL,
    caller_ref        TEXT    CONSTRAINT ref_of_a_party CHECK (caller_ref IS NULL OR caller_ref <> '' AND party IS NOT NULL),
    attempt           INTEGER NOT NULL DEFAULT 1 CONSTRAINT attempts_from_one CHECK (attempt >= 1), -- number of the attempt under caller_ref
    original          TEXT    CHECK (original <> ''), -- reference of the transfer that is refunded
    reverses          TEXT    REFERENCES {{.Operations}} (id) CONSTRAINT reverses_another CHECK (reverses <> id),

    state             TEXT    NOT NULL, -- CONSTRAINT legal_state
    node              TEXT    NOT NULL,
    not_after         INTEGER,
    created_at        INTEGER NOT NULL,

    sent_at           INTEGER,
    bank_not_after    INTEGER,
    pending_reference TEXT,
    enquiries         INTEGER NOT NULL DEFAULT 0 CHECK (enquiries >= 0),
    next_enquiry      INTEGER,
    stuck_at          INTEGER,
    finished_at       INTEGER,

    code              TEXT    NOT NULL DEFAULT '',
    rrn               TEXT    NOT NULL DEFAULT '',
    http              INTEGER NOT NULL DEFAULT 0,
    reply             BLOB,
    charge            INTEGER NOT NULL DEFAULT 0 CONSTRAINT charge_when_finished CHECK (charge = 0 OR charge > 0 AND finished_at IS NOT NULL),
    otp_refused       INTEGER NOT NULL DEFAULT 0 CONSTRAINT refused_by_the_bank
        CHECK (otp_refused = 0 OR otp_refused = 1 AND state = 'failed' AND sent_at IS NOT NULL),

    -- 2592000000: thirty days, the time in which most repeats of a request come.
    archived_at       INTEGER CONSTRAINT archived_after_a_month
        CHECK (archived_at IS NULL OR finished_at IS NOT NULL AND archived_at >= finished_at + 2592000000),
    archive           TEXT    REFERENCES archives (file) CONSTRAINT archived_in_a_file
        CHECK ((archive IS NULL) = (archived_at IS NULL)),

{{if .Postgres}}
    PRIMARY KEY (id, created_at),
{{end}}
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
{{if .Postgres}}
) PARTITION BY RANGE (created_at);

-- Takes rows of a month that has no partition: a clock was wrong, or the partition
-- was not created in time.
CREATE TABLE operations_default PARTITION OF operations DEFAULT;
{{else}}
) STRICT;
{{end}}

-- On SQLite, an index of operations that lists them by a time has no id. The few of one
-- millisecond are sorted when they are read, and an entry is half as long.

-- Unfinished operations are few.
CREATE INDEX operations_unfinished ON operations (state, created_at{{.ID}}) WHERE finished_at IS NULL;
CREATE INDEX operations_due ON operations (next_enquiry) WHERE state = 'pending' AND stuck_at IS NULL;
CREATE INDEX operations_stuck ON operations (stuck_at) WHERE state = 'pending' AND stuck_at IS NOT NULL;
CREATE INDEX operations_of_original ON operations (original, created_at{{.ID}}) WHERE original IS NOT NULL;
CREATE INDEX operations_of_merchant ON operations (merchant, created_at{{.ID}}) WHERE merchant IS NOT NULL;
CREATE INDEX operations_to_archive ON operations (finished_at{{.ID}}) WHERE finished_at IS NOT NULL AND archived_at IS NULL;
-- For the comparison of a day with the bank's settlement file.
CREATE INDEX operations_with_amount ON operations (created_at{{.ID}}) WHERE amount > 0;
-- For the search of the console.
CREATE INDEX operations_by_rrn ON operations (rrn) WHERE rrn <> '';
CREATE INDEX operations_by_aadhaar ON operations (aadhaar, created_at{{.ID}}) WHERE aadhaar <> '';
CREATE INDEX operations_of_sender ON operations (sender, created_at{{.ID}}) WHERE sender IS NOT NULL;
{{if .Postgres}}
CREATE FUNCTION insert_operation_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_names (id, created_at, reference, party, caller_ref, attempt)
        VALUES (NEW.id, NEW.created_at, NEW.reference, NEW.party, NEW.caller_ref, NEW.attempt);
    RETURN NEW;
END
$$;

-- A statement that sets galla.names writes the names itself. An operation without names has
-- no identity and no steps either, since those refer to operation_names.
CREATE TRIGGER operations_insert_names BEFORE INSERT ON operations FOR EACH ROW
WHEN (current_setting('galla.names', true) IS DISTINCT FROM 'written')
EXECUTE FUNCTION insert_operation_names();

CREATE FUNCTION set_pending_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET pending_reference = NEW.pending_reference WHERE id = NEW.id;
    RETURN NEW;
END
$$;

CREATE TRIGGER operations_set_pending_reference BEFORE UPDATE OF pending_reference ON operations FOR EACH ROW
WHEN (NEW.pending_reference IS DISTINCT FROM OLD.pending_reference)
EXECUTE FUNCTION set_pending_reference();

CREATE FUNCTION release_caller_ref() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET otp_refused = NEW.otp_refused WHERE id = NEW.id;
    RETURN NEW;
END
$$;

CREATE TRIGGER operations_release_caller_ref BEFORE UPDATE OF otp_refused ON operations FOR EACH ROW
WHEN (NEW.otp_refused <> OLD.otp_refused AND OLD.finished_at IS NULL)
EXECUTE FUNCTION release_caller_ref();
{{else}}
CREATE UNIQUE INDEX operations_by_pending_reference ON operations (pending_reference) WHERE pending_reference IS NOT NULL;
-- At most one attempt of a reference is not refused for its OTP.
CREATE UNIQUE INDEX operations_by_caller_ref ON operations (party, caller_ref) WHERE caller_ref IS NOT NULL AND otp_refused = 0;
-- Also for the search by a reference of any party.
CREATE UNIQUE INDEX operations_by_attempt ON operations (caller_ref, party, attempt) WHERE caller_ref IS NOT NULL;
{{end}}

-- sent: created and sent in one commit.
CREATE TRIGGER operations_first_state BEFORE INSERT ON operations FOR EACH ROW
WHEN (NEW.state <> 'received' AND NEW.state <> 'sent')
EXECUTE FUNCTION refuse('a new operation must have the state received or sent');

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
    caller       TEXT    NOT NULL CHECK (caller <> ''),
    identity     TEXT    NOT NULL CHECK (identity <> ''),
    operation    TEXT    REFERENCES {{.Operations}} (id),
    tombstone_at INTEGER,
    PRIMARY KEY (identity, caller), -- in this order also for the search by an identity of any caller
    CONSTRAINT operation_or_tombstone CHECK ((operation IS NULL) = (tombstone_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER identities_immutable BEFORE UPDATE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('an identity can''t be changed');

CREATE TRIGGER identities_no_delete BEFORE DELETE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('identities can''t be deleted');

CREATE TABLE operation_steps (
    operation  TEXT    NOT NULL REFERENCES {{.Operations}} (id),
    step       INTEGER NOT NULL CHECK (step > 0),
    at         INTEGER NOT NULL,
    node       TEXT    NOT NULL,
    from_state TEXT    NOT NULL,
    to_state   TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
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
) STRICT, WITHOUT ROWID;

-- The one change of a step: archiving its operation empties the reason.
{{if .Postgres}}
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
{{end}}

CREATE TRIGGER steps_immutable BEFORE UPDATE ON operation_steps FOR EACH ROW
{{if .Postgres}}
EXECUTE FUNCTION check_step_change();
{{else}}
WHEN (NOT (NEW.reason = '' AND NEW.operation = OLD.operation AND NEW.step = OLD.step AND NEW.at = OLD.at
    AND NEW.node = OLD.node AND NEW.from_state = OLD.from_state AND NEW.to_state = OLD.to_state
    AND EXISTS (SELECT 1 FROM operations WHERE id = OLD.operation AND archived_at IS NOT NULL)))
EXECUTE FUNCTION refuse('the history of an operation can''t be changed');
{{end}}

CREATE TRIGGER steps_no_delete BEFORE DELETE ON operation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of an operation can''t be deleted');

-- What terminals receive over the uplink.
CREATE TABLE events (
    terminal  TEXT    NOT NULL REFERENCES terminals (id),
    cursor    INTEGER NOT NULL CHECK (cursor > 0),
    kind      TEXT    NOT NULL CHECK (kind IN ('outcome', 'payment', 'banks', 'settings', 'revoked')),
    operation TEXT    REFERENCES {{.Operations}} (id),
    at        INTEGER NOT NULL,
    PRIMARY KEY (terminal, cursor),
    CONSTRAINT outcome_of_an_operation CHECK ((kind = 'outcome' OR kind = 'payment') = (operation IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Quotas, commission and its ledger

-- How much of each quota is used: always the number and the sum of its reservations.
CREATE TABLE quota_usage (
    key    TEXT    NOT NULL CHECK (key <> ''),
    period TEXT    NOT NULL CHECK (period <> ''),
    count  INTEGER NOT NULL CHECK (count >= 0),
    sum    INTEGER NOT NULL CHECK (sum >= 0), -- paise
    PRIMARY KEY (period, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER quota_usage_reserved BEFORE DELETE ON quota_usage FOR EACH ROW
WHEN (OLD.count > 0)
EXECUTE FUNCTION refuse('a quota with a reservation can''t be deleted');

-- What an operation uses of a quota. Release and purge delete the row and count it off.
CREATE TABLE reservations (
    operation TEXT    NOT NULL REFERENCES {{.Operations}} (id),
    key       TEXT    NOT NULL,
    period    TEXT    NOT NULL,
    amount    INTEGER NOT NULL CHECK (amount >= 0), -- paise
    PRIMARY KEY (operation, key, period)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER reservations_immutable BEFORE UPDATE ON reservations FOR EACH ROW
EXECUTE FUNCTION refuse('a reservation can''t be changed');

-- Texts are stored as they came. They are compared by keys, which ignore the case of letters.
CREATE TABLE commission_slabs (
    id             TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor         TEXT    NOT NULL REFERENCES vendors (id),
    aggregator     TEXT    NOT NULL REFERENCES aggregators (id),
    payment_method TEXT    NOT NULL CHECK (payment_method <> ''),
    provider       TEXT    NOT NULL CHECK (provider <> ''),
    txn_type       TEXT    NOT NULL CHECK (txn_type <> ''),
    method_key     TEXT    NOT NULL CHECK (method_key <> ''),
    provider_key   TEXT    NOT NULL CHECK (provider_key <> ''),
    type_key       TEXT    NOT NULL CHECK (type_key <> ''),
    min_amount     INTEGER CHECK (min_amount >= 0), -- paise; NULL: no lower limit
    max_amount     INTEGER CHECK (max_amount > 0), -- paise, exclusive; NULL: no upper limit
    rate           INTEGER NOT NULL CHECK (rate >= 0), -- millionths of a rupee or of a percent
    rate_type      TEXT    NOT NULL CHECK (rate_type IN ('FIXED', 'PERCENTAGE')),
    is_default     INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    deleted_at     INTEGER, -- the row stays for audit
    CONSTRAINT band_is_not_empty CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount < max_amount)
) STRICT;

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
    operation   TEXT    NOT NULL PRIMARY KEY REFERENCES {{.Operations}} (id),
    reversed_by TEXT    NOT NULL UNIQUE REFERENCES {{.Operations}} (id),
    at          INTEGER NOT NULL,
    CONSTRAINT by_another CHECK (reversed_by <> operation)
) STRICT, WITHOUT ROWID;

-- What an operation earned. Amounts are paise.
CREATE TABLE commissions (
    operation      TEXT    NOT NULL PRIMARY KEY REFERENCES {{.Operations}} (id),
    vendor         TEXT    REFERENCES vendors (id),
    aggregator     TEXT    REFERENCES aggregators (id),
    merchant       TEXT    NOT NULL REFERENCES merchants (id),
    payment_method TEXT    NOT NULL,
    provider       TEXT    NOT NULL,
    txn_type       TEXT    NOT NULL,
    slab           TEXT    REFERENCES commission_slabs (id),
    amount         INTEGER NOT NULL CHECK (amount >= 0),
    charge         INTEGER NOT NULL CHECK (charge >= 0),
    gst            INTEGER NOT NULL CHECK (gst >= 0),
    provider_cost  INTEGER NOT NULL CHECK (provider_cost >= 0),
    commission     INTEGER NOT NULL CHECK (commission >= 0),
    tds            INTEGER NOT NULL CHECK (tds >= 0),
    day            TEXT    NOT NULL CHECK (day LIKE '____-__-__'),
    at             INTEGER NOT NULL,
    reversed_day   TEXT    CHECK (reversed_day LIKE '____-__-__'),
    reversed_at    INTEGER CHECK ((reversed_at IS NULL) = (reversed_day IS NULL)),
    reversed_by    TEXT    REFERENCES {{.Operations}} (id) CHECK ((reversed_by IS NULL) = (reversed_day IS NULL))
) STRICT, WITHOUT ROWID;

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
    operation  TEXT    NOT NULL REFERENCES {{.Operations}} (id),
    purpose    TEXT    NOT NULL CHECK (purpose <> ''),
    reversal   INTEGER NOT NULL CHECK (reversal IN (0, 1)),
    debit      TEXT    NOT NULL CHECK (debit <> ''),
    credit     TEXT    NOT NULL CHECK (credit <> ''),
    amount     INTEGER NOT NULL CHECK (amount > 0), -- paise
    written_by TEXT    NOT NULL REFERENCES {{.Operations}} (id), -- the operation that finished
    at         INTEGER NOT NULL,
    PRIMARY KEY (operation, purpose, reversal),
    CONSTRAINT between_two_accounts CHECK (debit <> credit),
    CONSTRAINT reversed_by_another CHECK ((reversal = 1) = (written_by <> operation))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER ledger_entries_immutable BEFORE UPDATE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('a ledger entry can''t be changed');

CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries FOR EACH ROW
EXECUTE FUNCTION refuse('ledger entries can''t be deleted');

-- Customers and business correspondents

-- Names of a customer at the bank: an onboarding (referenceid:…) or a remitter
-- (sender:…). The customer is a keyed hash of the mobile number.
CREATE TABLE customer_names (
    name     TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    customer BLOB    NOT NULL CHECK (length(customer) = 32),
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_names_of_customer ON customer_names (customer);

-- The customers that a name had before, such as those of a remitter's former mobile
-- numbers: the staff's search finds its operations by them, too.
CREATE TABLE customer_former_names (
    customer BLOB    NOT NULL CHECK (length(customer) = 32),
    name     TEXT    NOT NULL CHECK (name <> ''),
    PRIMARY KEY (customer, name)
) STRICT, WITHOUT ROWID;

-- Which merchant passed an OTP or finger step with which customer, by any name.
CREATE TABLE customer_proofs (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    name     TEXT    NOT NULL CHECK (name <> ''),
    at       INTEGER NOT NULL,
    PRIMARY KEY (merchant, name)
) STRICT, WITHOUT ROWID;

-- Customers without a proof that a merchant looked up in the last hour, each once.
CREATE TABLE customer_lookups (
    merchant TEXT    NOT NULL REFERENCES merchants (id),
    customer BLOB    NOT NULL CHECK (length(customer) = 32),
    at       INTEGER NOT NULL,
    PRIMARY KEY (merchant, customer)
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_lookups_by_moment ON customer_lookups (merchant, at);

-- Lookups over the limit, for the staff.
CREATE TABLE customer_lookups_refused (
    merchant TEXT    NOT NULL PRIMARY KEY REFERENCES merchants (id),
    count    INTEGER NOT NULL CHECK (count > 0),
    at       INTEGER NOT NULL -- the last one
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_lookups_refused_by_moment ON customer_lookups_refused (at);

-- Business correspondents and their agents, and which party registered them.
CREATE TABLE correspondents (
    kind  TEXT    NOT NULL CONSTRAINT known_correspondent CHECK (kind IN ('bc', 'agent')),
    id    TEXT    NOT NULL CHECK (id <> ''),
    party TEXT    NOT NULL CHECK (party <> ''),
    at    INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER correspondents_immutable BEFORE UPDATE ON correspondents FOR EACH ROW
EXECUTE FUNCTION refuse('the owner of a business correspondent or agent can''t be changed');

-- The gateway: vendors' keys, and messages that can't be accepted twice

CREATE TABLE vendor_keys (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    vendor      TEXT    NOT NULL REFERENCES vendors (id),
    client_hash BLOB    NOT NULL UNIQUE CHECK (length(client_hash) = 32), -- SHA-256 of the API key
    hint        TEXT    NOT NULL CONSTRAINT api_key_is_masked CHECK (length(hint) <= 4),
    sealed      BLOB    NOT NULL CONSTRAINT key_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER,
    used_at     INTEGER,
    uses        INTEGER NOT NULL DEFAULT 0 CONSTRAINT limit_of_random_ivs CHECK (uses BETWEEN 0 AND 4294967296) -- 2^32
) STRICT;

CREATE INDEX vendor_keys_of_vendor ON vendor_keys (vendor, created_at, id);
CREATE INDEX vendor_keys_in_order ON vendor_keys (created_at, id);
CREATE INDEX vendor_keys_live ON vendor_keys (created_at, id) WHERE revoked_at IS NULL;

{{if .Postgres}}
-- Locks the vendor's row, so that each of several new keys sees the others.
CREATE FUNCTION limit_live_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM vendors WHERE id = NEW.vendor FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM vendor_keys WHERE vendor = NEW.vendor AND revoked_at IS NULL) >= 2 THEN
        RAISE EXCEPTION 'a vendor has at most two live keys' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
{{end}}

CREATE TRIGGER vendor_keys_two_live BEFORE INSERT ON vendor_keys FOR EACH ROW
{{if .Postgres}}
WHEN (NEW.revoked_at IS NULL)
EXECUTE FUNCTION limit_live_keys();
{{else}}
WHEN (NEW.revoked_at IS NULL AND (SELECT count(*) FROM vendor_keys WHERE vendor = NEW.vendor AND revoked_at IS NULL) >= 2)
EXECUTE FUNCTION refuse('a vendor has at most two live keys');
{{end}}

CREATE TRIGGER vendor_keys_immutable BEFORE UPDATE ON vendor_keys FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.vendor <> OLD.vendor OR NEW.client_hash <> OLD.client_hash OR NEW.hint <> OLD.hint OR
    NEW.created_at <> OLD.created_at OR NEW.uses < OLD.uses OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
EXECUTE FUNCTION refuse('the owner of a key and a revocation can''t be changed, and uses can''t shrink');

CREATE TRIGGER vendor_keys_no_delete BEFORE DELETE ON vendor_keys FOR EACH ROW
EXECUTE FUNCTION refuse('vendor keys can''t be deleted');

CREATE TABLE gateway_messages (
    vendor_key TEXT    NOT NULL REFERENCES vendor_keys (id),
    iv         BLOB    NOT NULL CHECK (length(iv) = 12),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (vendor_key, iv)
) STRICT, WITHOUT ROWID;

CREATE INDEX gateway_messages_expiry ON gateway_messages (expires_at);

CREATE TRIGGER gateway_messages_immutable BEFORE UPDATE ON gateway_messages FOR EACH ROW
EXECUTE FUNCTION refuse('an accepted message can''t be changed');

-- Callbacks to merchants and vendors

CREATE TABLE callback_secrets (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant   TEXT    REFERENCES merchants (id),
    vendor     TEXT    REFERENCES vendors (id),
    receiver   TEXT    GENERATED ALWAYS AS (coalesce('vendor:' || vendor, 'merchant:' || merchant)) VIRTUAL,
    sealed     BLOB    NOT NULL CONSTRAINT secret_is_sealed CHECK (length(sealed) = 61), -- version, IV, 32 bytes, tag
    created_at INTEGER NOT NULL,
    ends_at    INTEGER, -- the end that is planned; NULL: none
    revoked_at INTEGER,
    CONSTRAINT one_receiver CHECK ((merchant IS NULL) <> (vendor IS NULL))
) STRICT;

CREATE INDEX callback_secrets_of_receiver ON callback_secrets (receiver, created_at, id);
CREATE INDEX callback_secrets_live ON callback_secrets (receiver, created_at, id) WHERE revoked_at IS NULL;

{{if .Postgres}}
-- Locks the receiver's row, so that each of several new secrets sees the others.
CREATE FUNCTION limit_live_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM merchants WHERE id = NEW.merchant FOR NO KEY UPDATE;
    PERFORM 1 FROM vendors WHERE id = NEW.vendor FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM callback_secrets WHERE receiver = coalesce('vendor:' || NEW.vendor, 'merchant:' || NEW.merchant) AND revoked_at IS NULL) >= 2 THEN
        RAISE EXCEPTION 'a receiver has at most two live callback secrets' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
{{end}}

CREATE TRIGGER callback_secrets_two_live BEFORE INSERT ON callback_secrets FOR EACH ROW
{{if .Postgres}}
WHEN (NEW.revoked_at IS NULL)
EXECUTE FUNCTION limit_live_secrets();
{{else}}
WHEN (NEW.revoked_at IS NULL AND (SELECT count(*) FROM callback_secrets
    WHERE receiver = coalesce('vendor:' || NEW.vendor, 'merchant:' || NEW.merchant) AND revoked_at IS NULL) >= 2)
EXECUTE FUNCTION refuse('a receiver has at most two live callback secrets');
{{end}}

CREATE TRIGGER callback_secrets_immutable BEFORE UPDATE ON callback_secrets FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.merchant IS DISTINCT FROM OLD.merchant OR NEW.vendor IS DISTINCT FROM OLD.vendor OR NEW.created_at <> OLD.created_at OR
    OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
EXECUTE FUNCTION refuse('the owner of a callback secret and a revocation can''t be changed');

CREATE TRIGGER callback_secrets_no_delete BEFORE DELETE ON callback_secrets FOR EACH ROW
EXECUTE FUNCTION refuse('callback secrets can''t be deleted');

-- One for each operation that was pending and is finished, and for each payment that the
-- network reported, where its merchant has an endpoint, or its vendor has one. vendor is
-- whose endpoint gets it; NULL: the merchant's own. due_at is the next attempt, or while a
-- node makes an attempt the end of its lease. since is when the present series of attempts began.
CREATE TABLE callbacks (
    operation  TEXT    NOT NULL PRIMARY KEY REFERENCES {{.Operations}} (id),
    merchant   TEXT    NOT NULL REFERENCES merchants (id),
    vendor     TEXT    REFERENCES vendors (id),
    receiver   TEXT    GENERATED ALWAYS AS (coalesce('vendor:' || vendor, 'merchant:' || merchant)) VIRTUAL,
    event      TEXT    NOT NULL CONSTRAINT known_event CHECK (event = 'operation.finished' OR event = 'upi.received' OR event = 'upi.returned'),
    state      TEXT    NOT NULL, -- CONSTRAINT legal_state
    created_at INTEGER NOT NULL,
    since      INTEGER NOT NULL,
    due_at     INTEGER,
    node       TEXT    CHECK (node <> ''),
    attempts   INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    tried_at   INTEGER,
    http       INTEGER NOT NULL DEFAULT 0 CHECK (http BETWEEN 0 AND 999),
    detail     TEXT    NOT NULL DEFAULT '',
    ended_at   INTEGER,
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'waiting'   THEN due_at IS NOT NULL AND ended_at IS NULL
        WHEN 'delivered' THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL AND attempts > 0
        WHEN 'given-up'  THEN due_at IS NULL AND ended_at IS NOT NULL AND node IS NULL
        ELSE FALSE END),
    CONSTRAINT node_has_an_attempt CHECK (node IS NULL OR attempts > 0),
    CONSTRAINT tried_by_an_attempt CHECK ((tried_at IS NULL) = (attempts = 0)),
    CONSTRAINT since_not_before_created CHECK (since >= created_at)
) STRICT;

CREATE INDEX callbacks_due_of_receiver ON callbacks (receiver, due_at) WHERE state = 'waiting';
CREATE INDEX callbacks_waiting_of_merchant ON callbacks (merchant) WHERE state = 'waiting';
CREATE INDEX callbacks_waiting_since ON callbacks (since) WHERE state = 'waiting';
CREATE INDEX callbacks_given_up ON callbacks (ended_at) WHERE state = 'given-up';
CREATE INDEX callbacks_delivered ON callbacks (ended_at) WHERE state = 'delivered';
CREATE INDEX callbacks_by_age ON callbacks (created_at, operation);
CREATE INDEX callbacks_of_merchant ON callbacks (merchant, created_at, operation);

{{if .Postgres}}
CREATE FUNCTION check_new_callback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state <> 'waiting' OR NEW.attempts <> 0 OR NOT EXISTS (SELECT 1 FROM operations
        WHERE (id, created_at) = (SELECT id, created_at FROM operation_names WHERE id = NEW.operation)
        AND merchant = NEW.merchant AND finished_at IS NOT NULL AND (pending_reference IS NOT NULL OR kind = 'UPI_PAYMENT' OR kind = 'UPI_REFUND'))
    THEN
        RAISE EXCEPTION 'a new callback must wait, and its operation must be the merchant''s, finished, and pending before or reported by the network' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
{{end}}

CREATE TRIGGER callbacks_first_state BEFORE INSERT ON callbacks FOR EACH ROW
{{if .Postgres}}
EXECUTE FUNCTION check_new_callback();
{{else}}
WHEN (NEW.state <> 'waiting' OR NEW.attempts <> 0 OR NOT EXISTS (SELECT 1 FROM operations
    WHERE id = NEW.operation AND merchant = NEW.merchant AND finished_at IS NOT NULL AND (pending_reference IS NOT NULL OR kind = 'UPI_PAYMENT' OR kind = 'UPI_REFUND')))
EXECUTE FUNCTION refuse('a new callback must wait, and its operation must be the merchant''s, finished, and pending before or reported by the network');
{{end}}

CREATE TRIGGER callbacks_transition BEFORE UPDATE ON callbacks FOR EACH ROW
WHEN (NEW.operation <> OLD.operation OR NEW.merchant <> OLD.merchant OR NEW.event <> OLD.event OR NEW.created_at <> OLD.created_at OR
    NEW.attempts < OLD.attempts OR NEW.since < OLD.since OR
    OLD.state <> 'waiting' AND (NEW.state <> 'waiting' OR NEW.attempts <> OLD.attempts))
EXECUTE FUNCTION refuse('the subject of a callback can''t be changed, attempts only grow, and an ended callback can only be replayed');

CREATE TRIGGER callbacks_no_delete BEFORE DELETE ON callbacks FOR EACH ROW
WHEN (OLD.state = 'waiting')
EXECUTE FUNCTION refuse('a waiting callback can''t be deleted');

CREATE TABLE callback_attempts (
    operation TEXT    NOT NULL REFERENCES callbacks (operation) ON DELETE CASCADE,
    attempt   INTEGER NOT NULL CHECK (attempt > 0),
    at        INTEGER NOT NULL,
    node      TEXT    NOT NULL,
    http      INTEGER NOT NULL CHECK (http BETWEEN 0 AND 999),
    detail    TEXT    NOT NULL,
    result    TEXT    NOT NULL CONSTRAINT known_result CHECK (result IN ('delivered', 'retry', 'given-up', 'gone')),
    PRIMARY KEY (operation, attempt)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER callback_attempts_immutable BEFORE UPDATE ON callback_attempts FOR EACH ROW
EXECUTE FUNCTION refuse('an attempt can''t be changed');

-- Jobs and rates, shared by all nodes

-- One row for each scheduled job. due_at is the next run, or while a node runs it the
-- end of its lease.
CREATE TABLE scheduled_jobs (
    name       TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    due_at     INTEGER NOT NULL,
    node       TEXT    CHECK (node <> ''),
    started_at INTEGER,
    ended_at   INTEGER,
    failures   INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    note       TEXT    NOT NULL DEFAULT '',
    CONSTRAINT node_has_started CHECK (node IS NULL OR started_at IS NOT NULL),
    CONSTRAINT ended_was_started CHECK (ended_at IS NULL OR started_at IS NOT NULL)
) STRICT;

-- One row for each name with a rate limit. level was the value at the time at, and has
-- grown by the rate since. 0 at 0 is full.
CREATE TABLE rates (
    name  TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    level INTEGER NOT NULL CONSTRAINT level_not_negative CHECK (level >= 0), -- millionths of a use
    at    INTEGER NOT NULL CHECK (at >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX rates_by_moment ON rates (at);

-- Backup and recovery

-- When copies of the database were started. A copy has its own row.
CREATE TABLE backups (
    at   INTEGER NOT NULL PRIMARY KEY,
    node TEXT    NOT NULL
) STRICT;

-- When the database was restored from a copy. With gap = 1, the copy may lack
-- operations that were recorded after it.
CREATE TABLE restorations (
    at          INTEGER NOT NULL PRIMARY KEY,
    backup_at   INTEGER, -- NULL: not known
    gap         INTEGER NOT NULL CHECK (gap IN (0, 1)),
    released_at INTEGER, -- a person has dealt with the gap
    CONSTRAINT released_afterwards CHECK (released_at >= at),
    CONSTRAINT no_gap_is_released CHECK (gap = 1 OR released_at IS NOT NULL)
) STRICT;

CREATE TRIGGER restorations_immutable BEFORE UPDATE ON restorations FOR EACH ROW
WHEN (OLD.released_at IS NOT NULL OR NEW.at <> OLD.at OR NEW.backup_at IS DISTINCT FROM OLD.backup_at OR NEW.gap <> OLD.gap)
EXECUTE FUNCTION refuse('a restoration can be released once and not be changed otherwise');

CREATE TRIGGER restorations_no_delete BEFORE DELETE ON restorations FOR EACH ROW
EXECUTE FUNCTION refuse('restorations can''t be deleted');

-- Identities that callers asked for after a restoration and that may have been used in
-- its gap. A person must find out.
CREATE TABLE held_identities (
    caller   TEXT    NOT NULL CHECK (caller <> ''),
    identity TEXT    NOT NULL CHECK (identity <> ''),
    at       INTEGER NOT NULL,
    PRIMARY KEY (caller, identity)
) STRICT, WITHOUT ROWID;

CREATE INDEX held_identities_in_order ON held_identities (at, caller, identity);

-- Reconciliation with the bank's settlement files. No row is ever deleted.

-- Files of a day are numbered from 1. The one that is complete and not superseded
-- counts.
CREATE TABLE settlement_files (
    day           TEXT    NOT NULL CHECK (day LIKE '____-__-__'), -- Indian
    number        INTEGER NOT NULL CHECK (number > 0),
    sha256        BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
    name          TEXT    NOT NULL,
    bytes         INTEGER NOT NULL CHECK (bytes > 0),
    lines         INTEGER NOT NULL CHECK (lines >= 0),
    amount        INTEGER NOT NULL CHECK (amount >= 0), -- paise, of all lines
    imported_by   TEXT    NOT NULL CHECK (imported_by <> ''),
    node          TEXT    NOT NULL,
    at            INTEGER NOT NULL,
    complete_at   INTEGER, -- NULL: the import was interrupted
    superseded_at INTEGER, -- when a later file of the day was complete
    PRIMARY KEY (day, number),
    CONSTRAINT superseded_when_complete CHECK (superseded_at IS NULL OR complete_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

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
    day       TEXT    NOT NULL,
    file      INTEGER NOT NULL,
    line      INTEGER NOT NULL CHECK (line > 1), -- of the file; the first line has the column names
    reference TEXT    NOT NULL CHECK (reference <> ''),
    rrn       TEXT    NOT NULL CHECK (length(rrn) = 12),
    stan      TEXT    NOT NULL CHECK (length(stan) = 6),
    amount    INTEGER NOT NULL CHECK (amount > 0), -- paise
    code      TEXT    NOT NULL CHECK (length(code) = 2),
    at        INTEGER NOT NULL,
    PRIMARY KEY (day, file, line),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX settlement_lines_by_reference ON settlement_lines (reference);

{{if .Postgres}}
CREATE FUNCTION check_file_is_incomplete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM settlement_files WHERE day = NEW.day AND number = NEW.file AND complete_at IS NOT NULL) THEN
        RAISE EXCEPTION 'a complete settlement file can''t get more lines' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
{{end}}

CREATE TRIGGER settlement_lines_open_file BEFORE INSERT ON settlement_lines FOR EACH ROW
{{if .Postgres}}
EXECUTE FUNCTION check_file_is_incomplete();
{{else}}
WHEN (EXISTS (SELECT 1 FROM settlement_files WHERE day = NEW.day AND number = NEW.file AND complete_at IS NOT NULL))
EXECUTE FUNCTION refuse('a complete settlement file can''t get more lines');
{{end}}

CREATE TRIGGER settlement_lines_immutable BEFORE UPDATE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('a settlement line can''t be changed');

CREATE TRIGGER settlement_lines_no_delete BEFORE DELETE ON settlement_lines FOR EACH ROW
EXECUTE FUNCTION refuse('settlement lines can''t be deleted');

-- The result of the comparison by class. Amounts are paise: ours and the bank's.
CREATE TABLE reconciliation_sums (
    day          TEXT    NOT NULL,
    file         INTEGER NOT NULL,
    class        TEXT    NOT NULL CONSTRAINT known_class CHECK (class IN ('agreed', 'nothing-moved', 'other-day', 'missing-here',
        'missing-at-bank', 'amount-differs', 'outcome-differs', 'identifiers-differ', 'duplicate-line', 'unreported', 'awaiting-bank')),
    operations   INTEGER NOT NULL CHECK (operations >= 0),
    lines        INTEGER NOT NULL CHECK (lines >= 0),
    ours         INTEGER NOT NULL CHECK (ours >= 0),
    theirs       INTEGER NOT NULL CHECK (theirs >= 0),
    moved_ours   INTEGER NOT NULL CHECK (moved_ours BETWEEN 0 AND ours),
    moved_theirs INTEGER NOT NULL CHECK (moved_theirs BETWEEN 0 AND theirs),
    PRIMARY KEY (day, file, class),
    FOREIGN KEY (day, file) REFERENCES settlement_files (day, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER reconciliation_sums_immutable BEFORE UPDATE ON reconciliation_sums FOR EACH ROW
EXECUTE FUNCTION refuse('the result of a comparison can''t be changed');

CREATE TRIGGER reconciliation_sums_no_delete BEFORE DELETE ON reconciliation_sums FOR EACH ROW
EXECUTE FUNCTION refuse('the result of a comparison can''t be deleted');

-- A case that a person opened has an operation and no file: its file number is 0.
CREATE TABLE reconciliation_cases (
    day             TEXT    NOT NULL,
    file            INTEGER NOT NULL, -- 0: opened by a person
{{if .Postgres}}
    of_file         INTEGER GENERATED ALWAYS AS (nullif(file, 0)) VIRTUAL,
{{else}}
    of_file         INTEGER GENERATED ALWAYS AS (nullif(file, 0)) STORED,
{{end}}
    number          INTEGER NOT NULL CHECK (number > 0),
    class           TEXT    NOT NULL CONSTRAINT class_of_a_case CHECK (class IN ('missing-here', 'missing-at-bank', 'amount-differs',
        'outcome-differs', 'identifiers-differ', 'duplicate-line', 'unreported', 'awaiting-bank', 'manual')),
    reference       TEXT    NOT NULL CHECK (reference <> ''),
    line            INTEGER, -- NULL: the bank has none
    operation       TEXT    REFERENCES {{.Operations}} (id), -- NULL: the central has none
    found           TEXT    NOT NULL, -- the operation's state at the comparison
    found_at        INTEGER NOT NULL,

    status          TEXT    NOT NULL,
    verdict         TEXT    CONSTRAINT known_verdict CHECK (verdict IN ('succeeded', 'failed', 'reversed', 'noted')),
    charge          INTEGER NOT NULL DEFAULT 0 CHECK (charge >= 0), -- paise
    reason          TEXT    NOT NULL DEFAULT '',
    document        TEXT    NOT NULL DEFAULT '',
    document_sha256 TEXT    NOT NULL DEFAULT '' CHECK (length(document_sha256) IN (0, 64)),
    proposed_by     TEXT,
    decided_by      TEXT,
    decided_at      INTEGER,
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
) STRICT, WITHOUT ROWID;

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
    day             TEXT    NOT NULL,
    file            INTEGER NOT NULL,
    number          INTEGER NOT NULL,
    step            INTEGER NOT NULL CHECK (step > 0),
    at              INTEGER NOT NULL,
    actor           TEXT    NOT NULL CHECK (actor <> ''),
    account         TEXT    NOT NULL,
    node            TEXT    NOT NULL,
    action          TEXT    NOT NULL CHECK (action IN ('found', 'proposed', 'confirmed', 'rejected', 'withdrawn')),
    verdict         TEXT    NOT NULL,
    charge          INTEGER NOT NULL CHECK (charge >= 0),
    reason          TEXT    NOT NULL,
    document        TEXT    NOT NULL,
    document_sha256 TEXT    NOT NULL,
    PRIMARY KEY (day, file, number, step),
    FOREIGN KEY (day, file, number) REFERENCES reconciliation_cases (day, file, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER reconciliation_steps_immutable BEFORE UPDATE ON reconciliation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case can''t be changed');

CREATE TRIGGER reconciliation_steps_no_delete BEFORE DELETE ON reconciliation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('the history of a case can''t be deleted');

-- Staff of the console

CREATE TABLE staff (
    login        TEXT    NOT NULL PRIMARY KEY CHECK (login <> '' AND login <> 'rule'),
    name         TEXT    NOT NULL CHECK (name <> ''),
    role         TEXT    NOT NULL CONSTRAINT known_role CHECK (role IN ('viewer', 'operator', 'admin')),
    password     TEXT    NOT NULL CHECK (password = '' OR password LIKE '$argon2id$%'),
    sealed       BLOB, -- the secret of the second factor
    step         INTEGER NOT NULL DEFAULT 0 CHECK (step >= 0), -- the latest half minute whose code was used
    setup_hash   BLOB    CHECK (length(setup_hash) = 32),
    setup_ends   INTEGER,
    approval     TEXT    NOT NULL DEFAULT '' CHECK (approval IN ('', 'add', 'reset', 'role')), -- what waits for approval
    requested_by TEXT    NOT NULL DEFAULT '' CHECK ((approval = '') = (requested_by = '')),
    created_at   INTEGER NOT NULL,
    created_by   TEXT    NOT NULL,
    disabled_at  INTEGER,
    CONSTRAINT setup_code_expires CHECK ((setup_hash IS NULL) = (setup_ends IS NULL)),
    CONSTRAINT disabled_has_no_credentials CHECK (disabled_at IS NULL OR password = '' AND sealed IS NULL AND setup_hash IS NULL),
    CONSTRAINT password_or_setup_code CHECK (disabled_at IS NOT NULL OR sealed IS NOT NULL AND (password = '') = (setup_hash IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER staff_no_delete BEFORE DELETE ON staff FOR EACH ROW
EXECUTE FUNCTION refuse('staff members can''t be deleted: the audit log names them');

CREATE TRIGGER staff_immutable BEFORE UPDATE ON staff FOR EACH ROW
WHEN (NEW.login <> OLD.login OR NEW.created_at <> OLD.created_at OR NEW.created_by <> OLD.created_by OR NEW.step < OLD.step AND NEW.sealed IS NOT DISTINCT FROM OLD.sealed)
EXECUTE FUNCTION refuse('a login can''t be changed, and a code can''t be used again');

CREATE TABLE staff_sessions (
    hash          BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- of the token
    login         TEXT    NOT NULL REFERENCES staff (login),
    source        TEXT    NOT NULL, -- the address
    opened_at     INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    stepped_up_at INTEGER -- when a code was last entered for a privileged action
) STRICT, WITHOUT ROWID;

CREATE INDEX staff_sessions_of_login ON staff_sessions (login);
CREATE INDEX staff_sessions_by_touch ON staff_sessions (seen_at);

-- Everybody who added, reset or approved an account, and those before them, since the
-- last set-up from the command line. single_control: that person alone could have
-- arranged all of it.
CREATE TABLE staff_descent (
    login          TEXT    NOT NULL REFERENCES staff (login),
    ancestor       TEXT    NOT NULL CHECK (ancestor <> ''),
    single_control INTEGER NOT NULL CHECK (single_control IN (0, 1)),
    PRIMARY KEY (login, ancestor),
    CHECK (login <> ancestor)
) STRICT, WITHOUT ROWID;

-- Failed sign-ins by name, whether the name exists or not.
CREATE TABLE sign_in_attempts (
    name     TEXT    NOT NULL PRIMARY KEY,
    failures INTEGER NOT NULL CHECK (failures >= 0),
    until    INTEGER, -- attempts before it are refused
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_attempts_by_moment ON sign_in_attempts (at);

CREATE TABLE audit_log (
    id      TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    at      INTEGER NOT NULL,
    node    TEXT    NOT NULL,
    actor   TEXT    NOT NULL, -- a login; empty: not known, or a command
    role    TEXT    NOT NULL,
    source  TEXT    NOT NULL, -- an address, or the account and host of a command
    action  TEXT    NOT NULL CHECK (action <> ''),
    subject TEXT    NOT NULL,
    outcome TEXT    NOT NULL CONSTRAINT known_outcome CHECK (outcome IN ('started', 'done', 'refused')),
    was     TEXT    NOT NULL,
    became  TEXT    NOT NULL,
    note    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_by_moment ON audit_log (at, id);
CREATE INDEX audit_log_of_actor ON audit_log (actor, at, id);
CREATE INDEX audit_log_of_subject ON audit_log (subject, at, id);

CREATE TRIGGER audit_log_immutable BEFORE UPDATE ON audit_log FOR EACH ROW
EXECUTE FUNCTION refuse('the audit log can''t be changed');

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log FOR EACH ROW
EXECUTE FUNCTION refuse('the audit log can''t be deleted');

-- Documents that decisions rest on, sealed under the master keys.
CREATE TABLE documents (
    sha256    TEXT    NOT NULL PRIMARY KEY CHECK (length(sha256) = 64), -- of the document, in hex
    name      TEXT    NOT NULL,
    bytes     INTEGER NOT NULL CHECK (bytes > 0),
    sealed    BLOB    NOT NULL CHECK (length(sealed) > bytes),
    at        INTEGER NOT NULL,
    stored_by TEXT    NOT NULL CHECK (stored_by <> '')
) STRICT, WITHOUT ROWID;

CREATE TRIGGER documents_immutable BEFORE UPDATE ON documents FOR EACH ROW
WHEN (NEW.sha256 <> OLD.sha256 OR NEW.name <> OLD.name OR NEW.bytes <> OLD.bytes OR NEW.at <> OLD.at OR NEW.stored_by <> OLD.stored_by)
EXECUTE FUNCTION refuse('a document can be sealed again and not be changed otherwise');

CREATE TRIGGER documents_no_delete BEFORE DELETE ON documents FOR EACH ROW
EXECUTE FUNCTION refuse('documents can''t be deleted');

{{if .Postgres}}
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
CREATE FUNCTION ensure_operation_months(present bigint, ahead integer) RETURNS integer LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    zone    CONSTANT INTERVAL := '05:30';
    month   TIMESTAMP := date_trunc('month', to_timestamp(present / 1000) AT TIME ZONE zone);
    first   bigint;
    next    bigint;
    part    text;
    created integer := 0;
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

SELECT ensure_operation_months((extract(epoch FROM now()) * 1000)::BIGINT, 2);

{{end}}
