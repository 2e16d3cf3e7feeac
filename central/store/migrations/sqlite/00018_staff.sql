-- People of the console (package operator): what a second admin has still to approve,
-- who an account's access descends from, and until when a session's code counts for
-- privileged acts.

-- +goose Up

ALTER TABLE operators ADD COLUMN asked TEXT NOT NULL DEFAULT '' CHECK (asked IN ('', 'add', 'reset', 'role')); -- empty: nothing waits for approval
ALTER TABLE operators ADD COLUMN asked_by TEXT NOT NULL DEFAULT '' CHECK ((asked = '') = (asked_by = ''));

ALTER TABLE operator_sessions ADD COLUMN proven_at INTEGER; -- the last code that was typed for a privileged act; NULL: none

-- Everybody who added, reset or approved an account, and those before them, since the
-- last set-up at the machine. alone: that person could have brought it all about alone.
CREATE TABLE operator_descent (
    login    TEXT    NOT NULL REFERENCES operators (login),
    ancestor TEXT    NOT NULL CHECK (ancestor <> ''),
    alone    INTEGER NOT NULL CHECK (alone IN (0, 1)),
    PRIMARY KEY (login, ancestor),
    CHECK (login <> ancestor)
) STRICT, WITHOUT ROWID;

-- Until now nobody approved: whoever handed a code out could do it alone.
WITH RECURSIVE handed (login, ancestor) AS (
    SELECT t.subject, t.person FROM operator_trail t
    WHERE t.action IN ('operator.add', 'operator.reset') AND t.outcome = 'done' AND t.person <> ''
        AND EXISTS (SELECT 1 FROM operators o WHERE o.login = t.subject)
        AND NOT EXISTS (SELECT 1 FROM operator_trail m WHERE m.subject = t.subject AND m.action IN ('operator.add', 'operator.reset')
            AND m.outcome = 'done' AND m.person = '' AND (m.at > t.at OR m.at = t.at AND m.id > t.id))
), descends (login, ancestor) AS (
    SELECT login, ancestor FROM handed
    UNION
    SELECT d.login, h.ancestor FROM descends d JOIN handed h ON h.login = d.ancestor
)
INSERT INTO operator_descent (login, ancestor, alone)
SELECT login, ancestor, 1 FROM descends WHERE login <> ancestor;
