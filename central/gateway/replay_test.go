package gateway

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/central/store/pgtest"
)

// TestReplaysOfEveryMessage: whatever became of a message, a node that has not seen it
// refuses it, and so does the one that has. The bank gets nothing of it.
func TestReplaysOfEveryMessage(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		h := startGateway(t, nil)
		replaysOfEveryMessage(t, h, h.db)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		db, err := store.OpenPostgres(t.Context(), pgtest.Database(t), store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		must(t, db.Seed(t.Context(), seed()))
		replaysOfEveryMessage(t, startGatewayOn(t, db, nil), db)
	})
}

func replaysOfEveryMessage(t *testing.T, h *system, db *store.DB) {
	sent := func(plain string) message { return h.seal(t, "POST", withdrawal, plain) }
	first := sent(money)
	repeat := sealed(t, h.vendor, apiKey1, "POST", withdrawal, first.id, money, time.Now())
	conflict := sealed(t, h.vendor, apiKey1, "POST", withdrawal, first.id, strings.Replace(money, "500", "600", 1), time.Now())
	messages := []struct {
		what   string
		m      message
		status int
	}{
		{"a withdrawal", first, 200},
		{"its repeat", repeat, 200},
		{"another body under its identity", conflict, 409},
		{"a body that is refused", sent(`{"merchantId":"` + m1 + `"}`), 400},
		{"another vendor's merchant", sent(strings.Replace(money, m1, m3, 1)), 404},
		{"an amount that is refused", sent(strings.Replace(money, "500", "5000000", 1)), 422},
		{"a payload that does not decrypt", h.resign(t, sent(money).with("X-Tag", sent(money).header("X-Tag"))), 401},
		{"a panic", sent(`{"panic":true}`), 500},
		{"a read", h.seal(t, "GET", "/process/aeps/banks", "{}"), 200},
		{"no route", h.seal(t, "GET", "/process/nothing", "{}"), 404},
		{"a route that is not the vendor's", h.seal(t, "POST", "/process/upi/txn/v1/GenerateQR", "{}"), 403},
	}
	for _, x := range messages {
		if a := h.do(t, x.m); a.status != x.status {
			t.Errorf("%s: HTTP %d %s, want %d", x.what, a.status, a.plain, x.status)
		}
	}
	done := h.bank.sent.Load()
	other := startGatewayOn(t, db, nil)
	for _, x := range messages {
		refusedPlain(t, x.what+" on another node", other.do(t, x.m))
		refusedPlain(t, x.what+" again", h.do(t, x.m))
	}
	if n := h.bank.sent.Load() + other.bank.sent.Load(); done != 1 || n != done {
		t.Errorf("the bank was sent %d withdrawals, then %d by replays", done, n-done)
	}
	if got := other.Counts().Refused[CauseReplay]; got != int64(len(messages)) {
		t.Errorf("%d replays are counted", got)
	}
	if a := other.do(t, sealed(t, h.vendor, apiKey1, "POST", withdrawal, first.id, money, time.Now())); a.status != 200 {
		t.Errorf("a retry in a new message: HTTP %d %s", a.status, a.plain)
	}
}

// TestExpiredMessagesAreForgotten: an idle node writes nothing, a busy one deletes all
// that has expired.
func TestExpiredMessagesAreForgotten(t *testing.T) {
	h := startGateway(t, nil)
	old := time.Now().Add(-time.Hour)
	const many = 1200
	for i := range many {
		must(t, h.db.SpendIV(t.Context(), keyID1, central.IV{1, byte(i), byte(i >> 8)}, old))
	}
	spent := func(i int) bool {
		found, err := h.db.IVSpent(t.Context(), keyID1, central.IV{1, byte(i), byte(i >> 8)})
		must(t, err)
		return found
	}
	h.forgetExpired(t.Context())
	if !spent(0) {
		t.Error("an idle node wrote")
	}
	m := h.seal(t, "GET", "/process/aeps/banks", "{}")
	sealedAs(t, "a message", h.do(t, m), 200, "00")
	h.forgetExpired(t.Context())
	if spent(0) || spent(many-1) {
		t.Error("what has expired is not deleted")
	}
	refusedPlain(t, "a replay", startGatewayOn(t, h.db, nil).do(t, m))
}
