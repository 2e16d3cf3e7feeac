package staff_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/password"
	"galla/shared/secret"
)

func TestSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		factor := h.person("asha", staff.Admin)
		in := h.signsIn(" ASHA ", factor)
		if in.Role != staff.Admin || in.Name != "Asha Kulkarni" || in.Token.IsZero() {
			t.Errorf("signed in as %+v", in)
		}
		again, err := h.service.Session(t.Context(), in.Token, true)
		if err != nil || again.Member.Login != "asha" || again.Role != staff.Admin {
			t.Errorf("the session is %+v, %v", again, err)
		}
		for _, wrong := range []secret.Token{{}, secret.NewToken("x"), secret.NewToken(in.Token.Reveal() + "x")} {
			if _, err := h.service.Session(t.Context(), wrong, true); !errors.Is(err, staff.ErrNoSession) {
				t.Errorf("a token that is none: %v", err)
			}
		}
		if err := h.service.SignOut(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.Session(t.Context(), in.Token, true); !errors.Is(err, staff.ErrNoSession) {
			t.Errorf("after signing out: %v", err)
		}
		want := []string{"staff.add /asha done", "staff.enrol asha/asha done", "session.open asha/asha done", "session.close asha/asha done"}
		if got := h.did(); !slices.Equal(got, want) {
			t.Errorf("the audit log has %q, want %q", got, want)
		}
	})
}

// TestSessionsEnd: sessions end after idle minutes, after a working day, and at once
// when the account changes.
func TestSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *fixture, in staff.SignedIn, f staff.Factor)
		over bool
	}{
		"a touch within idle": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			wait(h.t.Context(), staff.SessionIdle-time.Second)
		}, false},
		"idle": {func(h *fixture, in staff.SignedIn, _ staff.Factor) { wait(h.t.Context(), staff.SessionIdle) }, true},
		"a working day": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			for range int(staff.SessionLifetime / (10 * time.Minute)) {
				wait(h.t.Context(), 10*time.Minute)
				_, _ = h.service.Session(h.t.Context(), in.Token, true)
			}
		}, true},
		"touches through most of it": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			for range int(staff.SessionLifetime/(10*time.Minute)) - 1 {
				wait(h.t.Context(), 10*time.Minute)
				_, _ = h.service.Session(h.t.Context(), in.Token, true)
			}
		}, false},
		"looks that are no touch": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			for range 3 {
				wait(h.t.Context(), 5*time.Minute)
				_, _ = h.service.Session(h.t.Context(), in.Token, false)
			}
		}, true},
		"another role": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			_ = h.service.SetRole(h.t.Context(), "asha", staff.Viewer, admin)
		}, true},
		"disabled": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			_ = h.service.Disable(h.t.Context(), "asha", admin)
		}, true},
		"reset": {func(h *fixture, in staff.SignedIn, _ staff.Factor) {
			_, _ = h.service.Reset(h.t.Context(), "asha", admin)
		}, true},
		"another password": {func(h *fixture, in staff.SignedIn, f staff.Factor) {
			next, err := h.service.ChangePassword(h.t.Context(), in, secret.NewToken(rightPassword), secret.NewToken("another green tea"), h.next(f))
			if err != nil {
				h.t.Error(err)
			}
			if _, err := h.service.Session(h.t.Context(), next.Token, true); err != nil {
				h.t.Errorf("the session after a changed password: %v", err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newFixture(t)
				h.person("boss", staff.Admin)
				f := h.person("asha", staff.Operator)
				in := h.signsIn("asha", f)
				c.end(h, in, f)
				_, err := h.service.Session(t.Context(), in.Token, true)
				if over := errors.Is(err, staff.ErrNoSession); over != c.over {
					t.Errorf("the session is over: %v (%v)", over, err)
				}
			})
		})
	}
}

// TestACodeOpensOnce: a code signs in once, on any node, and the use of a newer code
// ends the older ones.
func TestACodeOpensOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := filepath.Join(t.TempDir(), "central.db")
		h, other := openFixture(t, place, masterKey(1)), openFixture(t, place, masterKey(1))
		f := h.person("asha", staff.Admin)
		try := func(on *fixture, at time.Time) error {
			code, err := f.CodeAt(at)
			if err != nil {
				t.Fatal(err)
			}
			_, err = on.service.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), code, address)
			return err
		}
		if err := try(h, time.Now()); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("the code that ended the set-up: %v", err)
		}
		wait(t.Context(), 2*time.Minute)
		now := time.Now()
		if err := try(h, now.Add(-60*time.Second)); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("a code of two half minutes ago: %v", err)
		}
		if err := try(h, now.Add(-30*time.Second)); err != nil {
			t.Errorf("a clock that is half a minute late: %v", err)
		}
		if err := try(h, now.Add(30*time.Second)); err != nil {
			t.Errorf("a clock that is half a minute early: %v", err)
		}
		if err := try(other, now); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("an older code after a newer one, on another node: %v", err)
		}
		if err := try(other, now.Add(30*time.Second)); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("the same code again, on another node: %v", err)
		}
	})
}

