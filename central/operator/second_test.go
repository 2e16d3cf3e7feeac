package operator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/operator"
	"galla/shared/secret"
)

func by(login string) operator.Actor {
	return operator.Actor{Login: login, Role: operator.Admin, From: here}
}

// staff makes people of two letters after each other: whom, and how. "asha+ meera"
// is meera, added by asha; machine is the command line.
func (h *house) staff(steps ...string) {
	h.t.Helper()
	for _, step := range steps {
		words := strings.Fields(step)
		actor := by(words[0])
		if words[0] == "machine" {
			actor = boss
		}
		var err error
		switch words[1] {
		case "adds", "makes": // an operator, an admin
			role := operator.Operator
			if words[1] == "makes" {
				role = operator.Admin
			}
			_, err = h.desk.Add(h.t.Context(), words[2], "Somebody", role, actor)
		case "resets":
			_, err = h.desk.Reset(h.t.Context(), words[2], actor)
		case "approves":
			err = h.desk.Approve(h.t.Context(), words[2], actor)
		default:
			h.t.Fatalf("%q is no step", step)
		}
		if err != nil {
			h.t.Fatalf("%s: %v", step, err)
		}
	}
}

// TestFourEyes: two people are two only where neither comes from the other, nor both
// from one admin alone, however long the way is and whatever was done to those on it
// meanwhile.
func TestFourEyes(t *testing.T) {
	two := []string{"machine makes asha", "machine makes bela"}
	for name, c := range map[string]struct {
		steps      []string
		one, other string
		apart      bool
	}{
		"one person":                           {nil, "asha", "asha", false},
		"two of the machine":                   {nil, "asha", "bela", true},
		"who added whom":                       {[]string{"asha adds p"}, "asha", "p", false},
		"another's":                            {[]string{"asha adds p"}, "bela", "p", true},
		"two of one admin":                     {[]string{"asha adds p", "asha adds q"}, "p", "q", false},
		"of one admin each":                    {[]string{"asha adds p", "bela adds q"}, "p", "q", true},
		"an approved admin and who added":      {[]string{"asha makes p", "bela approves p"}, "asha", "p", false},
		"an approved admin and who approved":   {[]string{"asha makes p", "bela approves p"}, "bela", "p", false},
		"of an approved admin, and the first":  {[]string{"asha makes p", "bela approves p", "p adds q"}, "asha", "q", false},
		"of an approved admin, and its own":    {[]string{"asha makes p", "bela approves p", "p adds q"}, "p", "q", false},
		"of two admins, and of one of them":    {[]string{"asha makes p", "bela approves p", "asha adds q"}, "p", "q", true},
		"not approved yet":                     {[]string{"asha makes p", "asha adds q"}, "p", "q", false},
		"approved at the machine":              {[]string{"asha makes p", "machine approves p"}, "asha", "p", false},
		"two approved at the machine":          {[]string{"asha makes p", "machine approves p", "asha makes q", "machine approves q"}, "p", "q", true},
		"reset by the other":                   {[]string{"asha adds p", "bela resets p", "machine approves p"}, "bela", "p", false},
		"reset, and who added before":          {[]string{"asha adds p", "bela resets p", "machine approves p"}, "asha", "p", false},
		"reset at the machine":                 {[]string{"asha adds p", "machine resets p"}, "asha", "p", true},
		"two of one admin, one reset":          {[]string{"asha adds p", "asha adds q", "machine resets q"}, "p", "q", true},
		"of a puppet that was reset meanwhile": {[]string{"asha makes p", "bela approves p", "p adds q", "machine resets p"}, "asha", "q", false},
		"each reset the other":                 {[]string{"asha resets bela", "machine approves bela", "bela resets asha", "machine approves asha"}, "asha", "bela", false},
		"three on the way":                     {[]string{"asha makes p", "bela approves p", "p makes q", "machine approves q", "q adds r"}, "asha", "r", false},
		"both of one, the one over a puppet":   {[]string{"asha makes p", "machine approves p", "p adds q", "p adds r"}, "q", "r", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.staff(append(slices.Clone(two), c.steps...)...)
			for _, pair := range [][2]string{{c.one, c.other}, {c.other, c.one}} {
				apart, err := h.desk.Apart(t.Context(), pair[0], pair[1])
				if err != nil || apart != c.apart {
					t.Errorf("%s and %s are four eyes: %v, %v", pair[0], pair[1], apart, err)
				}
			}
		})
	}
}

