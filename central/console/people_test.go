package console

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/operator"
	"galla/shared/secret"
)

var codeShown = regexp.MustCompile(`<code class="key">([^<]+)</code>`)

// TestManagingPeople: an admin adds somebody, who sets up and signs in; gets
// another role; is put out; and all of it is in the trail.
func TestManagingPeople(t *testing.T) {
	h := newHouse(t)
	asha := h.visitor(t).enter("asha")
	has(t, asha.post("/console/people", http.StatusUnprocessableEntity, "login", "1", "name", "Nila", "role", "viewer"), "A login is a letter", `value="Nila"`)
	has(t, asha.post("/console/people", http.StatusConflict, "login", "ravi", "name", "Nila", "role", "viewer"), "in use, or was")
	page := asha.post("/console/people", http.StatusOK, "login", "nila", "name", "Nila Das", "role", "operator")
	code := codeShown.FindStringSubmatch(page)[1]
	has(t, asha.get("/console/people", http.StatusOK), "nila", "set-up code until")

	nila := h.visitor(t)
	nila.get("/console/set-up", http.StatusOK)
	has(t, nila.post("/console/set-up", http.StatusUnauthorized, "login", "nila", "setup", "aaaa-bbbb-cccc-dddd-eeee"), "set-up code is wrong")
	page = nila.post("/console/set-up", http.StatusOK, "login", "nila", "setup", code)
	has(t, page, `<svg class="qr"`)
	raw, err := operatorKey(codeShown.FindStringSubmatch(page)[1])
	if err != nil {
		t.Fatal(err)
	}
	otp, err := operator.NewFactor("nila", raw).CodeAt(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	fields := func(password, again, code string) []string {
		return []string{"login", "nila", "setup", codeOf(page), "password", password, "again", again, "code", code}
	}
	has(t, nila.post("/console/set-up/end", http.StatusUnprocessableEntity, fields(rightPassword, "other", otp.Reveal())...), "repetition differ", `<svg class="qr"`)
	has(t, nila.post("/console/set-up/end", http.StatusUnprocessableEntity, fields("short", "short", otp.Reveal())...), "at least 12 characters")
	has(t, nila.post("/console/set-up/end", http.StatusUnauthorized, fields(rightPassword, rightPassword, "000000")...), "The code is wrong or was used")
	if to := nila.post("/console/set-up/end", http.StatusSeeOther, fields(rightPassword, rightPassword, otp.Reveal())...); to != "/console/" {
		t.Errorf("the set-up leads to %s", to)
	}
	has(t, nila.get("/console/me", http.StatusOK), "Nila Das", "operator")

	has(t, asha.post("/console/people/nila/disable", http.StatusOK), "Put out Nila Das?")
	nila.get("/console/me", http.StatusOK) // one press puts nobody out
	asha.post("/console/people/nila/role", http.StatusSeeOther, "role", "viewer")
	nila.get("/console/me", http.StatusSeeOther)
	asha.post("/console/people/nila/disable", http.StatusSeeOther, "sure", "yes")
	has(t, asha.get("/console/people/nila?done=disabled", http.StatusOK), "put out", "Let in again", "The person was put out")
	has(t, asha.post("/console/people/asha/role", http.StatusConflict, "role", "viewer"), "last admin")
	has(t, asha.post("/console/people/nila/reset", http.StatusOK, "sure", "yes"), "Hand over this code", "A second admin has to approve")
	asha.get("/console/people/nobody", http.StatusNotFound)

	for _, want := range []string{
		"session.open asha/asha done", "operator.add asha/nila done", "operator.enrol nila/nila done", "operator.role asha/nila done",
		"operator.disable asha/nila done", "operator.reset asha/nila done",
	} {
		if !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the trail: %q", want, h.did(t))
		}
	}
	if strings.Contains(h.log.String(), code) || strings.Contains(h.log.String(), rightPassword) {
		t.Errorf("the log has a secret:\n%s", h.log.String())
	}
}

// codeOf reads the set-up code that the second page's form carries.
func codeOf(page string) string {
	return regexp.MustCompile(`name="setup" value="([^"]+)"`).FindStringSubmatch(page)[1]
}

