package console

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/secret"
)

var codeShown = regexp.MustCompile(`<code class="key">([^<]+)</code>`)

// TestManagingStaff: an admin adds a member, who sets up and signs in, gets another
// role and is disabled; all of it is in the audit log.
func TestManagingStaff(t *testing.T) {
	h := newHarness(t)
	asha := h.browser(t).enter("asha")
	has(t, asha.post("/console/staff", http.StatusUnprocessableEntity, "login", "1", "name", "Nila", "role", "viewer"), "A login is a letter", `value="Nila"`)
	has(t, asha.post("/console/staff", http.StatusConflict, "login", "ravi", "name", "Nila", "role", "viewer"), "in use, or was")
	page := asha.post("/console/staff", http.StatusOK, "login", "nila", "name", "Nila Das", "role", "operator")
	code := codeShown.FindStringSubmatch(page)[1]
	has(t, asha.get("/console/staff", http.StatusOK), "nila", "set-up code until")

	nila := h.browser(t)
	nila.get("/console/set-up", http.StatusOK)
	has(t, nila.post("/console/set-up", http.StatusUnauthorized, "login", "nila", "setup", "aaaa-bbbb-cccc-dddd-eeee"), "set-up code is wrong")
	page = nila.post("/console/set-up", http.StatusOK, "login", "nila", "setup", code)
	has(t, page, `<svg class="qr"`)
	raw, err := operatorKey(codeShown.FindStringSubmatch(page)[1])
	if err != nil {
		t.Fatal(err)
	}
	otp, err := staff.NewFactor("nila", raw).CodeAt(time.Now())
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

	has(t, asha.post("/console/staff/nila/disable", http.StatusOK), "Disable Nila Das?")
	nila.get("/console/me", http.StatusOK) // not disabled before the confirmation
	asha.post("/console/staff/nila/role", http.StatusSeeOther, "role", "viewer")
	nila.get("/console/me", http.StatusSeeOther)
	asha.post("/console/staff/nila/disable", http.StatusSeeOther, "confirmed", "yes")
	has(t, asha.get("/console/staff/nila?done=disabled", http.StatusOK), "disabled", "Enable again", "The account was disabled")
	has(t, asha.post("/console/staff/asha/role", http.StatusConflict, "role", "viewer"), "last admin")
	has(t, asha.post("/console/staff/nila/reset", http.StatusOK, "confirmed", "yes"), "Set-up code", "A second admin has to approve")
	asha.get("/console/staff/nobody", http.StatusNotFound)

	for _, want := range []string{
		"session.open asha/asha done", "staff.add asha/nila done", "staff.enrol nila/nila done", "staff.role asha/nila done",
		"staff.disable asha/nila done", "staff.reset asha/nila done",
	} {
		if !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the audit log: %q", want, h.did(t))
		}
	}
	if strings.Contains(h.log.String(), code) || strings.Contains(h.log.String(), rightPassword) {
		t.Errorf("the log has a secret:\n%s", h.log.String())
	}
}

// codeOf reads the set-up code from the second page's form.
func codeOf(page string) string {
	return regexp.MustCompile(`name="setup" value="([^"]+)"`).FindStringSubmatch(page)[1]
}

func operatorKey(shown string) (secret.Key, error) {
	raw, err := base32Key(strings.ReplaceAll(shown, " ", ""))
	return secret.NewKey(raw), err
}

func TestOwnPassword(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t).signsIn("vikram")
	next, err := staff.NewFactor("vikram", key("vikram")).CodeAt(time.Now().Add(30 * time.Second))
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

// TestRefusedSignIn: the answer is the same whatever was wrong, and never has what was
// typed.
func TestRefusedSignIn(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t)
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

// TestAuditLog: an admin reads it page by page, searches, and exports it as CSV, in
// which nothing is a formula.
func TestAuditLog(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t).enter("asha")
	for range auditPageSize {
		err := h.staff.Record(t.Context(), staff.Actor{Login: "ravi", Role: staff.Operator, From: "192.0.2.1"},
			staff.Change{What: "operation.view", Subject: "=HYPERLINK(1)", Note: "<b>bold</b>"})
		if err != nil {
			t.Fatal(err)
		}
	}
	page := v.get("/console/audit", http.StatusOK)
	has(t, page, "operation.view", "&lt;b&gt;bold", "192.0.2.1")
	older := regexp.MustCompile(`href="(/console/audit\?before=[^"]+)"`).FindStringSubmatch(page)
	if older == nil {
		t.Fatalf("there is no older page:\n%s", page)
	}
	has(t, v.get(older[1], http.StatusOK), "session.open")
	has(t, v.get("/console/audit?person=asha&action=session.open", http.StatusOK), "session.open")
	hasNot(t, v.get("/console/audit?person=asha", http.StatusOK), "operation.view")
	today := time.Now().In(ist.Zone()).Format(time.DateOnly)
	has(t, v.get("/console/audit?about=asha&from="+today+"&to="+today, http.StatusOK), "session.open")
	has(t, v.get("/console/audit?to=2020-01-01", http.StatusOK), "No results.")
	has(t, v.get("/console/audit?from=yesterday", http.StatusUnprocessableEntity), "Write the day as")
	rows, err := csv.NewReader(strings.NewReader(v.get("/console/audit.csv?person=ravi", http.StatusOK))).ReadAll()
	if err != nil || len(rows) != auditPageSize+1 || rows[1][6] != "'=HYPERLINK(1)" {
		t.Errorf("%d rows, %v: %q", len(rows), err, rows[min(1, len(rows)-1)])
	}
	if !slices.ContainsFunc(h.did(t), func(line string) bool { return strings.HasPrefix(line, "audit.export asha/") }) {
		t.Error("the audit log does not have its export")
	}
}
