package operator_test

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

	"galla/central/operator"
	"galla/central/store"
	"galla/shared/password"
	"galla/shared/secret"
)

// cheap keeps tests quick; package password pays the full cost once.
var cheap = password.Cost{Memory: 8, Passes: 1, Lanes: 1}

const rightPassword = "green tea at four"

var (
	boss = operator.Actor{From: "root@test"}
	here = "127.0.0.1"
)

func masterKey(n byte) secret.Key {
	sum := sha256.Sum256([]byte{n})
	return secret.NewKey(sum[:])
}

// house is a database with the desk over it, as one node has it.
type house struct {
	t    *testing.T
	db   *store.DB
	safe *operator.Safe
	desk *operator.Desk
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return openHouse(t, filepath.Join(t.TempDir(), "central.db"), masterKey(1))
}

func openHouse(t *testing.T, place string, masters ...secret.Key) *house {
	t.Helper()
	begin(t, place)
	log := slog.New(slog.DiscardHandler)
	db, err := store.OpenSQLite(t.Context(), place, store.Config{Node: "test", Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h := &house{t: t, db: db}
	if h.safe, err = operator.NewSafe(db, db, masters, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if h.desk, err = operator.New(db, h.safe, operator.Config{Rand: rand.Reader, Logger: log, Cost: cheap}); err != nil {
		t.Fatal(err)
	}
	return h
}

// person adds somebody who is ready to sign in.
func (h *house) person(login string, role operator.Role) operator.Factor {
	h.t.Helper()
	setup, err := h.desk.Add(h.t.Context(), login, "Asha Kulkarni", role, boss)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.enrols(setup)
}

// enrols ends a set-up.
func (h *house) enrols(setup operator.Setup) operator.Factor {
	h.t.Helper()
	factor, err := h.desk.Setup(h.t.Context(), setup.Login, setup.Code, here)
	if err != nil {
		h.t.Fatal(err)
	}
	in, err := h.desk.Enrol(h.t.Context(), setup.Login, setup.Code, secret.NewToken(rightPassword), h.code(factor), here)
	if err != nil || in.Person.Login != setup.Login {
		h.t.Fatalf("enrol: %+v, %v", in, err)
	}
	return factor
}

func (h *house) code(f operator.Factor) secret.OTP {
	h.t.Helper()
	code, err := f.CodeAt(time.Now())
	if err != nil {
		h.t.Fatal(err)
	}
	return code
}

// next waits for a code that was not used; under synctest.
func (h *house) next(f operator.Factor) secret.OTP {
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

// signsIn signs in with what is right.
func (h *house) signsIn(login string, f operator.Factor) operator.SignedIn {
	h.t.Helper()
	in, err := h.desk.SignIn(h.t.Context(), login, secret.NewToken(rightPassword), h.next(f), here)
	if err != nil {
		h.t.Fatalf("sign in: %v", err)
	}
	return in
}

// did lists what the trail has, the oldest first: action, person, subject,
// outcome.
func (h *house) did() (list []string) {
	h.t.Helper()
	entries, err := h.desk.Entries(h.t.Context(), operator.Query{Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		list = append([]string{fmt.Sprintf("%s %s/%s %s", e.Action, e.Person, e.Subject, e.Outcome)}, list...)
	}
	return list
}

// migrated is a database as a first start leaves it: each test begins with a copy,
// since migrations take most of a test's time.
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

// begin puts a migrated database at a place where there is none.
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
