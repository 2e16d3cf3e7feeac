package store

import (
	"fmt"
	"testing"
	"time"

	"galla/central/webhook"
)

// BenchmarkClaimCallbacks claims one callback while one merchant is owed ten
// thousand whose time has come.
func BenchmarkClaimCallbacks(b *testing.B) {
	for _, on := range []kind{onSQLite, onPostgres} {
		b.Run(string(on), func(b *testing.B) {
			s := on.open(b, testConfig())
			enqueueMany(b, on, s, 10_000)
			b.Run("taken", func(b *testing.B) {
				for b.Loop() {
					if _, err := s.ClaimCallbacks(background, webhook.ClaimLimits{Now: t0, Until: t0, Limit: 1, PerReceiver: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("idle", func(b *testing.B) { // its share is taken
				busy := webhook.ClaimLimits{Now: t0, Until: t0.Add(time.Minute), Limit: 64, PerReceiver: 4, InFlight: map[webhook.Receiver]int{webhook.OfMerchant(merchant1): 4}}
				for b.Loop() {
					if list, err := s.ClaimCallbacks(background, busy); err != nil || len(list) != 0 {
						b.Fatal(len(list), err)
					}
				}
			})
		})
	}
}

// enqueueMany adds callbacks that are due.
func enqueueMany(b *testing.B, on kind, s *DB, n int) {
	b.Helper()
	for _, statement := range []string{ // a change has its time
		fmt.Sprintf(`WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
			INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin, reference, stan, state, node, created_at)
			SELECT 'owed-' || n, 'c', 'owed-' || n, 'r', zeroblob(32), '%s', '', 'k', 1, '', '', 'owed-' || n, '', 'received', 'n', 3000 FROM i`, n, merchant1),
		`UPDATE operations SET state = 'sent', sent_at = 1, bank_not_after = 2`,
		`UPDATE operations SET state = 'pending', pending_reference = 'NR-' || id, next_enquiry = 3`,
		`UPDATE operations SET state = 'failed', next_enquiry = NULL, finished_at = 4, reply = x'00', http = 200`,
		`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at) SELECT id, merchant, 'operation.finished', 'waiting', 4, 4, 4 FROM operations`,
	} {
		if err := s.write(background, func(c conn) error { _, err := c.exec(on.sql(statement)); return err }); err != nil {
			b.Fatal(err)
		}
	}
}
