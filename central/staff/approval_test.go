package staff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/staff"
	"galla/shared/secret"
)

func by(login string) staff.Actor {
	return staff.Actor{Login: login, Role: staff.Admin, From: address}
}

// staff runs steps such as "asha adds meera"; machine is the command line.
func (h *fixture) staff(steps ...string) {
	h.t.Helper()
	for _, step := range steps {
		words := strings.Fields(step)
		actor := by(words[0])
		if words[0] == "machine" {
			actor = admin
		}
		var err error
		switch words[1] {
		case "adds", "makes": // an operator, an admin
			role := staff.Operator
			if words[1] == "makes" {
				role = staff.Admin
			}
			_, err = h.service.Add(h.t.Context(), words[2], "Somebody", role, actor)
		case "resets":
			_, err = h.service.Reset(h.t.Context(), words[2], actor)
		case "approves":
			err = h.service.Approve(h.t.Context(), words[2], actor)
		default:
			h.t.Fatalf("%q is no step", step)
		}
		if err != nil {
			h.t.Fatalf("%s: %v", step, err)
		}
	}
}

// TestIndependent: two members are independent only where neither got the access from
// the other, nor both from one admin alone, over any number of accounts in between,
// and whatever happened to those since.
func TestIndependent(t *testing.T) {
	two := []string{"machine makes asha", "machine makes bela"}
	for name, c := range map[string]struct {
		steps      []string
		one, other string
		want       bool
	}{
		"one person":                          {nil, "asha", "asha", false},
		"two made by a command":               {nil, "asha", "bela", true},
		"who added whom":                      {[]string{"asha adds p"}, "asha", "p", false},
		"another's":                           {[]string{"asha adds p"}, "bela", "p", true},
		"two of one admin":                    {[]string{"asha adds p", "asha adds q"}, "p", "q", false},
		"of one admin each":                   {[]string{"asha adds p", "bela adds q"}, "p", "q", true},
		"an approved admin and who added":     {[]string{"asha makes p", "bela approves p"}, "asha", "p", false},
		"an approved admin and who approved":  {[]string{"asha makes p", "bela approves p"}, "bela", "p", false},
		"of an approved admin, and the first": {[]string{"asha makes p", "bela approves p", "p adds q"}, "asha", "q", false},
		"of an approved admin, and its own":   {[]string{"asha makes p", "bela approves p", "p adds q"}, "p", "q", false},
		"of two admins, and of one of them":   {[]string{"asha makes p", "bela approves p", "asha adds q"}, "p", "q", true},
		"not approved yet":                    {[]string{"asha makes p", "asha adds q"}, "p", "q", false},
		"approved by a command":               {[]string{"asha makes p", "machine approves p"}, "asha", "p", false},
		"two approved by a command":           {[]string{"asha makes p", "machine approves p", "asha makes q", "machine approves q"}, "p", "q", true},
		"reset by the other":                  {[]string{"asha adds p", "bela resets p", "machine approves p"}, "bela", "p", false},
		"reset, and who added before":         {[]string{"asha adds p", "bela resets p", "machine approves p"}, "asha", "p", false},
		"reset by a command":                  {[]string{"asha adds p", "machine resets p"}, "asha", "p", true},
		"two of one admin, one reset":         {[]string{"asha adds p", "asha adds q", "machine resets q"}, "p", "q", true},
		"of an account that was reset since":  {[]string{"asha makes p", "bela approves p", "p adds q", "machine resets p"}, "asha", "q", false},
		"each reset the other":                {[]string{"asha resets bela", "machine approves bela", "bela resets asha", "machine approves asha"}, "asha", "bela", false},
		"three on the way":                    {[]string{"asha makes p", "bela approves p", "p makes q", "machine approves q", "q adds r"}, "asha", "r", false},
		"both of one, over another account":   {[]string{"asha makes p", "machine approves p", "p adds q", "p adds r"}, "q", "r", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			h.staff(append(slices.Clone(two), c.steps...)...)
			for _, pair := range [][2]string{{c.one, c.other}, {c.other, c.one}} {
				got, err := h.service.Independent(t.Context(), pair[0], pair[1])
				if err != nil || got != c.want {
					t.Errorf("%s and %s are independent: %v, %v", pair[0], pair[1], got, err)
				}
			}
		})
	}
}

