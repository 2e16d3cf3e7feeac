package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// enrolled enrols a terminal of merchant1, a second after the one before.
func enrolled(t *testing.T, s *DB, n int) central.Terminal {
	t.Helper()
	at := t0.Add(time.Duration(n) * time.Second)
	hash := sha256.Sum256(fmt.Appendf(nil, "code %d", n))
	wantErr(t, "add a code", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, at, at.Add(central.CodeLife)), nil)
	terminal, err := s.EnrolTerminal(background, hash, newTerminal(n))
	wantErr(t, "enrol", err, nil)
	return terminal
}

func newTerminal(n int) central.Terminal {
	return central.Terminal{
		ID: central.TerminalID(newID()), Name: fmt.Sprintf("Counter %d", n),
		PublicKey: bytes.Repeat([]byte{byte(n)}, 32), CreatedAt: t0.Add(time.Duration(n) * time.Second),
	}
}

func suiteDirectory(t *testing.T, s *DB) {
	seed := testSeed()
	for _, want := range seed.Merchants {
		want.CreatedAt = truncateToMillis(want.CreatedAt)
		got, err := s.Merchant(background, want.ID)
		wantErr(t, "merchant", err, nil)
		wantSame(t, "merchant", got, want)
	}
	for _, want := range seed.Vendors {
		got, err := s.Vendor(background, want.ID)
		wantErr(t, "vendor", err, nil)
		wantSame(t, "vendor", got, want)
	}
	for _, want := range seed.Clients {
		got, err := s.Client(background, want.ID)
		wantErr(t, "client", err, nil)
		wantSame(t, "client", got, want)
	}
	_, err := s.Merchant(background, "nobody")
	wantErr(t, "no merchant", err, central.ErrNotFound)
	_, err = s.Vendor(background, "nobody")
	wantErr(t, "no vendor", err, central.ErrNotFound)
	_, err = s.Client(background, "nobody")
	wantErr(t, "no client", err, central.ErrNotFound)
}

func suiteEnrol(t *testing.T, s *DB) {
	first := enrolled(t, s, 1)
	want := newTerminal(1)
	want.ID, want.Merchant, want.TID, want.CreatedAt = first.ID, merchant1, "GAL00101", truncateToMillis(want.CreatedAt)
	wantSame(t, "first", first, want)
	got, err := s.Terminal(background, first.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read", got, want)

	// GAL00102 is a merchant's.
	second := enrolled(t, s, 2)
	if second.TID != "GAL00103" {
		t.Fatalf("second terminal has %s, want GAL00103", second.TID)
	}

	list, err := s.TerminalsOf(background, merchant1)
	wantErr(t, "list", err, nil)
	wantSame(t, "list", list, []central.Terminal{first, second})
	list, err = s.TerminalsOf(background, merchant2)
	if err != nil || len(list) != 0 {
		t.Fatalf("another merchant has %d terminals: %v", len(list), err)
	}
	_, err = s.Terminal(background, "nothing")
	wantErr(t, "no terminal", err, central.ErrNotFound)
}

func suiteCodes(t *testing.T, s *DB) {
	hash := sha256.Sum256([]byte("code"))
	end := t0.Add(central.CodeLife)
	wantErr(t, "a code of nobody", s.AddEnrolmentCode(background, hash, "nobody", central.Credential{}, t0, end), central.ErrNotFound)
	wantErr(t, "a code of one that is not approved", s.AddEnrolmentCode(background, hash, merchant2, central.Credential{}, t0, end), central.ErrState)
	wantErr(t, "add", s.AddEnrolmentCode(background, hash, merchant4, central.Credential{}, t0, end), nil)
	wantErr(t, "add twice", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, t0, end), central.ErrTaken)

	_, err := s.EnrolTerminal(background, sha256.Sum256([]byte("another")), newTerminal(1))
	wantErr(t, "an unknown code", err, central.ErrNotFound)
	late := newTerminal(1)
	late.CreatedAt = end
	_, err = s.EnrolTerminal(background, hash, late)
	wantErr(t, "an expired code", err, central.ErrNotFound)
	wrong := newTerminal(1)
	wrong.PublicKey = wrong.PublicKey[:31]
	if _, err = s.EnrolTerminal(background, hash, wrong); err == nil || errors.Is(err, central.ErrNotFound) {
		t.Fatalf("a short key: %v", err)
	}

	// Failures did not use the code up, and no number was spent on them.
	just := newTerminal(2)
	just.CreatedAt = end.Add(-time.Millisecond)
	terminal, err := s.EnrolTerminal(background, hash, just)
	wantErr(t, "enrol", err, nil)
	if terminal.Merchant != merchant4 || terminal.TID != "GAL00101" {
		t.Fatalf("enrolled %+v", terminal)
	}
	_, err = s.EnrolTerminal(background, hash, newTerminal(3))
	wantErr(t, "a used code", err, central.ErrNotFound)

	// Adding removes what expired unused; what was used stays used.
	for n := range 3 {
		old := sha256.Sum256(fmt.Appendf(nil, "old %d", n))
		wantErr(t, "add", s.AddEnrolmentCode(background, old, merchant1, central.Credential{}, t0, end), nil)
	}
	wantErr(t, "add", s.AddEnrolmentCode(background, sha256.Sum256([]byte("new")), merchant1, central.Credential{}, end, end.Add(time.Minute)), nil)
	wantErr(t, "a forgotten code", s.AddEnrolmentCode(background, sha256.Sum256([]byte("old 0")), merchant1, central.Credential{}, end, end.Add(time.Minute)), nil)
	wantErr(t, "a used code", s.AddEnrolmentCode(background, hash, merchant1, central.Credential{}, end, end.Add(time.Minute)), central.ErrTaken)
}

