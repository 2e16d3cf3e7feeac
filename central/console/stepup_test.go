package console

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/operator"
	"galla/shared/op"
	"galla/shared/secret"
)

// TestEveryPrivilegedFormAsksForACode walks the table: each form of somebody signed
// in asks for a code first and does nothing before, or says why it need not.
func TestEveryPrivilegedFormAsksForACode(t *testing.T) {
	h := newHouse(t)
	asha := h.visitor(t).signsIn("asha")
	before := h.did(t)
	asked, free := 0, 0
	for _, rt := range h.console.routes {
		if rt.method() != http.MethodPost || rt.need == "" {
			if rt.free != "" {
				t.Errorf("%s is no form of somebody signed in, and says why it is free", rt.pattern)
			}
			continue
		}
		if rt.free != "" {
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
				reply, page = asha.do(asha.form(path, "sure", "yes", "step_up", code))
			}
			if (reply.StatusCode != http.StatusUnauthorized && reply.StatusCode != http.StatusTooManyRequests) || !strings.Contains(page, `name="step_up"`) {
				t.Errorf("%s without a code: HTTP %d: %s", rt.pattern, reply.StatusCode, page)
			}
		}
	}
	if after := slices.DeleteFunc(h.did(t), func(line string) bool { return line == "session.step-up asha/asha refused" }); !slices.Equal(after, before) {
		t.Errorf("a form without a code did something: %q", after[len(before):])
	}
	if asked < 10 || free != 6 {
		t.Errorf("%d forms ask for a code and %d do not; these are %d: sign-out, password, step-up, search, enquiry, opening a case", asked, free, 6)
	}
}

// TestStepUpCarriesTheForm: what was asked for waits in the page that asks for the
// code, goes on with it, and needs no second one for five minutes.
func TestStepUpCarriesTheForm(t *testing.T) {
	h := newHouse(t)
	asha := h.visitor(t).signsIn("asha")
	page := asha.post("/console/people", http.StatusUnauthorized, "login", "nila", "name", `Nila "Das`, "role", "viewer")
	has(t, page, `action="/console/people"`, `name="login" value="nila"`, `value="Nila &#34;Das"`, `name="role" value="viewer"`)
	has(t, asha.post("/console/people", http.StatusUnauthorized, "login", "nila", "name", "Nila Das", "role", "viewer", "step_up", "000000"), "The code is wrong or was used", `value="nila"`)
	has(t, asha.post("/console/people", http.StatusOK, "login", "nila", "name", "Nila Das", "role", "viewer", "step_up", asha.nextCode("asha")), "Hand over this code")
	has(t, asha.post("/console/people", http.StatusOK, "login", "jyoti", "name", "Jyoti Rao", "role", "viewer"), "Hand over this code")

	// A form with a file is not kept meanwhile.
	ravi := h.visitor(t).signsIn("ravi")
	has(t, ravi.get("/console/days", http.StatusOK), `id="step_up"`)
	page = ravi.sends("/console/days", http.StatusUnauthorized, "file", "day.csv", "x")
	has(t, page, "send the form again", `action="/console/step-up"`, `name="next" value="/console/days"`)
	if to := ravi.post("/console/step-up", http.StatusSeeOther, "step_up", ravi.nextCode("ravi"), "next", "/console/days"); to != "/console/days" {
		t.Errorf("the code leads to %s", to)
	}
	hasNot(t, ravi.get("/console/days", http.StatusOK), `id="step_up"`)
	has(t, ravi.sends("/console/days", http.StatusUnprocessableEntity, "file", "day.csv", "x"), "line")
	if to := h.visitor(t).signsIn("vikram").post("/console/step-up", http.StatusUnauthorized, "step_up", "1", "next", "//evil.example"); !strings.Contains(to, `value="/console/"`) {
		t.Errorf("a step-up leads away: %s", to)
	}
}

// TestOneAdminIsNotFourEyes plays both of the four eyes as one admin: by two people of
// its own, by an admin of its own who makes the second, and by one who approves.
func TestOneAdminIsNotFourEyes(t *testing.T) {
	h := newHouse(t)
	h.seed(t)
	stuck := h.operation(t, 1, 8*24*time.Hour, op.Pending)
	asha := h.visitor(t).enter("asha")
	add := func(login, role string) string {
		t.Helper()
		return asha.post("/console/people", http.StatusOK, "login", login, "name", "Somebody", "role", role)
	}
	p, q := h.enrol(t, "p", codeOn(add("p", "operator"))), h.enrol(t, "q", codeOn(add("q", "operator")))
	p.get("/console/operations/"+string(stuck.ID), http.StatusOK)
	at := p.post("/console/operations/"+string(stuck.ID)+"/case", http.StatusSeeOther, "reason", "the bank is silent")
	at = regexp.MustCompile(`\?.*`).ReplaceAllString(at, "")
	p.get(at, http.StatusOK)
	p.sends(at+"/propose", http.StatusSeeOther, "document", "letter.txt", "we paid", "verdict", "succeeded", "reason", "the letter")
	for _, v := range []*visitor{q, asha} {
		v.get(at, http.StatusOK)
		has(t, v.post(at+"/confirm", http.StatusConflict, "seen", "2", "reason", ""), "you are not four eyes")
	}

	// An admin of its own is none before a second admin approves it.
	page := add("r", "admin")
	has(t, page, "A second admin has to approve", "galla-central operator approve r")
	r := h.visitor(t)
	r.get("/console/set-up", http.StatusOK)
	has(t, r.post("/console/set-up", http.StatusConflict, "login", "r", "setup", codeOn(page)), "A second admin has to approve this account")
	has(t, asha.post("/console/people/r/approve", http.StatusConflict), "You can&#39;t approve this")
	has(t, asha.get("/console/people", http.StatusOK), "asked by asha: waits for a second admin")
	asha.post("/console/people/p/role", http.StatusSeeOther, "role", "admin")
	p.get("/console/people", http.StatusSeeOther) // signed out, and still an operator
	if got, err := h.people.Person(t.Context(), "p"); err != nil || got.Role != operator.Operator {
		t.Errorf("one admin made an admin alone: %+v, %v", got, err)
	}

	// A second admin, of the machine, may; and decides with p, who is of another.
	bela := operator.Known{Login: "bela", Name: "Bela Rao", Role: operator.Admin, Password: secret.NewToken(rightPassword), Factor: key("bela")}
	if err := h.people.Put(t.Context(), bela, operator.Actor{From: "test"}); err != nil {
		t.Fatal(err)
	}
	second := h.visitor(t).enter("bela")
	has(t, second.get("/console/people/r", http.StatusOK), `action="/console/people/r/approve"`)
	second.post("/console/people/r/approve", http.StatusSeeOther)
	h.enrol(t, "r", codeOn(page)).get("/console/people", http.StatusOK)
	second.get(at, http.StatusOK)
	second.post(at+"/confirm", http.StatusSeeOther, "seen", "2", "reason", "")
	for _, want := range []string{"case.confirm q/%s refused", "case.confirm asha/%s refused", "case.confirm bela/%s done"} {
		if want = fmt.Sprintf(want, strings.TrimPrefix(at, "/console/cases/")); !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the trail: %q", want, h.did(t))
		}
	}
}

// codeOn is the set-up code that a page shows.
func codeOn(page string) string { return codeShown.FindStringSubmatch(page)[1] }
