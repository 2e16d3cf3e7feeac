-- The desk: parties, terminals, operations with their identities and history,
-- events, sessions.
--
-- Times are integer milliseconds since 1970, amounts integer paise. States are
-- those of the package comment of galla/central; the triggers at the end refuse
-- every step that is not drawn there.
--
-- The twin of SQLite's 00001: the same tables, constraints and triggers. What
-- differs is operations, which is partitioned by month. A unique constraint of
-- a partitioned table must contain the key of its partitions, so the names that
-- no two operations of any month may share are claimed in operation_names, by
-- triggers, and operation_names is what other tables refer to.
--
-- Texts are compared by their bytes (COLLATE "C"), as SQLite does.

-- +goose Up

-- Refuses what a trigger was made for, in the words of its argument.
-- +goose StatementBegin
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;
-- +goose StatementEnd

CREATE TABLE aggregators (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT COLLATE "C" NOT NULL
);

CREATE TABLE vendors (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    legal_name TEXT COLLATE "C" NOT NULL,
    aggregator TEXT COLLATE "C" REFERENCES aggregators (id),
    active     BIGINT  NOT NULL CHECK (active IN (0, 1))
);

CREATE TABLE merchants (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    mid        TEXT COLLATE "C" UNIQUE, -- the merchant at the bank network
    legal_name TEXT COLLATE "C" NOT NULL,
    vendor     TEXT COLLATE "C" REFERENCES vendors (id),
    status     TEXT COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'SUSPENDED', 'REJECTED')),
    has_info   BIGINT  NOT NULL CHECK (has_info IN (0, 1)),
    aeps_ready BIGINT  NOT NULL CHECK (aeps_ready IN (0, 1)),
    tid        TEXT COLLATE "C" UNIQUE, -- the terminal at the bank network for calls that name none
    mobile     TEXT COLLATE "C" NOT NULL,
    created_at BIGINT  NOT NULL
);

CREATE TABLE clients (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    secret_hash TEXT COLLATE "C" NOT NULL CHECK (secret_hash LIKE '$argon2id$%'),
    role        TEXT COLLATE "C" NOT NULL CHECK (role IN ('merchant', 'vendor', 'aggregator')),
    merchant    TEXT COLLATE "C" REFERENCES merchants (id),
    vendor      TEXT COLLATE "C" REFERENCES vendors (id),
    aggregator  TEXT COLLATE "C" REFERENCES aggregators (id),
    active      BIGINT  NOT NULL CHECK (active IN (0, 1)),
    CONSTRAINT one_party CHECK (
        (role = 'merchant') = (merchant IS NOT NULL) AND
        (role = 'vendor') = (vendor IS NOT NULL) AND
        (role = 'aggregator') = (aggregator IS NOT NULL)
    )
);

CREATE TABLE terminals (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    name       TEXT COLLATE "C" NOT NULL,
    tid        TEXT COLLATE "C" NOT NULL UNIQUE, -- at the bank network
    public_key BYTEA   NOT NULL CHECK (length(public_key) = 32), -- Ed25519
    created_at BIGINT  NOT NULL,
    revoked_at BIGINT,
    seen_at    BIGINT,
    last_event BIGINT  NOT NULL DEFAULT 0 CHECK (last_event >= 0) -- the newest cursor ever given out
);

CREATE INDEX terminals_of_merchant ON terminals (merchant, created_at, id);

CREATE TABLE counters (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BIGINT  NOT NULL -- the next number to give out
);

INSERT INTO counters (name, value) VALUES ('terminal', 101);

CREATE TABLE enrolment_codes (
    hash       BYTEA   NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    merchant   TEXT COLLATE "C" NOT NULL REFERENCES merchants (id),
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    used_at    BIGINT,
    terminal   TEXT COLLATE "C" REFERENCES terminals (id),
    CONSTRAINT used_by_a_terminal CHECK ((used_at IS NULL) = (terminal IS NULL))
);

CREATE INDEX enrolment_codes_unused ON enrolment_codes (expires_at) WHERE used_at IS NULL;

CREATE TABLE spent_tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    expires_at BIGINT  NOT NULL
);

CREATE INDEX spent_tokens_by_end ON spent_tokens (expires_at);

CREATE TABLE agent_sessions (
    tid        TEXT COLLATE "C" NOT NULL CHECK (tid <> ''),
    opened_at  BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (tid, opened_at),
    CONSTRAINT ends_after_it_opens CHECK (expires_at > opened_at)
);

