package console

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/staff"
	"galla/shared/op"
	"galla/shared/secret"
)

// TestEveryPrivilegedFormAsksForACode: each form of a signed-in person asks for a code
// first and does nothing before, or its route says why not.
func TestEveryPrivilegedFormAsksForACode(t *testing.T) {
	h := newHarness(t)
	asha := h.browser(t).signsIn("asha")
	before := h.did(t)
	asked, free := 0, 0
	for _, rt := range h.console.routes {
		if rt.method() != http.MethodPost || rt.public {
			if rt.noStepUp != "" {
				t.Errorf("%s is no form of somebody signed in, and says why it is free", rt.pattern)
			}
			continue
		}
		if rt.noStepUp != "" {
			free++
			continue
		}
		asked++
		path := parameter.ReplaceAllString(strings.TrimPrefix(rt.pattern, "POST "), "none")
		for _, code := range []string{"", "000000"} {
			var reply *http.Response
			var page string
			if rt.upload {
				reply, page = asha.do(asha.send(path, "file", "x.csv", "x", "step_up", code))
			} else {
				reply, page = asha.do(asha.form(path, "confirmed", "yes", "step_up", code))
			}
			if (reply.StatusCode != http.StatusUnauthorized && reply.StatusCode != http.StatusTooManyRequests) || !strings.Contains(page, `name="step_up"`) {
				t.Errorf("%s without a code: HTTP %d: %s", rt.pattern, reply.StatusCode, page)
			}
		}
	}
	if after := slices.DeleteFunc(h.did(t), func(line string) bool { return line == "session.step-up asha/asha refused" }); !slices.Equal(after, before) {
		t.Errorf("a form without a code did something: %q", after[len(before):])
	}
	if asked < 10 || free != 11 {
		t.Errorf("%d forms ask for a code and %d do not; these are %d: sign-out, password, step-up, search, two filters, enquiry, opening a case, saving and deleting a view, writing a report again", asked, free, 11)
	}
}

// TestStepUpCarriesTheForm: the page that asks for the code has the form, which goes
// on with the code, and needs no second one for five minutes.
func TestStepUpCarriesTheForm(t *testing.T) {
	h := newHarness(t)
	asha := h.browser(t).signsIn("asha")
	page := asha.post("/console/staff", http.StatusUnauthorized, "login", "nila", "name", `Nila "Das`, "role", "viewer")
	has(t, page, `action="/console/staff"`, `name="login" value="nila"`, `value="Nila &#34;Das"`, `name="role" value="viewer"`)
	has(t, asha.post("/console/staff", http.StatusUnauthorized, "login", "nila", "name", "Nila Das", "role", "viewer", "step_up", "000000"), "The code is wrong or was used", `value="nila"`)
	has(t, asha.post("/console/staff", http.StatusOK, "login", "nila", "name", "Nila Das", "role", "viewer", "step_up", asha.nextCode("asha")), "Set-up code")
	has(t, asha.post("/console/staff", http.StatusOK, "login", "jyoti", "name", "Jyoti Rao", "role", "viewer"), "Set-up code")

	// A form with a file is not stored meanwhile.
	ravi := h.browser(t).signsIn("ravi")
	has(t, ravi.get("/console/reconciliation", http.StatusOK), `id="step_up"`)
	page = ravi.sends("/console/reconciliation", http.StatusUnauthorized, "file", "day.csv", "x")
	has(t, page, "send the form again", `action="/console/step-up"`, `name="next" value="/console/reconciliation"`)
	if to := ravi.post("/console/step-up", http.StatusSeeOther, "step_up", ravi.nextCode("ravi"), "next", "/console/reconciliation"); to != "/console/reconciliation" {
		t.Errorf("the code leads to %s", to)
	}
	hasNot(t, ravi.get("/console/reconciliation", http.StatusOK), `id="step_up"`)
	has(t, ravi.sends("/console/reconciliation", http.StatusUnprocessableEntity, "file", "day.csv", "x"), "line")
	if to := h.browser(t).signsIn("vikram").post("/console/step-up", http.StatusUnauthorized, "step_up", "1", "next", "//evil.example"); !strings.Contains(to, `value="/console/"`) {
		t.Errorf("a step-up leads away: %s", to)
	}
}