// TestApproval: a new admin, a promotion to admin and a reset wait for a second,
// independent admin; until then nobody signs in with them.
func TestApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		ctx := t.Context()
		refused := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		h.person("asha", staff.Admin)
		setup, err := h.service.Add(ctx, "pia", "Pia", staff.Admin, by("asha"))
		if err != nil || !setup.NeedsApproval {
			t.Fatalf("an admin added by one: %+v, %v", setup, err)
		}
		_, err = h.service.CheckSetup(ctx, "pia", setup.Code, address)
		refused("a set-up before the approval", err, staff.ErrUnapproved)
		_, err = h.service.CheckSetup(ctx, "pia", secret.NewToken("wrong"), address)
		refused("a wrong set-up before the approval", err, staff.ErrSetup)
		refused("by the requester", h.service.Approve(ctx, "pia", by("asha")), staff.ErrNotIndependent)
		refused("by the account itself", h.service.Approve(ctx, "pia", by("pia")), staff.ErrNotIndependent)
		refused("the last admin who can sign in", h.service.Disable(ctx, "asha", by("pia")), staff.ErrLastAdmin)
		h.staff("asha adds puppet")
		refused("the puppet becomes an admin", h.service.SetRole(ctx, "puppet", staff.Admin, by("asha")), nil)
		if p, err := h.service.Member(ctx, "puppet"); err != nil || p.Role != staff.Operator || p.Approval != staff.ApprovalRole || p.RequestedBy != "asha" {
			t.Errorf("before the approval: %+v, %v", p, err)
		}
		refused("a puppet says yes", h.service.Approve(ctx, "pia", by("puppet")), staff.ErrNotIndependent)
		h.staff("machine approves pia")
		pia := h.enrols(setup)
		refused("a second time", h.service.Approve(ctx, "pia", admin), staff.ErrNothingToApprove)
		refused("by an account that the requester made", h.service.Approve(ctx, "puppet", by("pia")), staff.ErrNotIndependent)
		bela := h.person("bela", staff.Admin)
		h.staff("bela approves puppet")
		if p, err := h.service.Member(ctx, "puppet"); err != nil || p.Role != staff.Admin || p.Approval != "" {
			t.Errorf("after the approval: %+v, %v", p, err)
		}

		in := h.signsIn("pia", pia)
		again, err := h.service.Reset(ctx, "pia", by("bela"))
		refused("a reset", err, nil)
		_, err = h.service.Session(ctx, in.Token, true)
		refused("a session of who was reset", err, staff.ErrNoSession)
		_, err = h.service.SignIn(ctx, "pia", secret.NewToken(rightPassword), h.next(pia), address)
		refused("the former access", err, staff.ErrWrong)
		_, err = h.service.Enrol(ctx, "pia", again.Code, secret.NewToken(rightPassword), h.next(pia), address)
		refused("a reset before its approval", err, staff.ErrUnapproved)
		refused("a role before the reset's approval", h.service.SetRole(ctx, "pia", staff.Viewer, by("bela")), nil)
		_, err = h.service.CheckSetup(ctx, "pia", again.Code, address)
		refused("a lesser role opens nothing", err, staff.ErrUnapproved)
		h.staff("asha approves pia")
		h.enrols(again)
		h.signsIn("bela", bela)

		for _, want := range []string{
			"staff.add asha/pia done", "staff.approve asha/pia refused", "staff.approve /pia done", "staff.role asha/puppet done", "staff.approve bela/puppet done", "staff.approve asha/pia done",
		} {
			if !slices.Contains(h.did(), want) {
				t.Errorf("%q is not in the audit log: %q", want, h.did())
			}
		}
	})
}

// TestStepUp: the sign-in's code is not enough for privileged actions. An unused one
// is, for five minutes and in its own session. Wrong codes make the person wait; wrong
// sign-ins by unknown callers do not count here.
func TestStepUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		ctx := t.Context()
		f := h.person("asha", staff.Admin)
		in := h.signsIn("asha", f)
		proven := func(s staff.SignedIn) bool {
			t.Helper()
			now, err := h.service.Session(ctx, s.Token, true)
			if err != nil {
				t.Fatal(err)
			}
			return now.SteppedUp(time.Now())
		}
		if proven(in) {
			t.Error("a sign-in proves privileged acts")
		}
		if _, err := h.service.StepUp(ctx, in, h.code(f)); !errors.Is(err, staff.ErrCode) {
			t.Errorf("the code that signed in: %v", err)
		}
		for range 20 { // by unknown callers
			_, _ = h.service.SignIn(ctx, "asha", secret.NewToken("wrong"), secret.OTP{}, "192.0.2.1")
		}
		code := h.next(f)
		after, err := h.service.StepUp(ctx, in, code)
		if err != nil || !after.SteppedUp(time.Now()) || !proven(in) {
			t.Fatalf("a new code: %v", err)
		}
		if _, err := h.service.StepUp(ctx, in, code); !errors.Is(err, staff.ErrCode) {
			t.Errorf("the same code again: %v", err)
		}
		wait(ctx, staff.StepUpLife-time.Second)
		if !proven(in) {
			t.Error("it does not last five minutes")
		}
		other, err := h.service.SignInWithBrowserToken(ctx, "asha", secret.NewToken(rightPassword), h.code(f), address, h.browserToken("asha"))
		if err != nil {
			t.Fatal(err)
		}
		if proven(other) {
			t.Error("another session is proven")
		}
		wait(ctx, time.Second)
		if proven(in) {
			t.Error("it lasts longer than five minutes")
		}
		var waits *staff.WaitError
		for n := range 6 {
			_, err = h.service.StepUp(ctx, in, secret.NewOTP("000000"))
			if n < 4 && !errors.Is(err, staff.ErrCode) {
				t.Fatalf("wrong code %d: %v", n, err)
			}
		}
		if !errors.As(err, &waits) {
			t.Errorf("wrong codes do not wait: %v", err)
		}
		for _, want := range []string{"session.step-up asha/asha done", "session.step-up asha/asha refused"} {
			if !slices.Contains(h.did(), want) {
				t.Errorf("%q is not in the audit log", want)
			}
		}
	})
}

func (h *fixture) browserToken(login string) secret.Token {
	h.t.Helper()
	mark, err := h.service.NewBrowserToken(login)
	if err != nil {
		h.t.Fatal(err)
	}
	return mark
}
