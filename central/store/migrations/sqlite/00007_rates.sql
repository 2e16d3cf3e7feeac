-- Callers of the direct routes are held to rates by name as vendors are: there
-- are many of them, and those that are full again are purged.

-- +goose Up

CREATE INDEX rates_by_moment ON rates (at);