// TestOneAdminIsNotTwoPeople: one admin can't play both people: not with two accounts
// of its own, nor with an admin of its own who makes the second, nor with one who
// approves.
func TestOneAdminIsNotTwoPeople(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	stuck := h.operation(t, 1, 8*24*time.Hour, op.Pending)
	asha := h.browser(t).enter("asha")
	add := func(login, role string) string {
		t.Helper()
		return asha.post("/console/staff", http.StatusOK, "login", login, "name", "Somebody", "role", role)
	}
	p, q := h.enrol(t, "p", codeOn(add("p", "operator"))), h.enrol(t, "q", codeOn(add("q", "operator")))
	p.get("/console/operations/"+string(stuck.ID), http.StatusOK)
	at := p.post("/console/operations/"+string(stuck.ID)+"/case", http.StatusSeeOther, "reason", "the bank is silent")
	at = regexp.MustCompile(`\?.*`).ReplaceAllString(at, "")
	p.get(at, http.StatusOK)
	p.sends(at+"/propose", http.StatusSeeOther, "document", "letter.txt", "we paid", "verdict", "succeeded", "reason", "the letter")
	for _, v := range []*browser{q, asha} {
		v.get(at, http.StatusOK)
		has(t, v.post(at+"/confirm", http.StatusConflict, "seen", "2", "reason", ""), "you are not independent")
	}

	// A new admin is no admin before a second one approves it.
	page := add("r", "admin")
	has(t, page, "A second admin has to approve", "galla-central staff approve r")
	r := h.browser(t)
	r.get("/console/set-up", http.StatusOK)
	has(t, r.post("/console/set-up", http.StatusConflict, "login", "r", "setup", codeOn(page)), "A second admin has to approve this account")
	has(t, asha.post("/console/staff/r/approve", http.StatusConflict), "You can&#39;t approve this")
	has(t, asha.get("/console/staff", http.StatusOK), "requested by asha: waits for a second admin")
	asha.post("/console/staff/p/role", http.StatusSeeOther, "role", "admin")
	p.get("/console/staff", http.StatusSeeOther) // signed out, and still an operator
	if got, err := h.staff.Member(t.Context(), "p"); err != nil || got.Role != staff.Operator {
		t.Errorf("one admin made an admin alone: %+v, %v", got, err)
	}

	// A second admin that a command made may, and decides with p, whom another made.
	bela := staff.Preset{Login: "bela", Name: "Bela Rao", Role: staff.Admin, Password: secret.NewToken(rightPassword), Factor: key("bela")}
	if err := h.staff.EnsurePreset(t.Context(), bela, staff.Actor{From: "test"}); err != nil {
		t.Fatal(err)
	}
	second := h.browser(t).enter("bela")
	has(t, second.get("/console/staff/r", http.StatusOK), `action="/console/staff/r/approve"`)
	second.post("/console/staff/r/approve", http.StatusSeeOther)
	h.enrol(t, "r", codeOn(page)).get("/console/staff", http.StatusOK)
	second.get(at, http.StatusOK)
	second.post(at+"/confirm", http.StatusSeeOther, "seen", "2", "reason", "")
	for _, want := range []string{"case.confirm q/%s refused", "case.confirm asha/%s refused", "case.confirm bela/%s done"} {
		if want = fmt.Sprintf(want, strings.TrimPrefix(at, "/console/cases/")); !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the audit log: %q", want, h.did(t))
		}
	}
}

// codeOn is the set-up code that a page shows.
func codeOn(page string) string { return codeShown.FindStringSubmatch(page)[1] }
