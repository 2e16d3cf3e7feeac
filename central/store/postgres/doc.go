// Package postgres keeps a pool of connections to one PostgreSQL database
// (pgx/v5's own). It knows no table: package store brings the schema and the
// statements.
//
// It promises that a Write that returned nil is committed, and that one that
// returned an error is not, but for ErrUnknown.
package postgres
