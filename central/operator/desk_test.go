package operator_test

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
	"galla/central/operator"
	"galla/shared/password"
	"galla/shared/secret"
)

func TestSignIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		factor := h.person("asha", operator.Admin)
		in := h.signsIn(" ASHA ", factor)
		if in.Role != operator.Admin || in.Name != "Asha Kulkarni" || in.Token.IsZero() {
			t.Errorf("signed in as %+v", in)
		}
		again, err := h.desk.Session(t.Context(), in.Token, true)
		if err != nil || again.Person.Login != "asha" || again.Role != operator.Admin {
			t.Errorf("the session is %+v, %v", again, err)
		}
		for _, wrong := range []secret.Token{{}, secret.NewToken("x"), secret.NewToken(in.Token.Reveal() + "x")} {
			if _, err := h.desk.Session(t.Context(), wrong, true); !errors.Is(err, operator.ErrNoSession) {
				t.Errorf("a token that is none: %v", err)
			}
		}
		if err := h.desk.SignOut(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if _, err := h.desk.Session(t.Context(), in.Token, true); !errors.Is(err, operator.ErrNoSession) {
			t.Errorf("after signing out: %v", err)
		}
		want := []string{"operator.add /asha done", "operator.enrol asha/asha done", "session.open asha/asha done", "session.close asha/asha done"}
		if got := h.did(); !slices.Equal(got, want) {
			t.Errorf("the trail has %q, want %q", got, want)
		}
	})
}

// TestSessionsEnd: after idle minutes, after a working day, and at once when the
// person is not who signed in any more.
func TestSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *house, in operator.SignedIn, f operator.Factor)
		over bool
	}{
		"a touch within idle": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			wait(h.t.Context(), operator.Idle-time.Second)
		}, false},
		"idle": {func(h *house, in operator.SignedIn, _ operator.Factor) { wait(h.t.Context(), operator.Idle) }, true},
		"a working day": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			for range int(operator.Longest / (10 * time.Minute)) {
				wait(h.t.Context(), 10*time.Minute)
				_, _ = h.desk.Session(h.t.Context(), in.Token, true)
			}
		}, true},
		"touches through most of it": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			for range int(operator.Longest/(10*time.Minute)) - 1 {
				wait(h.t.Context(), 10*time.Minute)
				_, _ = h.desk.Session(h.t.Context(), in.Token, true)
			}
		}, false},
		"looks that are no touch": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			for range 3 {
				wait(h.t.Context(), 5*time.Minute)
				_, _ = h.desk.Session(h.t.Context(), in.Token, false)
			}
		}, true},
		"another role": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			_ = h.desk.SetRole(h.t.Context(), "asha", operator.Viewer, boss)
		}, true},
		"put out": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			_ = h.desk.Disable(h.t.Context(), "asha", boss)
		}, true},
		"reset": {func(h *house, in operator.SignedIn, _ operator.Factor) {
			_, _ = h.desk.Reset(h.t.Context(), "asha", boss)
		}, true},
		"another password": {func(h *house, in operator.SignedIn, f operator.Factor) {
			next, err := h.desk.ChangePassword(h.t.Context(), in, secret.NewToken(rightPassword), secret.NewToken("another green tea"), h.next(f))
			if err != nil {
				h.t.Error(err)
			}
			if _, err := h.desk.Session(h.t.Context(), next.Token, true); err != nil {
				h.t.Errorf("who changed the password is signed in anew: %v", err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				h.person("boss", operator.Admin)
				f := h.person("asha", operator.Operator)
				in := h.signsIn("asha", f)
				c.end(h, in, f)
				_, err := h.desk.Session(t.Context(), in.Token, true)
				if over := errors.Is(err, operator.ErrNoSession); over != c.over {
					t.Errorf("the session is over: %v (%v)", over, err)
				}
			})
		})
	}
}