-- The names of all operations of all months, kept for ever, and the moment by
-- which a name finds its operation's month.
CREATE TABLE operation_names (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    created_at        BIGINT  NOT NULL,
    reference         TEXT COLLATE "C" NOT NULL CONSTRAINT operation_names_by_reference UNIQUE,
    pending_reference TEXT COLLATE "C"
);

-- Partial, so that PostgreSQL counts no change of it as one of a key, for which
-- it would lock out the rows that refer to this one.
CREATE UNIQUE INDEX operation_names_by_pending_reference ON operation_names (pending_reference) WHERE pending_reference IS NOT NULL;

CREATE TABLE operations (
    id                TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    caller            TEXT COLLATE "C" NOT NULL CHECK (caller <> ''),
    identity          TEXT COLLATE "C" NOT NULL CHECK (identity <> ''),
    route             TEXT COLLATE "C" NOT NULL,
    fingerprint       BYTEA   NOT NULL CHECK (length(fingerprint) = 32),

    merchant          TEXT COLLATE "C" REFERENCES merchants (id),
    terminal          TEXT COLLATE "C" REFERENCES terminals (id), -- to tell of a late outcome
    tid               TEXT COLLATE "C" NOT NULL,

    kind              TEXT COLLATE "C" NOT NULL,
    amount            BIGINT  NOT NULL CHECK (amount >= 0), -- paise
    aadhaar           TEXT COLLATE "C" NOT NULL CONSTRAINT aadhaar_is_masked CHECK (aadhaar = '' OR aadhaar LIKE 'XXXXXXXX____'),
    iin               TEXT COLLATE "C" NOT NULL,
    reference         TEXT COLLATE "C" NOT NULL CHECK (reference <> ''), -- ours at the bank
    stan              TEXT COLLATE "C" NOT NULL,

    state             TEXT COLLATE "C" NOT NULL, -- CONSTRAINT legal_state
    node              TEXT COLLATE "C" NOT NULL,
    not_after         BIGINT,
    created_at        BIGINT  NOT NULL,

    dispatched_at     BIGINT,
    bank_not_after    BIGINT,
    pending_reference TEXT COLLATE "C",
    attempts          BIGINT  NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_enquiry      BIGINT,
    stuck_at          BIGINT,
    settled_at        BIGINT,

    code              TEXT COLLATE "C" NOT NULL DEFAULT '',
    rrn               TEXT COLLATE "C" NOT NULL DEFAULT '',
    http              BIGINT  NOT NULL DEFAULT 0,
    reply             BYTEA,

    PRIMARY KEY (id, created_at),

    -- Each state by what its row has. A failed operation may have failed before
    -- it was dispatched, and a succeeded or failed one was pending or was not.
    CONSTRAINT legal_state CHECK (CASE state
        WHEN 'received'   THEN dispatched_at IS NULL     AND pending_reference IS NULL     AND settled_at IS NULL
        WHEN 'dispatched' THEN dispatched_at IS NOT NULL AND pending_reference IS NULL     AND settled_at IS NULL
        WHEN 'pending'    THEN dispatched_at IS NOT NULL AND pending_reference IS NOT NULL AND settled_at IS NULL
        WHEN 'succeeded'  THEN dispatched_at IS NOT NULL AND settled_at IS NOT NULL
        WHEN 'failed'     THEN settled_at IS NOT NULL
        WHEN 'reversed'   THEN dispatched_at IS NOT NULL AND pending_reference IS NOT NULL AND settled_at IS NOT NULL
        WHEN 'refused'    THEN dispatched_at IS NULL     AND pending_reference IS NULL     AND settled_at IS NOT NULL
        ELSE FALSE END),
    CONSTRAINT dispatched_with_a_deadline CHECK ((dispatched_at IS NULL) = (bank_not_after IS NULL)),
    CONSTRAINT pending_was_dispatched CHECK (pending_reference IS NULL OR dispatched_at IS NOT NULL),
    CONSTRAINT pending_has_an_enquiry CHECK ((state = 'pending') = (next_enquiry IS NOT NULL)),
    CONSTRAINT stuck_was_pending CHECK (stuck_at IS NULL OR pending_reference IS NOT NULL),
    CONSTRAINT settled_has_a_reply CHECK ((settled_at IS NULL) = (reply IS NULL)),
    CONSTRAINT reply_has_a_status CHECK (CASE WHEN reply IS NULL THEN http = 0 ELSE http BETWEEN 100 AND 599 END)
) PARTITION BY RANGE (created_at);

-- Takes what no month has: the row of a clock that is far off, or of a month
-- that was not made in time.
CREATE TABLE operations_default PARTITION OF operations DEFAULT;

