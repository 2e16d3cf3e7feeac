//go:build !race

package store

import "testing"

// TestPostgresAlone is the suite without the shared statements. Races show in the suite
// with them, so it is not built for the race detector, where it takes a minute.
func TestPostgresAlone(t *testing.T) {
	testStore(t, func(t *testing.T) *DB {
		s := onPostgres.open(t, testConfig())
		s.shared = nil
		return s
	})
}