func suiteTerminals(t *testing.T, s *DB) {
	terminal := enrolled(t, s, 1)
	want := terminal
	wantErr(t, "revoke", s.RevokeTerminal(background, terminal.ID, t0.Add(time.Minute)), nil)
	wantErr(t, "revoke again", s.RevokeTerminal(background, terminal.ID, t0.Add(time.Hour)), nil)
	want.RevokedAt = truncateToMillis(t0.Add(time.Minute))
	got, err := s.Terminal(background, terminal.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "revoked", got, want)
	list, err := s.TerminalsOf(background, merchant1)
	wantErr(t, "list", err, nil)
	wantSame(t, "list", list, []central.Terminal{want})
	wantErr(t, "revoke nothing", s.RevokeTerminal(background, "nothing", t0), central.ErrNotFound)
}

func suiteTokens(t *testing.T, s *DB) {
	now := time.Now()
	wantErr(t, "spend", spendToken(s, "a", now.Add(time.Minute)), nil)
	wantErr(t, "spend again", spendToken(s, "a", now.Add(time.Minute)), central.ErrTaken)
	// One that ended a while ago is still remembered, one that ended long ago
	// is not.
	wantErr(t, "spend", spendToken(s, "b", now.Add(-30*time.Minute)), nil)
	wantErr(t, "spend", spendToken(s, "c", now.Add(-2*time.Hour)), nil)
	wantErr(t, "spend", spendToken(s, "d", now.Add(time.Minute)), nil)
	wantErr(t, "spend again", spendToken(s, "b", now.Add(time.Minute)), central.ErrTaken)
	wantErr(t, "spend again", spendToken(s, "a", now.Add(time.Minute)), central.ErrTaken)
	wantErr(t, "spend what was forgotten", spendToken(s, "c", now.Add(time.Minute)), nil)
	if err := spendToken(s, "", now); err == nil {
		t.Error("a token without an id was spent")
	}
}

func suiteSessions(t *testing.T, s *DB) {
	_, err := s.Session(background, "GAL00001")
	wantErr(t, "no session", err, central.ErrNotFound)
	open := func(at time.Time) central.AgentSession {
		return central.AgentSession{TID: "GAL00001", OpenedAt: truncateToMillis(at), ExpiresAt: truncateToMillis(at.Add(central.SessionLife))}
	}
	today := open(t0)
	wantErr(t, "open", s.OpenSession(background, central.AgentSession{TID: "GAL00001", OpenedAt: t0, ExpiresAt: t0.Add(central.SessionLife)}), nil)
	look := func(want central.AgentSession) {
		t.Helper()
		got, err := s.Session(background, "GAL00001")
		wantErr(t, "session", err, nil)
		wantSame(t, "session", got, want)
	}
	look(today)
	wantErr(t, "open an earlier one", s.OpenSession(background, open(t0.Add(-time.Hour))), nil)
	look(today)
	wantErr(t, "open the same", s.OpenSession(background, today), nil)
	look(today)
	tomorrow := open(t0.Add(25 * time.Hour))
	wantErr(t, "open the next", s.OpenSession(background, tomorrow), nil)
	look(tomorrow)
	_, err = s.Session(background, "GAL00002")
	wantErr(t, "another's session", err, central.ErrNotFound)

	// The session of a successful reqAuth opens with its settlement, or not at
	// all.
	later := open(t0.Add(50 * time.Hour))
	o := inState(t, s, op.Sent, func(o *central.Operation) { o.Kind, o.Amount = central.KindAgentAuth, 0 })
	x := finalOutcome(o.ID, op.Succeeded)
	x.Session = &later
	if _, err := finish(s, x); err != nil {
		t.Fatal(err)
	}
	look(later)
	x.Session = &central.AgentSession{TID: "GAL00001", OpenedAt: t0.Add(90 * time.Hour), ExpiresAt: t0.Add(99 * time.Hour)}
	_, err = finish(s, x)
	wantErr(t, "finish twice", err, central.ErrState)
	look(later)
}

// suiteTerminalKeys pages through the keys of those that are not revoked.
func suiteTerminalKeys(t *testing.T, s *DB) {
	var want []accounts.TerminalKey
	before, err := s.TerminalKeys(background, "", 100)
	wantErr(t, "keys before", err, nil)
	for n := 1; n <= 5; n++ {
		x := enrolled(t, s, n)
		if n == 3 {
			wantErr(t, "revoke", s.RevokeTerminal(background, x.ID, t0), nil)
			continue
		}
		want = append(want, accounts.TerminalKey{ID: x.ID, PublicKey: x.PublicKey})
	}
	var got []accounts.TerminalKey
	for after := central.TerminalID(""); ; {
		page, err := s.TerminalKeys(background, after, 2)
		wantErr(t, "keys", err, nil)
		if len(page) == 0 {
			break
		}
		got, after = append(got, page...), page[len(page)-1].ID
	}
	want = append(want, before...)
	for _, list := range [][]accounts.TerminalKey{want, got} {
		slices.SortFunc(list, func(a, b accounts.TerminalKey) int { return strings.Compare(string(a.ID), string(b.ID)) })
	}
	wantSame(t, "keys", got, want)
}