-- Those that are under way are few beside all that ever were.
CREATE INDEX operations_open ON operations (state, created_at, id) WHERE settled_at IS NULL;
CREATE INDEX operations_due ON operations (next_enquiry) WHERE state = 'pending' AND stuck_at IS NULL;
CREATE INDEX operations_stuck ON operations (stuck_at) WHERE state = 'pending' AND stuck_at IS NOT NULL;

-- Identities are kept for ever: one that was seen is answered from its
-- operation, and one that was declared never seen is refused.
CREATE TABLE identities (
    caller      TEXT COLLATE "C" NOT NULL CHECK (caller <> ''),
    identity    TEXT COLLATE "C" NOT NULL CHECK (identity <> ''),
    operation   TEXT COLLATE "C" REFERENCES operation_names (id),
    forsworn_at BIGINT, -- a tombstone: declared never seen
    PRIMARY KEY (caller, identity),
    CONSTRAINT operation_or_tombstone CHECK ((operation IS NULL) = (forsworn_at IS NOT NULL))
);

CREATE TABLE operation_steps (
    operation  TEXT COLLATE "C" NOT NULL REFERENCES operation_names (id),
    step       BIGINT  NOT NULL CHECK (step > 0),
    at         BIGINT  NOT NULL,
    node       TEXT COLLATE "C" NOT NULL,
    from_state TEXT COLLATE "C" NOT NULL,
    to_state   TEXT COLLATE "C" NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (operation, step),
    CONSTRAINT legal_step CHECK (CASE to_state
        WHEN 'received'   THEN from_state = ''
        WHEN 'dispatched' THEN from_state = 'received'
        WHEN 'pending'    THEN from_state = 'dispatched' OR from_state = 'pending' -- an enquiry
        WHEN 'succeeded'  THEN from_state = 'dispatched' OR from_state = 'pending'
        WHEN 'failed'     THEN from_state = 'received' OR from_state = 'dispatched' OR from_state = 'pending'
        WHEN 'reversed'   THEN from_state = 'pending'
        WHEN 'refused'    THEN from_state = 'received'
        ELSE FALSE END)
);

CREATE TABLE events (
    terminal  TEXT COLLATE "C" NOT NULL REFERENCES terminals (id),
    cursor    BIGINT  NOT NULL CHECK (cursor > 0),
    kind      TEXT COLLATE "C" NOT NULL CHECK (kind IN ('outcome', 'banks', 'settings', 'revoked')),
    operation TEXT COLLATE "C" REFERENCES operation_names (id),
    at        BIGINT  NOT NULL,
    PRIMARY KEY (terminal, cursor),
    CONSTRAINT outcome_of_an_operation CHECK ((kind = 'outcome') = (operation IS NOT NULL))
);

-- Claims a new operation's names.
-- +goose StatementBegin
CREATE FUNCTION name_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO operation_names (id, created_at, reference) VALUES (NEW.id, NEW.created_at, NEW.reference);
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_named BEFORE INSERT ON operations FOR EACH ROW
EXECUTE FUNCTION name_operation();

-- +goose StatementBegin
CREATE FUNCTION name_pending_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE operation_names SET pending_reference = NEW.pending_reference WHERE id = NEW.id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER operations_named_pending BEFORE UPDATE OF pending_reference ON operations FOR EACH ROW
WHEN (NEW.pending_reference IS DISTINCT FROM OLD.pending_reference)
EXECUTE FUNCTION name_pending_operation();

CREATE TRIGGER operation_names_fixed BEFORE UPDATE ON operation_names FOR EACH ROW
WHEN (NEW.id <> OLD.id OR NEW.created_at <> OLD.created_at OR NEW.reference <> OLD.reference OR OLD.pending_reference IS NOT NULL)
EXECUTE FUNCTION refuse('an operation''s names never change');

CREATE TRIGGER operation_names_kept BEFORE DELETE ON operation_names FOR EACH ROW
EXECUTE FUNCTION refuse('an operation''s names are kept for ever');

CREATE TRIGGER operations_begin BEFORE INSERT ON operations FOR EACH ROW
WHEN (NEW.state <> 'received')
EXECUTE FUNCTION refuse('an operation begins in state received');

CREATE TRIGGER operations_step BEFORE UPDATE OF state ON operations FOR EACH ROW
WHEN (NOT CASE NEW.state
    WHEN 'dispatched' THEN OLD.state = 'received'
    WHEN 'pending'    THEN OLD.state = 'dispatched'
    WHEN 'succeeded'  THEN OLD.state = 'dispatched' OR OLD.state = 'pending'
    WHEN 'failed'     THEN OLD.state = 'received' OR OLD.state = 'dispatched' OR OLD.state = 'pending'
    WHEN 'reversed'   THEN OLD.state = 'pending'
    WHEN 'refused'    THEN OLD.state = 'received'
    ELSE FALSE END)
