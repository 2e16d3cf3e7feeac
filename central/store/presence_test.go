package store

import (
	"fmt"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
)

// came records one hello.
func came(s *DB, id central.TerminalID, p accounts.Presence) error {
	return s.RecordPresence(background, []accounts.Connected{{Terminal: id, Presence: p}}, nil)
}

// left records the end of one connection.
func left(s *DB, id central.TerminalID, connected, at time.Time, fault string) error {
	return s.RecordPresence(background, nil, []accounts.Disconnected{{Terminal: id, ConnectedAt: connected, At: at, Fault: fault}})
}

// spendToken spends one token; central.ErrTaken if it was spent before.
func spendToken(s *DB, id string, expires time.Time) error {
	fresh, err := s.SpendTokens(background, []accounts.TokenUse{{ID: id, Expires: expires}})
	if err == nil && !fresh[0] {
		err = central.ErrTaken
	}
	return err
}

// TestManyTerminals checks the calls that are for many terminals at once.
func TestManyTerminals(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		at := truncateToMillis(t0.Add(time.Hour))
		var ids []central.TerminalID
		var hellos []accounts.Connected
		for n := range 5 {
			x := enrolled(t, s, n+1)
			ids = append(ids, x.ID)
			hellos = append(hellos, accounts.Connected{Terminal: x.ID, Presence: accounts.Presence{ConnectedAt: at, Version: fmt.Sprint("v1.", n), Unresolved: n, ClockAhead: time.Duration(-n) * time.Second}})
		}
		// The second terminal left, the third left by a fault, the fourth came again.
		ends := []accounts.Disconnected{
			{Terminal: ids[1], ConnectedAt: at, At: at.Add(time.Minute)},
			{Terminal: ids[2], ConnectedAt: at, At: at.Add(time.Minute), Fault: "it's \"broken\""},
			{Terminal: ids[3], ConnectedAt: at.Add(-time.Minute), At: at, Fault: "cut"},
			{Terminal: "nothing", ConnectedAt: at, At: at, Fault: "cut"},
		}
		wantErr(t, "record", s.RecordPresence(background, hellos, ends), nil)
		for n, id := range ids {
			got, err := s.TerminalWithPresence(background, id, at)
			wantErr(t, "read", err, nil)
			want := hellos[n].Presence
			want.Node = testNode
			switch n {
			case 1:
				want.LeftAt = at.Add(time.Minute)
			case 2:
				want.LeftAt, want.Fault, want.FaultAt = at.Add(time.Minute), ends[1].Fault, at.Add(time.Minute)
			case 3:
				want.Fault, want.FaultAt = "cut", at
			}
			wantSame(t, fmt.Sprint("terminal ", n), got.Presence, want)
		}
		wantErr(t, "record nothing", s.RecordPresence(background, nil, nil), nil)

		wantErr(t, "revoke", s.RevokeTerminal(background, ids[2], t0), nil)
		for range 3 {
			wantErr(t, "event", s.write(background, func(c conn) error { return addEvent(c, ids[1], "banks", "", at) }), nil)
		}
		wantErr(t, "acknowledge", s.AcknowledgeEvents(background, ids[1], 1), nil)
		checks, err := s.CheckTerminals(background, append(ids, "nothing"))
		wantErr(t, "check", err, nil)
		found := map[central.TerminalID]accounts.TerminalCheck{}
		for _, c := range checks {
			found[c.Terminal] = c
		}
		for n, id := range ids {
			terminal, err := s.Terminal(background, id)
			wantErr(t, "read", err, nil)
			want := accounts.TerminalCheck{Terminal: id, Merchant: terminal.Merchant, Revoked: n == 2}
			if n == 1 {
				want.OldestEvent, want.NewestEvent = 2, 3
			}
			wantSame(t, fmt.Sprint("check of terminal ", n), found[id], want)
		}
		if len(checks) != len(ids) {
			t.Errorf("%d checks of %d terminals", len(checks), len(ids))
		}

		later := time.Now().Add(time.Hour)
		fresh, err := s.SpendTokens(background, []accounts.TokenUse{{ID: "a", Expires: later}, {ID: "b", Expires: later}, {ID: "a", Expires: later}})
		wantErr(t, "spend", err, nil)
		wantSame(t, "fresh", fresh, []bool{true, true, false})
		fresh, err = s.SpendTokens(background, []accounts.TokenUse{{ID: "c", Expires: later}, {ID: "b", Expires: later}})
		wantErr(t, "spend", err, nil)
		wantSame(t, "fresh", fresh, []bool{true, false})
	})
}
