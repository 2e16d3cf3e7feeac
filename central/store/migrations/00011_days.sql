-- The figures of a day that is over, for the console (package accounts). They are derived from
-- operations, and can be made again from them.
CREATE TABLE day_figures (
    day     TEXT NOT NULL PRIMARY KEY CHECK (day LIKE '____-__-__'), -- Indian
    figures BLOB NOT NULL -- JSON
) STRICT;
