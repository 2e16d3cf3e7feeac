-- Filters of the console's list of operations that members saved

CREATE TABLE staff_views (
    login    TEXT    NOT NULL REFERENCES staff (login),
    name     TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    query    TEXT    NOT NULL CHECK (length(query) <= 1000), -- as in the page's address
    saved_at INTEGER NOT NULL,
    PRIMARY KEY (login, name)
) STRICT, WITHOUT ROWID;
