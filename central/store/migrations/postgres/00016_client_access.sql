-- What a suspension and a new secret of a program's credential end: its tokens,
-- which name the generation that they were issued in, and its open enrolment
-- codes. Terminals remember whose code enrolled them. From which networks a
-- program gets its tokens, so that strangers' wrong secrets don't keep it out.

-- +goose Up

ALTER TABLE clients ADD COLUMN generation BIGINT NOT NULL DEFAULT 0 CHECK (generation >= 0); -- how often it was suspended or given another secret
ALTER TABLE enrolment_codes ADD COLUMN client TEXT COLLATE "C" REFERENCES clients (id); -- that made it; NULL: people of the console, or it was there before
ALTER TABLE terminals ADD COLUMN client TEXT COLLATE "C" REFERENCES clients (id); -- that made its code

CREATE INDEX enrolment_codes_of_client ON enrolment_codes (client) WHERE used_at IS NULL;
CREATE INDEX terminals_of_client ON terminals (client, created_at, id);

CREATE TABLE client_networks (
    client  TEXT COLLATE "C" NOT NULL REFERENCES clients (id),
    network TEXT COLLATE "C" NOT NULL CHECK (network <> ''), -- an address, or the /64 of one of IPv6
    seen_at BIGINT NOT NULL, -- when it last got a token from there, to the day
    PRIMARY KEY (client, network)
);

CREATE INDEX client_networks_by_moment ON client_networks (client, seen_at, network);