EXECUTE FUNCTION refuse('an operation may not take this step');

CREATE TRIGGER operations_final BEFORE UPDATE ON operations FOR EACH ROW
WHEN (OLD.settled_at IS NOT NULL)
EXECUTE FUNCTION refuse('a final operation never changes');

CREATE TRIGGER operations_fixed BEFORE UPDATE OF
    id, caller, identity, route, fingerprint, merchant, terminal, tid, kind, amount,
    aadhaar, iin, reference, stan, not_after, created_at
ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('what an operation is never changes');

CREATE TRIGGER operations_kept BEFORE DELETE ON operations FOR EACH ROW
EXECUTE FUNCTION refuse('operations are kept');

CREATE TRIGGER identities_fixed BEFORE UPDATE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('an identity never changes');

CREATE TRIGGER identities_kept BEFORE DELETE ON identities FOR EACH ROW
EXECUTE FUNCTION refuse('identities are kept for ever');

CREATE TRIGGER steps_fixed BEFORE UPDATE ON operation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('history never changes');

CREATE TRIGGER steps_kept BEFORE DELETE ON operation_steps FOR EACH ROW
EXECUTE FUNCTION refuse('history is kept');

-- PostgreSQL can empty a table without looking at its rows.
CREATE TRIGGER operations_not_emptied BEFORE TRUNCATE ON operations FOR EACH STATEMENT EXECUTE FUNCTION refuse('operations are kept');
CREATE TRIGGER operation_names_not_emptied BEFORE TRUNCATE ON operation_names FOR EACH STATEMENT EXECUTE FUNCTION refuse('an operation''s names are kept for ever');
CREATE TRIGGER identities_not_emptied BEFORE TRUNCATE ON identities FOR EACH STATEMENT EXECUTE FUNCTION refuse('identities are kept for ever');
CREATE TRIGGER steps_not_emptied BEFORE TRUNCATE ON operation_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse('history is kept');

-- Makes the partitions of the present Indian month and of so many after it,
-- those that are not there, and gives how many it made; -1: the table is in use.
-- Rows of such a month that the default partition took meanwhile move over.
--
-- A new partition needs the table for itself, and everybody waits behind who
-- waits for that: so it is waited for shortly, and not while a backup reads. Two
-- seconds are longer than the one after which PostgreSQL ends a vacuum that is in
-- the way (deadlock_timeout).
-- +goose StatementBegin
CREATE FUNCTION make_operation_months(present BIGINT, ahead INTEGER) RETURNS INTEGER LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
    zone   CONSTANT INTERVAL := '05:30';
    month  TIMESTAMP := date_trunc('month', to_timestamp(present / 1000) AT TIME ZONE zone);
    first  BIGINT;
    next   BIGINT;
    part   TEXT;
    made   INTEGER := 0;
BEGIN
    FOR n IN 0..ahead LOOP
        first := extract(epoch FROM month AT TIME ZONE zone) * 1000;
        part  := 'operations_' || to_char(month, 'YYYY_MM');
        month := month + INTERVAL '1 month';
        next  := extract(epoch FROM month AT TIME ZONE zone) * 1000;
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        LOCK TABLE ONLY operations, operations_default IN ACCESS EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(part) IS NOT NULL; -- another node was quicker
        IF EXISTS (SELECT 1 FROM operations_default WHERE created_at >= first AND created_at < next) THEN
            EXECUTE format('CREATE TABLE %I (LIKE operations INCLUDING ALL)', part);
            ALTER TABLE operations_default DISABLE TRIGGER operations_kept;
            EXECUTE format('WITH moved AS (DELETE FROM operations_default WHERE created_at >= %s AND created_at < %s RETURNING *)
                INSERT INTO %I SELECT * FROM moved', first, next, part);
            ALTER TABLE operations_default ENABLE TRIGGER operations_kept;
            EXECUTE format('ALTER TABLE operations ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, first, next);
        ELSE
            EXECUTE format('CREATE TABLE %I PARTITION OF operations FOR VALUES FROM (%s) TO (%s)', part, first, next);
        END IF;
        made := made + 1;
    END LOOP;
    RETURN made;
EXCEPTION
    WHEN lock_not_available THEN RETURN -1;
END
$$;
-- +goose StatementEnd

SELECT make_operation_months((extract(epoch FROM now()) * 1000)::BIGINT, 2);