// TestACodeOpensOnce: on whatever node, and a newer one that was used makes the
// older ones worthless.
func TestACodeOpensOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := filepath.Join(t.TempDir(), "central.db")
		h, other := openHouse(t, place, masterKey(1)), openHouse(t, place, masterKey(1))
		f := h.person("asha", operator.Admin)
		try := func(on *house, at time.Time) error {
			code, err := f.CodeAt(at)
			if err != nil {
				t.Fatal(err)
			}
			_, err = on.desk.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), code, here)
			return err
		}
		if err := try(h, time.Now()); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("the code that ended the set-up: %v", err)
		}
		wait(t.Context(), 2*time.Minute)
		now := time.Now()
		if err := try(h, now.Add(-60*time.Second)); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("a code of two half minutes ago: %v", err)
		}
		if err := try(h, now.Add(-30*time.Second)); err != nil {
			t.Errorf("a clock that is half a minute late: %v", err)
		}
		if err := try(h, now.Add(30*time.Second)); err != nil {
			t.Errorf("a clock that is half a minute early: %v", err)
		}
		if err := try(other, now); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("an older code after a newer one, on another node: %v", err)
		}
		if err := try(other, now.Add(30*time.Second)); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("the same code again, on another node: %v", err)
		}
	})
}

// TestTheSameCodeAtOnce: of many that sign in with one code at one time, on two
// nodes, one does.
func TestTheSameCodeAtOnce(t *testing.T) {
	place := filepath.Join(t.TempDir(), "central.db")
	nodes := []*house{openHouse(t, place, masterKey(1)), openHouse(t, place, masterKey(1))}
	setup, err := nodes[0].desk.Add(t.Context(), "asha", "Asha", operator.Admin, boss)
	if err != nil {
		t.Fatal(err)
	}
	factor, err := nodes[0].desk.Setup(t.Context(), "asha", setup.Code, here)
	if err != nil {
		t.Fatal(err)
	}
	code := nodes[0].code(factor)
	var opened sync.Map
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			_, err := nodes[i%2].desk.Enrol(context.Background(), "asha", setup.Code, secret.NewToken(rightPassword), code, here)
			if err == nil {
				opened.Store(i, true)
			} else if !errors.Is(err, operator.ErrSetup) {
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

// TestLockOut: five wrong tries for a name, known or not, on all nodes together;
// then it waits, longer each time, and the right ones are not looked at either.
func TestLockOut(t *testing.T) {
	for _, name := range []string{"asha", "nobody"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place := filepath.Join(t.TempDir(), "central.db")
				nodes := []*house{openHouse(t, place, masterKey(1)), openHouse(t, place, masterKey(1))}
				f := nodes[0].person("asha", operator.Admin)
				n := 0
				try := func(typed string, code secret.OTP) error {
					n++
					_, err := nodes[n%2].desk.SignIn(t.Context(), name, secret.NewToken(typed), code, here)
					return err
				}
				for i := range password.Tries {
					if err := try("wrong", secret.OTP{}); !errors.Is(err, operator.ErrWrong) {
						t.Fatalf("try %d: %v", i+1, err)
					}
				}
				var waits *operator.WaitError
				if err := try(rightPassword, nodes[0].code(f)); !errors.As(err, &waits) || waits.Wait != password.FirstWait {
					t.Fatalf("after %d wrong ones: %v", password.Tries, err)
				}
				wait(t.Context(), password.FirstWait-time.Second)
				if err := try(rightPassword, nodes[0].code(f)); !errors.As(err, &waits) || waits.Wait != time.Second {
					t.Fatalf("a second before the wait is over: %v", err)
				}
				wait(t.Context(), time.Second)
				if err := try("wrong", secret.OTP{}); !errors.Is(err, operator.ErrWrong) {
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

// TestManyAtOnce: tries are counted before they are judged, so that many at one
// time are no more than one after the other.
func TestManyAtOnce(t *testing.T) {
	h := newHouse(t)
	h.person("asha", operator.Admin)
	var looked, waited int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 15 {
		all.Go(func() {
			_, err := h.desk.SignIn(context.Background(), "asha", secret.NewToken("wrong"), secret.OTP{}, here)
			mu.Lock()
			defer mu.Unlock()
			var waits *operator.WaitError
			switch {
			case errors.As(err, &waits):
				waited++
			case errors.Is(err, operator.ErrWrong):
				looked++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if looked != password.Tries || waited != 15-password.Tries {
		t.Errorf("%d of 15 tries at one time were looked at, %d waited", looked, waited)
	}
}

// TestRates: one address can't try name after name.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		f := h.person("asha", operator.Admin)
		var waits *operator.WaitError
		n := 0
		for ; n < 100; n++ {
			_, err := h.desk.SignIn(t.Context(), "name"+strings.Repeat("x", n%30), secret.NewToken("wrong"), secret.OTP{}, "192.0.2.1")
			if errors.As(err, &waits) {
				break
			}
		}
		if n < 10 || n > 30 {
			t.Errorf("one address tried %d names", n)
		}
		if _, err := h.desk.SignIn(t.Context(), "asha", secret.NewToken(rightPassword), h.next(f), "192.0.2.2"); err != nil {
			t.Errorf("another address: %v", err)
		}
	})
}

func TestSetUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ctx := t.Context()
		setup, err := h.desk.Add(ctx, "Asha", "  Asha   Kulkarni ", operator.Admin, boss)
		if err != nil || setup.Login != "asha" {
			t.Fatalf("%+v, %v", setup, err)
		}
		if _, err := h.desk.Add(ctx, "asha", "Other", operator.Viewer, boss); !errors.Is(err, central.ErrTaken) {
			t.Errorf("the same login again: %v", err)
		}
		if _, err := h.desk.SignIn(ctx, "asha", secret.NewToken(""), secret.OTP{}, here); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("a sign-in before the set-up: %v", err)
		}
		for name, bad := range map[string]struct{ login, code string }{
			"another code": {"asha", "aaaa-bbbb-cccc-dddd-eeee"}, "another login": {"ravi", setup.Code.Reveal()}, "no login": {"1", setup.Code.Reveal()}, "nothing": {"", ""},
		} {
			if _, err := h.desk.Setup(ctx, bad.login, secret.NewToken(bad.code), here); !errors.Is(err, operator.ErrSetup) {
				t.Errorf("%s: %v", name, err)
			}
		}
		factor, err := h.desk.Setup(ctx, "ASHA", secret.NewToken(" "+strings.ToUpper(setup.Code.Reveal())+" "), here)
		if err != nil {
			t.Fatal(err)
		}
		enrol := func(chosen string, code secret.OTP) error {
			_, err := h.desk.Enrol(ctx, "asha", setup.Code, secret.NewToken(chosen), code, here)
			return err
		}
		for _, weak := range []string{"", "short", "aaaaaaaaaaaaaaaa", "asha123456789", strings.Repeat("long enough ", 30)} {
			if err := enrol(weak, h.code(factor)); !errors.Is(err, operator.ErrPassword) {
				t.Errorf("the password %q: %v", weak, err)
			}
			wait(ctx, 10*time.Second) // the address's rate
		}
		if err := enrol(rightPassword, secret.NewOTP("000000")); !errors.Is(err, operator.ErrCode) {
			t.Errorf("a wrong code: %v", err)
		}
		if err := enrol(rightPassword, h.code(factor)); err != nil {
			t.Fatal(err)
		}
		if err := enrol(rightPassword, h.next(factor)); !errors.Is(err, operator.ErrSetup) {
			t.Errorf("the set-up code again: %v", err)
		}
		h.signsIn("asha", factor)

		fresh, err := h.desk.Reset(ctx, "asha", boss)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.desk.SignIn(ctx, "asha", secret.NewToken(rightPassword), h.next(factor), here); !errors.Is(err, operator.ErrWrong) {
			t.Errorf("the old password after a reset: %v", err)
		}
		wait(ctx, operator.SetupLife)
		if _, err := h.desk.Setup(ctx, "asha", fresh.Code, here); !errors.Is(err, operator.ErrSetup) {
			t.Errorf("a set-up code of yesterday: %v", err)
		}
	})
}

func TestManaging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ctx := t.Context()
		h.person("asha", operator.Admin)
		for name, bad := range map[string]struct {
			login, name string
			role        operator.Role
			want        error
		}{
			"a rule":      {"rule", "Rule", operator.Viewer, operator.ErrLogin},
			"no login":    {"", "Name", operator.Viewer, operator.ErrLogin},
			"a number":    {"ravi", "9999 4105 7058", operator.Viewer, operator.ErrName},
			"no name":     {"ravi", " ", operator.Viewer, operator.ErrName},
			"a long name": {"ravi", strings.Repeat("x", 61), operator.Viewer, operator.ErrName},
			"no role":     {"ravi", "Ravi", "owner", operator.ErrRole},
		} {
			if _, err := h.desk.Add(ctx, bad.login, bad.name, bad.role, boss); !errors.Is(err, bad.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, err := range map[string]error{
			"another role for the last admin": h.desk.SetRole(ctx, "asha", operator.Operator, boss),
			"the last admin put out":          h.desk.Disable(ctx, "asha", boss),
		} {
			if !errors.Is(err, operator.ErrLastAdmin) {
				t.Errorf("%s: %v", name, err)
			}
		}
		f := h.person("ravi", operator.Operator)
		if err := h.desk.SetRole(ctx, "ravi", operator.Admin, boss); err != nil {
			t.Fatal(err)
		}
		if err := h.desk.Disable(ctx, "asha", operator.Actor{Login: "ravi", Role: operator.Admin, From: here}); err != nil {
			t.Fatal(err)
		}
		if err := h.desk.Disable(ctx, "asha", boss); !errors.Is(err, central.ErrState) {
			t.Errorf("put out again: %v", err)
		}
		for _, err := range []error{h.desk.Disable(ctx, "nobody", boss), h.desk.SetRole(ctx, "nobody", operator.Viewer, boss)} {
			if !errors.Is(err, central.ErrNotFound) {
				t.Errorf("somebody who is not there: %v", err)
			}
		}
		list, err := h.desk.People(ctx)
		if err != nil || len(list) != 2 || list[0].Login != "asha" || list[0].DisabledAt.IsZero() || list[1].Role != operator.Admin || !list[1].Ready {
			t.Errorf("%+v, %v", list, err)
		}
		h.signsIn("ravi", f)
		again, err := h.desk.Reset(ctx, "asha", boss)
		if err != nil {
			t.Fatal(err)
		}
		h.enrols(again)
	})
}

func TestMay(t *testing.T) {
	for _, role := range append(operator.Roles(), "", "owner") {
		for i, need := range operator.Roles() {
			want := slices.Index(operator.Roles(), role) >= i
			if role.May(need) != want {
				t.Errorf("%q may what needs %q: %v", role, need, !want)
			}
		}
		if role.May("") || role.May("root") {
			t.Errorf("%q may what nobody may", role)
		}
	}
}

// TestDo: what another room changes is in the trail before and after; where it
// can't be, nothing is done.
func TestDo(t *testing.T) {
	h := newHouse(t)
	change := operator.Change{What: "case.confirm", Subject: "2026-11-21.1.3", Was: "proposed", Became: "decided"}
	asha := operator.Actor{Login: "asha", Role: operator.Operator, From: here}
	if err := h.desk.Do(t.Context(), asha, change, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	no := errors.New("another person must")
	if err := h.desk.Do(t.Context(), asha, change, func(context.Context) error { return no }); !errors.Is(err, no) {
		t.Errorf("a step that was refused: %v", err)
	}
	want := []string{"begun", "done", "begun", "refused"}
	for i, line := range h.did() {
		if want := "case.confirm asha/2026-11-21.1.3 " + want[i]; line != want {
			t.Errorf("the trail's line %d is %q, want %q", i, line, want)
		}
	}
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	done := false
	if err := h.desk.Do(t.Context(), asha, change, func(context.Context) error { done = true; return nil }); err == nil || done {
		t.Errorf("without a trail it was done (%v): %v", done, err)
	}
}

// TestSafe: documents and second factors are sealed, and sealed anew under the
// first master key.
func TestSafe(t *testing.T) {
	place := filepath.Join(t.TempDir(), "central.db")
	h := openHouse(t, place, masterKey(1))
	h.person("asha", operator.Admin)
	d, err := h.safe.Keep(t.Context(), "../../letter.pdf", []byte("we booked it twice"), "asha")
	if err != nil || d.Name != "letter.pdf" {
		t.Fatalf("%+v, %v", d, err)
	}
	p, err := h.db.Paper(t.Context(), d.SHA256)
	if err != nil || strings.Contains(string(p.Sealed), "booked") {
		t.Errorf("the document lies in the clear, or not at all: %v", err)
	}
	for _, size := range []int{0, operator.MaxPaper + 1} {
		if _, err := h.safe.Keep(t.Context(), "x", make([]byte, size), "asha"); err == nil {
			t.Errorf("a document of %d bytes was kept", size)
		}
	}
	both := openHouse(t, place, masterKey(2), masterKey(1))
	if n, err := both.safe.Rewrap(t.Context()); err != nil || n != 2 {
		t.Errorf("sealed anew: %d, %v; want the factor and the document", n, err)
	}
	fresh := openHouse(t, place, masterKey(2))
	if got, err := fresh.safe.Read(t.Context(), d.SHA256); err != nil || string(got.Content) != "we booked it twice" {
		t.Errorf("under the new master key: %q, %v", got.Content, err)
	}
	if _, err := h.safe.Read(t.Context(), d.SHA256); err == nil {
		t.Error("the old master key opens it still")
	}
	if _, err := fresh.safe.Read(t.Context(), strings.Repeat("0", 64)); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("a document that is not there: %v", err)
	}
}
