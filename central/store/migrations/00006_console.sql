-- For the console: how many terminals a node has, and filters of the list of operations that members saved

CREATE TABLE staff_views (
    login    TEXT    NOT NULL REFERENCES staff (login),
    name     TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    query    TEXT    NOT NULL CHECK (length(query) <= 1000), -- as in the page's address
    saved_at INTEGER NOT NULL,
    PRIMARY KEY (login, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE uplink_nodes ADD COLUMN terminals INTEGER NOT NULL DEFAULT 0 CHECK (terminals >= 0); -- connected, at the last heartbeat