// TestTheSameCodeAtOnce: of many that use one code at one time, on two nodes, one
// succeeds.
func TestTheSameCodeAtOnce(t *testing.T) {
	place := filepath.Join(t.TempDir(), "central.db")
	nodes := []*fixture{openFixture(t, place, masterKey(1)), openFixture(t, place, masterKey(1))}
	setup, err := nodes[0].service.Add(t.Context(), "asha", "Asha", staff.Admin, admin)
	if err != nil {
		t.Fatal(err)
	}
	factor, err := nodes[0].service.CheckSetup(t.Context(), "asha", setup.Code, address)
	if err != nil {
		t.Fatal(err)
	}
	code := nodes[0].code(factor)
	var opened sync.Map
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			_, err := nodes[i%2].service.Enrol(context.Background(), "asha", setup.Code, secret.NewToken(rightPassword), code, address)
			if err == nil {
				opened.Store(i, true)
			} else if !errors.Is(err, staff.ErrSetup) {
				t.Errorf("one too many: %v", err)
			}
		})
	}
	all.Wait()
	n := 0
	opened.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d of 4 ended one set-up", n)
	}
}

// TestLockOut: after five wrong attempts for a login, known or not, on all nodes
// together, it is refused, longer each time, with the right credentials as well.
func TestLockOut(t *testing.T) {
	for _, name := range []string{"asha", "nobody"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place := filepath.Join(t.TempDir(), "central.db")
				nodes := []*fixture{openFixture(t, place, masterKey(1)), openFixture(t, place, masterKey(1))}
				f := nodes[0].person("asha", staff.Admin)
				n := 0
				try := func(typed string, code secret.OTP) error {
					n++
					_, err := nodes[n%2].service.SignIn(t.Context(), name, secret.NewToken(typed), code, address)
					return err
				}
				for i := range password.FreeAttempts {
					if err := try("wrong", secret.OTP{}); !errors.Is(err, staff.ErrWrong) {
						t.Fatalf("attempt %d: %v", i+1, err)
					}
				}
				var waits *staff.WaitError
				if err := try(rightPassword, nodes[0].code(f)); !errors.As(err, &waits) || waits.Wait != password.FirstWait {
					t.Fatalf("after %d wrong ones: %v", password.FreeAttempts, err)
				}
				wait(t.Context(), password.FirstWait-time.Second)
				if err := try(rightPassword, nodes[0].code(f)); !errors.As(err, &waits) || waits.Wait != time.Second {
					t.Fatalf("a second before the wait is over: %v", err)
				}
				wait(t.Context(), time.Second)
				if err := try("wrong", secret.OTP{}); !errors.Is(err, staff.ErrWrong) {
					t.Fatalf("after the wait: %v", err)
				}
				if err := try("wrong", secret.OTP{}); !errors.As(err, &waits) || waits.Wait != 2*password.FirstWait {
					t.Fatalf("the next wait: %v", err)
				}
				wait(t.Context(), 2*password.FirstWait)
				err := try(rightPassword, nodes[0].code(f))
				if known := name == "asha"; known != (err == nil) {
					t.Errorf("the right password and code, after the wait: %v", err)
				}
			})
		})
	}
}

// TestManyAtOnce: attempts are counted before they are judged, so that many at one
// time are no more than one after the other.
func TestManyAtOnce(t *testing.T) {
	h := newFixture(t)
	h.person("asha", staff.Admin)
	var judged, waited int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 15 {
		all.Go(func() {
			_, err := h.service.SignIn(context.Background(), "asha", secret.NewToken("wrong"), secret.OTP{}, address)
			mu.Lock()
			defer mu.Unlock()
			var waits *staff.WaitError
			switch {
			case errors.As(err, &waits):
				waited++
			case errors.Is(err, staff.ErrWrong):
				judged++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if judged != password.FreeAttempts || waited != 15-password.FreeAttempts {
		t.Errorf("%d of 15 attempts at one time were judged, %d waited", judged, waited)
	}
}

// TestRates: one address can't try one login after the other.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		f := h.person("asha", staff.Admin)
		var waits *staff.WaitError
		n := 0
		for ; n < 100; n++ {
			_, err := h.service.SignIn(t.Context(), "name"+strings.Repeat("x", n%30), secret.NewToken("wrong"), secret.OTP{}, "192.0.2.1")
			if errors.As(err, &waits) {
				break
			}
		}
		if n < 10 || n > 30 {
			t.Errorf("one address tried %d names", n)
		}
		if _, err := h.service.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), h.next(f), "192.0.2.2"); err != nil {
			t.Errorf("another address: %v", err)
		}
	})
}

func TestSetUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		ctx := t.Context()
		setup, err := h.service.Add(ctx, "Asha", "  Asha   Kulkarni ", staff.Admin, admin)
		if err != nil || setup.Login != "asha" {
			t.Fatalf("%+v, %v", setup, err)
		}
		if _, err := h.service.Add(ctx, "asha", "Other", staff.Viewer, admin); !errors.Is(err, central.ErrTaken) {
			t.Errorf("the same login again: %v", err)
		}
		if _, err := h.service.SignIn(ctx, "asha", secret.NewToken(""), secret.OTP{}, address); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("a sign-in before the set-up: %v", err)
		}
		for name, bad := range map[string]struct{ login, code string }{
			"another code": {"asha", "aaaa-bbbb-cccc-dddd-eeee"}, "another login": {"ravi", setup.Code.Reveal()}, "no login": {"1", setup.Code.Reveal()}, "nothing": {"", ""},
		} {
			if _, err := h.service.CheckSetup(ctx, bad.login, secret.NewToken(bad.code), address); !errors.Is(err, staff.ErrSetup) {
				t.Errorf("%s: %v", name, err)
			}
		}
		factor, err := h.service.CheckSetup(ctx, "ASHA", secret.NewToken(" "+strings.ToUpper(setup.Code.Reveal())+" "), address)
		if err != nil {
			t.Fatal(err)
		}
		enrol := func(chosen string, code secret.OTP) error {
			_, err := h.service.Enrol(ctx, "asha", setup.Code, secret.NewToken(chosen), code, address)
			return err
		}
		for _, weak := range []string{"", "short", "aaaaaaaaaaaaaaaa", "asha123456789", strings.Repeat("long enough ", 30)} {
			if err := enrol(weak, h.code(factor)); !errors.Is(err, staff.ErrPassword) {
				t.Errorf("the password %q: %v", weak, err)
			}
			wait(ctx, 10*time.Second) // the address's rate
		}
		if err := enrol(rightPassword, secret.NewOTP("000000")); !errors.Is(err, staff.ErrCode) {
			t.Errorf("a wrong code: %v", err)
		}
		if err := enrol(rightPassword, h.code(factor)); err != nil {
			t.Fatal(err)
		}
		if err := enrol(rightPassword, h.next(factor)); !errors.Is(err, staff.ErrSetup) {
			t.Errorf("the set-up code again: %v", err)
		}
		h.signsIn("asha", factor)

		fresh, err := h.service.Reset(ctx, "asha", admin)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.SignIn(ctx, "asha", secret.NewToken(rightPassword), h.next(factor), address); !errors.Is(err, staff.ErrWrong) {
			t.Errorf("the old password after a reset: %v", err)
		}
		wait(ctx, staff.SetupLife)
		if _, err := h.service.CheckSetup(ctx, "asha", fresh.Code, address); !errors.Is(err, staff.ErrSetup) {
			t.Errorf("a set-up code of yesterday: %v", err)
		}
	})
}

func TestManaging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		ctx := t.Context()
		h.person("asha", staff.Admin)
		for name, bad := range map[string]struct {
			login, name string
			role        staff.Role
			want        error
		}{
			"a rule":      {"rule", "Rule", staff.Viewer, staff.ErrLogin},
			"no login":    {"", "Name", staff.Viewer, staff.ErrLogin},
			"a number":    {"ravi", "9999 4105 7058", staff.Viewer, staff.ErrName},
			"no name":     {"ravi", " ", staff.Viewer, staff.ErrName},
			"a long name": {"ravi", strings.Repeat("x", 61), staff.Viewer, staff.ErrName},
			"no role":     {"ravi", "Ravi", "owner", staff.ErrRole},
		} {
			if _, err := h.service.Add(ctx, bad.login, bad.name, bad.role, admin); !errors.Is(err, bad.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, err := range map[string]error{
			"another role for the last admin": h.service.SetRole(ctx, "asha", staff.Operator, admin),
			"the last admin disabled":         h.service.Disable(ctx, "asha", admin),
		} {
			if !errors.Is(err, staff.ErrLastAdmin) {
				t.Errorf("%s: %v", name, err)
			}
		}
		f := h.person("ravi", staff.Operator)
		if err := h.service.SetRole(ctx, "ravi", staff.Admin, admin); err != nil {
			t.Fatal(err)
		}
		if err := h.service.Disable(ctx, "asha", staff.Actor{Login: "ravi", Role: staff.Admin, From: address}); err != nil {
			t.Fatal(err)
		}
		if err := h.service.Disable(ctx, "asha", admin); !errors.Is(err, central.ErrState) {
			t.Errorf("disabled again: %v", err)
		}
		for _, err := range []error{h.service.Disable(ctx, "nobody", admin), h.service.SetRole(ctx, "nobody", staff.Viewer, admin)} {
			if !errors.Is(err, central.ErrNotFound) {
				t.Errorf("somebody who is not there: %v", err)
			}
		}
		list, err := h.service.Members(ctx)
		if err != nil || len(list) != 2 || list[0].Login != "asha" || list[0].DisabledAt.IsZero() || list[1].Role != staff.Admin || !list[1].Ready {
			t.Errorf("%+v, %v", list, err)
		}
		h.signsIn("ravi", f)
		again, err := h.service.Reset(ctx, "asha", admin)
		if err != nil {
			t.Fatal(err)
		}
		h.enrols(again)
	})
}