func operatorKey(shown string) (secret.Key, error) {
	raw, err := base32Key(strings.ReplaceAll(shown, " ", ""))
	return secret.NewKey(raw), err
}

func TestOwnPassword(t *testing.T) {
	h := newHouse(t)
	v := h.visitor(t).signsIn("vikram")
	next, err := operator.NewFactor("vikram", key("vikram")).CodeAt(time.Now().Add(30 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	change := func(status int, old, chosen, again, code string) string {
		t.Helper()
		return v.post("/console/me/password", status, "old", old, "password", chosen, "again", again, "code", code)
	}
	has(t, change(http.StatusUnprocessableEntity, rightPassword, "another green tea", "other", next.Reveal()), "repetition differ")
	has(t, change(http.StatusUnprocessableEntity, rightPassword, rightPassword, rightPassword, next.Reveal()), "new password is the old one")
	has(t, change(http.StatusUnauthorized, "wrong", "another green tea", "another green tea", next.Reveal()), "is wrong")
	if to := change(http.StatusSeeOther, rightPassword, "another green tea", "another green tea", next.Reveal()); to != "/console/me?done=password" {
		t.Errorf("it leads to %s", to)
	}
	has(t, v.get("/console/me?done=password", http.StatusOK), "Your password was changed")
}

// TestRefusedSignIn says the same whatever was wrong, and never what was typed.
func TestRefusedSignIn(t *testing.T) {
	h := newHouse(t)
	v := h.visitor(t)
	for _, login := range []string{"asha", "nobody", "x y z"} {
		v.get("/console/sign-in", http.StatusOK)
		page := v.post("/console/sign-in", http.StatusUnauthorized, "login", login, "password", "wrong horse", "code", "123456")
		has(t, page, "Login, password or code is wrong.")
		hasNot(t, page, "wrong horse", "123456")
	}
	if strings.Contains(h.log.String(), "wrong horse") {
		t.Error("the log has what was typed")
	}
}

// TestTrail: an admin reads it page by page, asks, and takes it along as CSV, in
// which nothing is a formula.
func TestTrail(t *testing.T) {
	h := newHouse(t)
	v := h.visitor(t).enter("asha")
	for range trailPage {
		err := h.people.Note(t.Context(), operator.Actor{Login: "ravi", Role: operator.Operator, From: "192.0.2.1"},
			operator.Change{What: "operation.look", Subject: "=HYPERLINK(1)", Note: "<b>bold</b>"})
		if err != nil {
			t.Fatal(err)
		}
	}
	page := v.get("/console/trail", http.StatusOK)
	has(t, page, "operation.look", "&lt;b&gt;bold", "192.0.2.1")
	older := regexp.MustCompile(`href="(/console/trail\?before=[^"]+)"`).FindStringSubmatch(page)
	if older == nil {
		t.Fatalf("there is no older page:\n%s", page)
	}
	has(t, v.get(older[1], http.StatusOK), "session.open")
	has(t, v.get("/console/trail?person=asha&action=session.open", http.StatusOK), "session.open")
	hasNot(t, v.get("/console/trail?person=asha", http.StatusOK), "operation.look")
	today := time.Now().In(india).Format(time.DateOnly)
	has(t, v.get("/console/trail?about=asha&from="+today+"&to="+today, http.StatusOK), "session.open")
	has(t, v.get("/console/trail?to=2020-01-01", http.StatusOK), "Nothing was found")
	has(t, v.get("/console/trail?from=yesterday", http.StatusUnprocessableEntity), "A day is written as")
	rows, err := csv.NewReader(strings.NewReader(v.get("/console/trail.csv?person=ravi", http.StatusOK))).ReadAll()
	if err != nil || len(rows) != trailPage+1 || rows[1][6] != "'=HYPERLINK(1)" {
		t.Errorf("%d rows, %v: %q", len(rows), err, rows[min(1, len(rows)-1)])
	}
	if !slices.ContainsFunc(h.did(t), func(line string) bool { return strings.HasPrefix(line, "trail.export asha/") }) {
		t.Error("the trail does not say that it was taken along")
	}
}