// TestApproval: a new admin, one of somebody who is there, and a reset wait for a
// second admin who is one; until then nobody comes in by them.
func TestApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ctx := t.Context()
		refused := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		h.person("asha", operator.Admin)
		setup, err := h.desk.Add(ctx, "pia", "Pia", operator.Admin, by("asha"))
		if err != nil || !setup.Asked {
			t.Fatalf("an admin added by one: %+v, %v", setup, err)
		}
		_, err = h.desk.Setup(ctx, "pia", setup.Code, here)
		refused("a set-up before the approval", err, operator.ErrUnapproved)
		_, err = h.desk.Setup(ctx, "pia", secret.NewToken("wrong"), here)
		refused("a wrong set-up before the approval", err, operator.ErrSetup)
		refused("by who asked", h.desk.Approve(ctx, "pia", by("asha")), operator.ErrNotSecond)
		refused("by who it is about", h.desk.Approve(ctx, "pia", by("pia")), operator.ErrNotSecond)
		refused("the last admin who can sign in", h.desk.Disable(ctx, "asha", by("pia")), operator.ErrLastAdmin)
		h.staff("asha adds puppet")
		refused("the puppet becomes an admin", h.desk.SetRole(ctx, "puppet", operator.Admin, by("asha")), nil)
		if p, err := h.desk.Person(ctx, "puppet"); err != nil || p.Role != operator.Operator || p.Asked != operator.AskRole || p.AskedBy != "asha" {
			t.Errorf("before the approval: %+v, %v", p, err)
		}
		refused("a puppet says yes", h.desk.Approve(ctx, "pia", by("puppet")), operator.ErrNotSecond)
		h.staff("machine approves pia")
		pia := h.enrols(setup)
		refused("a second time", h.desk.Approve(ctx, "pia", boss), operator.ErrNotAsked)
		refused("by who descends from who asked", h.desk.Approve(ctx, "puppet", by("pia")), operator.ErrNotSecond)
		bela := h.person("bela", operator.Admin)
		h.staff("bela approves puppet")
		if p, err := h.desk.Person(ctx, "puppet"); err != nil || p.Role != operator.Admin || p.Asked != "" {
			t.Errorf("after the approval: %+v, %v", p, err)
		}

		in := h.signsIn("pia", pia)
		again, err := h.desk.Reset(ctx, "pia", by("bela"))
		refused("a reset", err, nil)
		_, err = h.desk.Session(ctx, in.Token, true)
		refused("a session of who was reset", err, operator.ErrNoSession)
		_, err = h.desk.SignIn(ctx, "pia", secret.NewToken(rightPassword), h.next(pia), here)
		refused("the former access", err, operator.ErrWrong)
		_, err = h.desk.Enrol(ctx, "pia", again.Code, secret.NewToken(rightPassword), h.next(pia), here)
		refused("a reset before its approval", err, operator.ErrUnapproved)
		refused("a role before the reset's approval", h.desk.SetRole(ctx, "pia", operator.Viewer, by("bela")), nil)
		_, err = h.desk.Setup(ctx, "pia", again.Code, here)
		refused("a lesser role opens nothing", err, operator.ErrUnapproved)
		h.staff("asha approves pia")
		h.enrols(again)
		h.signsIn("bela", bela)

		for _, want := range []string{
			"operator.add asha/pia done", "operator.approve asha/pia refused", "operator.approve /pia done", "operator.role asha/puppet done", "operator.approve bela/puppet done", "operator.approve asha/pia done",
		} {
			if !slices.Contains(h.did(), want) {
				t.Errorf("%q is not in the trail: %q", want, h.did())
			}
		}
	})
}

// TestStepUp: a sign-in is no code for privileged acts; one that was not used is, for
// five minutes and in its own session; wrong ones wait, and strangers' wrong sign-ins
// do not count here.
func TestStepUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		ctx := t.Context()
		f := h.person("asha", operator.Admin)
		in := h.signsIn("asha", f)
		proven := func(s operator.SignedIn) bool {
			t.Helper()
			now, err := h.desk.Session(ctx, s.Token, true)
			if err != nil {
				t.Fatal(err)
			}
			return now.Proven(time.Now())
		}
		if proven(in) {
			t.Error("a sign-in proves privileged acts")
		}
		if _, err := h.desk.StepUp(ctx, in, h.code(f)); !errors.Is(err, operator.ErrCode) {
			t.Errorf("the code that signed in: %v", err)
		}
		for range 20 { // of strangers
			_, _ = h.desk.SignIn(ctx, "asha", secret.NewToken("wrong"), secret.OTP{}, "192.0.2.1")
		}
		code := h.next(f)
		after, err := h.desk.StepUp(ctx, in, code)
		if err != nil || !after.Proven(time.Now()) || !proven(in) {
			t.Fatalf("a new code: %v", err)
		}
		if _, err := h.desk.StepUp(ctx, in, code); !errors.Is(err, operator.ErrCode) {
			t.Errorf("the same code again: %v", err)
		}
		wait(ctx, operator.StepUpLife-time.Second)
		if !proven(in) {
			t.Error("it does not last five minutes")
		}
		other, err := h.desk.SignInMarked(ctx, "asha", secret.NewToken(rightPassword), h.code(f), here, h.mark("asha"))
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
		var waits *operator.WaitError
		for n := range 6 {
			_, err = h.desk.StepUp(ctx, in, secret.NewOTP("000000"))
			if n < 4 && !errors.Is(err, operator.ErrCode) {
				t.Fatalf("wrong code %d: %v", n, err)
			}
		}
		if !errors.As(err, &waits) {
			t.Errorf("wrong codes do not wait: %v", err)
		}
		for _, want := range []string{"session.step-up asha/asha done", "session.step-up asha/asha refused"} {
			if !slices.Contains(h.did(), want) {
				t.Errorf("%q is not in the trail", want)
			}
		}
	})
}

func (h *house) mark(login string) secret.Token {
	h.t.Helper()
	mark, err := h.desk.Mark(login)
	if err != nil {
		h.t.Fatal(err)
	}
	return mark
}