func TestRoles(t *testing.T) {
	for _, role := range append(staff.Roles(), "", "owner") {
		for i, need := range staff.Roles() {
			want := slices.Index(staff.Roles(), role) >= i
			if role.May(need) != want {
				t.Errorf("%q may what needs %q: %v", role, need, !want)
			}
		}
		if role.May("") || role.May("root") {
			t.Errorf("%q may what nobody may", role)
		}
	}
}

// TestRunAudited: a change is in the audit log before and after; where it can't be
// written, nothing is done.
func TestRunAudited(t *testing.T) {
	h := newFixture(t)
	change := staff.Change{What: "case.confirm", Subject: "2026-11-21.1.3", Was: "proposed", Became: "decided"}
	asha := staff.Actor{Login: "asha", Role: staff.Operator, From: address}
	if err := h.service.RunAudited(t.Context(), asha, change, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	no := errors.New("another person must")
	if err := h.service.RunAudited(t.Context(), asha, change, func(context.Context) error { return no }); !errors.Is(err, no) {
		t.Errorf("a step that was refused: %v", err)
	}
	want := []string{"started", "done", "started", "refused"}
	for i, line := range h.did() {
		if want := "case.confirm asha/2026-11-21.1.3 " + want[i]; line != want {
			t.Errorf("the audit log's line %d is %q, want %q", i, line, want)
		}
	}
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	done := false
	if err := h.service.RunAudited(t.Context(), asha, change, func(context.Context) error { done = true; return nil }); err == nil || done {
		t.Errorf("without an audit log it was done (%v): %v", done, err)
	}
}

// TestVault: documents and second factors are sealed, and sealed again under the first
// master key.
func TestVault(t *testing.T) {
	place := filepath.Join(t.TempDir(), "central.db")
	h := openFixture(t, place, masterKey(1))
	h.person("asha", staff.Admin)
	d, err := h.vault.StoreDocument(t.Context(), "../../letter.pdf", []byte("we booked it twice"), "asha")
	if err != nil || d.Name != "letter.pdf" {
		t.Fatalf("%+v, %v", d, err)
	}
	p, err := h.db.Document(t.Context(), d.SHA256)
	if err != nil || strings.Contains(string(p.Sealed), "booked") {
		t.Errorf("the document lies in the clear, or not at all: %v", err)
	}
	for _, size := range []int{0, staff.MaxDocument + 1} {
		if _, err := h.vault.StoreDocument(t.Context(), "x", make([]byte, size), "asha"); err == nil {
			t.Errorf("a document of %d bytes was kept", size)
		}
	}
	both := openFixture(t, place, masterKey(2), masterKey(1))
	if n, err := both.vault.Rewrap(t.Context()); err != nil || n != 2 {
		t.Errorf("sealed anew: %d, %v; want the factor and the document", n, err)
	}
	fresh := openFixture(t, place, masterKey(2))
	if got, err := fresh.vault.ReadDocument(t.Context(), d.SHA256); err != nil || string(got.Content) != "we booked it twice" {
		t.Errorf("under the new master key: %q, %v", got.Content, err)
	}
	if _, err := h.vault.ReadDocument(t.Context(), d.SHA256); err == nil {
		t.Error("the old master key opens it still")
	}
	if _, err := fresh.vault.ReadDocument(t.Context(), strings.Repeat("0", 64)); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("a document that is not there: %v", err)
	}
}

// TestHashIsStrengthened: a password that was hashed under a lower cost is hashed anew when its
// member signs in, and opens as before; a wrong one changes nothing.
