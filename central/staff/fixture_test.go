package staff_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/central/staff"
	"galla/central/store"
	"galla/shared/password"
	"galla/shared/secret"
)

// cheap keeps tests quick; package password pays the full cost once.
var cheap = password.Cost{Memory: 8, Passes: 1, Lanes: 1}

const rightPassword = "green tea at four"

var (
	admin   = staff.Actor{From: "root@test"}
	address = "127.0.0.1"
)

func masterKey(n byte) secret.Key {
	sum := sha256.Sum256([]byte{n})
	return secret.NewKey(sum[:])
}

// fixture is a database with the service over it, as one node has it.
type fixture struct {
	t       *testing.T
	db      *store.DB
	vault   *staff.Vault
	service *staff.Service
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return openFixture(t, filepath.Join(t.TempDir(), "central.db"), masterKey(1))
}

func openFixture(t *testing.T, place string, masters ...secret.Key) *fixture {
	t.Helper()
	begin(t, place)
	log := slog.New(slog.DiscardHandler)
	db, err := store.OpenSQLite(t.Context(), place, store.Config{Node: "test", Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h := &fixture{t: t, db: db}
	if h.vault, err = staff.NewVault(db, db, masters, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if h.service, err = staff.New(db.ForStaff(), h.vault, staff.Config{Rand: rand.Reader, Logger: log, Cost: cheap}); err != nil {
		t.Fatal(err)
	}
	return h
}

// person adds a member who is ready to sign in.
func (h *fixture) person(login string, role staff.Role) staff.Factor {
	h.t.Helper()
	setup, err := h.service.Add(h.t.Context(), login, "Asha Kulkarni", role, admin)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.enrols(setup)
}

// enrols ends a set-up.
func (h *fixture) enrols(setup staff.Setup) staff.Factor {
	h.t.Helper()
	factor, err := h.service.CheckSetup(h.t.Context(), setup.Login, setup.Code, address)
	if err != nil {
		h.t.Fatal(err)
	}
	in, err := h.service.Enrol(h.t.Context(), setup.Login, setup.Code, secret.NewToken(rightPassword), h.code(factor), address)
	if err != nil || in.Member.Login != setup.Login {
		h.t.Fatalf("enrol: %+v, %v", in, err)
	}
	return factor
}

func (h *fixture) code(f staff.Factor) secret.OTP {
	h.t.Helper()
	code, err := f.CodeAt(time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

// next returns an unused code; it waits for it, under synctest.
func (h *fixture) next(f staff.Factor) secret.OTP {
	h.t.Helper()
	wait(h.t.Context(), 30*time.Second)
	return h.code(f)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// signsIn signs in with the right credentials.
func (h *fixture) signsIn(login string, f staff.Factor) staff.SignedIn {
	h.t.Helper()
	in, err := h.service.SignIn(h.t.Context(), login, secret.NewToken(rightPassword), h.next(f), address)
	if err != nil {
		h.t.Fatalf("sign in: %v", err)
	}
	return in
}

// did lists the audit log, oldest first: action, person, subject, outcome.
func (h *fixture) did() (list []string) {
	h.t.Helper()
	entries, err := h.service.Entries(h.t.Context(), staff.AuditQuery{Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		list = append([]string{fmt.Sprintf("%s %s/%s %s", e.Action, e.Person, e.Subject, e.Outcome)}, list...)
	}
	return list
}

// migrated is an empty database: each test copies it, since migrations take most of a
// test's time.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "galla-migrated")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	place := filepath.Join(folder, "central.db")
	db, err := store.OpenSQLite(context.Background(), place, store.Config{Node: "test", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(place)
})

// begin copies a migrated database to a place where there is none.
func begin(t testing.TB, place string) {
	t.Helper()
	if _, err := os.Stat(place); err == nil {
		return
	}
	content, err := migrated()
	if err == nil {
		err = os.WriteFile(place, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
