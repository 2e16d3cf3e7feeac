-- What nodes share besides operations: what is left of the rates that hold for
-- all of them together.

-- +goose Up

-- One row for each name that is held to a rate. Its level was what it is at
-- the moment `at`, and has grown by the rate since; 0 at 0 is a full one.
CREATE TABLE rates (
    name  TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    level BIGINT  NOT NULL CONSTRAINT never_overdrawn CHECK (level >= 0), -- millionths of a use
    at    BIGINT  NOT NULL CHECK (at >= 0)
);
