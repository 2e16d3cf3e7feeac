package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/op"
)

// TestManualCase: a stuck operation gets its outcome by two people, with evidence, and
// never by one.
func TestManualCase(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	stuck, fresh := h.operation(t, 1, 8*24*time.Hour, "stuck"), h.operation(t, 2, time.Hour, op.Pending)
	ravi, meera, vikram := h.browser(t).enter("ravi"), h.browser(t).enter("meera"), h.browser(t).enter("vikram")
	at := "/console/operations/" + string(stuck.ID)
	has(t, ravi.post("/console/operations/"+string(fresh.ID)+"/case", http.StatusConflict, "reason", "no answer"), "Enquiries about it still run")
	has(t, ravi.post(at+"/case", http.StatusUnprocessableEntity, "reason", " "), "A reason is needed")
	has(t, ravi.post(at+"/case", http.StatusUnprocessableEntity, "reason", "of 9999 4105 7058"), "may be an Aadhaar number")
	to := ravi.post(at+"/case", http.StatusSeeOther, "reason", "the bank does not answer")
	name := strings.TrimSuffix(to, "?done=opened")
	if again := meera.post(at+"/case", http.StatusSeeOther, "reason", "me, too"); again != to {
		t.Errorf("a second case: %s and %s", to, again)
	}
	has(t, ravi.get(to, http.StatusOK), "manual", "The case was opened", "the bank does not answer")

	propose := func(v *browser, status int, verdict, reason, file string) string {
		t.Helper()
		return v.sends(name+"/propose", status, "document", file, "the bank's letter", "verdict", verdict, "reason", reason)
	}
	has(t, propose(ravi, http.StatusUnprocessableEntity, "succeeded", "the letter says so", ""), "An outcome needs its evidence", "the letter says so")
	has(t, propose(ravi, http.StatusUnprocessableEntity, "maybe", "x", "letter.txt"), "decided as succeeded, failed, reversed or noted")
	if sums, err := h.db.DocumentHashes(t.Context(), "", 10); err != nil || len(sums) != 0 {
		t.Errorf("the document of a proposal that was refused is kept: %v, %v", sums, err)
	}
	propose(ravi, http.StatusSeeOther, "succeeded", "the letter says so", "letter.txt")
	page := ravi.get(name, http.StatusOK)
	has(t, page, "You proposed it", "letter.txt", "/console/documents/")
	hasNot(t, page, "Confirm: ")
	has(t, ravi.post(name+"/confirm", http.StatusConflict), "another person must")
	vikram.post(name+"/confirm", http.StatusForbidden)
	hasNot(t, vikram.get(name, http.StatusOK), "/console/documents/")

	page = meera.get(name, http.StatusOK)
	letterPath := page[strings.Index(page, "/console/documents/"):]
	letterPath = letterPath[:strings.IndexByte(letterPath, '"')]
	reply, letter := meera.do(meera.request(http.MethodGet, letterPath, nil))
	if letter != "the bank's letter" || reply.Header.Get("Content-Disposition") != "attachment; filename=letter.txt" || reply.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the evidence is %q, %v", letter, reply.Header)
	}
	vikram.get(letterPath, http.StatusForbidden)
	meera.get("/console/documents/"+strings.Repeat("0", 64), http.StatusNotFound)
	meera.post(name+"/reject", http.StatusSeeOther, "reason", "which letter?")
	has(t, meera.post(name+"/confirm", http.StatusConflict), "Its state has changed")
	propose(ravi, http.StatusSeeOther, "succeeded", "the letter of today", "letter.txt")
	// Between reading and confirming, the proposal is replaced by another one.
	has(t, meera.post(name+"/confirm", http.StatusConflict, "reason", "", "seen", "x"), "has changed since you read it")
	read := seen(t, meera.get(name, http.StatusOK))
	ravi.post(name+"/reject", http.StatusSeeOther, "reason", "the wrong letter")
	propose(ravi, http.StatusSeeOther, "failed", "the letter of today", "letter.txt")
	has(t, meera.post(name+"/confirm", http.StatusConflict, "seen", read), "has changed since you read it", "Confirm: failed")
	ravi.post(name+"/reject", http.StatusSeeOther, "reason", "the letter was right")
	propose(ravi, http.StatusSeeOther, "succeeded", "the letter of today", "letter.txt")
	if to := meera.post(name+"/confirm", http.StatusSeeOther, "reason", "", "seen", seen(t, meera.get(name, http.StatusOK))); to != name+"?done=confirmed" {
		t.Errorf("it leads to %s", to)
	}

	// The engine reads the decision at the next enquiry, which is due.
	decision, err := h.db.DecisionFor(t.Context(), stuck.Reference)
	if err != nil || decision.To != op.Succeeded || decision.By != "meera" {
		t.Errorf("the decision is %+v, %v", decision, err)
	}
	due, err := h.db.ClaimEnquiries(t.Context(), time.Now(), time.Now().Add(time.Minute), 10)
	if err != nil || !slices.ContainsFunc(due, func(o central.Operation) bool { return o.ID == stuck.ID }) {
		t.Errorf("its enquiry is not due: %v", err)
	}
	has(t, meera.get(at, http.StatusOK), "was decided as succeeded by ravi and meera", "manual")
	meera.post(name+"/withdraw", http.StatusSeeOther, "reason", "the bank's word came")
	if _, err := h.db.DecisionFor(t.Context(), stuck.Reference); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("after it was withdrawn: %v", err)
	}
	id := strings.TrimPrefix(name, "/console/cases/")
	for _, want := range []string{
		"case.open ravi/" + string(stuck.ID) + " done", "case.propose ravi/" + id + " started", "case.propose ravi/" + id + " done",
		"case.confirm ravi/" + id + " refused", "case.confirm meera/" + id + " done", "case.reject meera/" + id + " done", "case.withdraw meera/" + id + " done",
		"document.view meera/" + strings.TrimPrefix(letterPath, "/console/documents/") + " done",
	} {
		if !slices.Contains(h.did(t), want) {
			t.Errorf("%q is not in the audit log", want)
		}
	}
	has(t, vikram.get("/console/reconciliation", http.StatusOK), name)
	vikram.get("/console/cases/none", http.StatusNotFound)
	vikram.get("/console/cases/2026-11-21.0.99", http.StatusNotFound)
}

// seen reads what the form of a confirmation says was read.
func seen(t testing.TB, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="seen" value="([0-9]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no form of a confirmation:\n%s", page)
	}
	return found[1]
}

// TestDays imports the bank's file, reads its report and decides a case of it.
func TestDays(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	at := time.Now().Add(-48 * time.Hour)
	day := string(ist.DayOf(at))
	head := "reference,rrn,stan,amount,code,time\n"
	file := head + "GL261120STRAY,632510000001,000001,500.00,00," + at.In(ist.Zone()).Format("2006-01-02") + "T10:00:00+05:30\nEND," + day + ",1,500.00,,\n"
	ravi, vikram := h.browser(t).enter("ravi"), h.browser(t).enter("vikram")
	has(t, ravi.sends("/console/reconciliation", http.StatusUnprocessableEntity, "file", "bad.csv", head+"x,y\nEND,"+day+",1,500.00,,\n"), "Nothing was imported", "has 2 fields")
	has(t, ravi.sends("/console/reconciliation", http.StatusUnprocessableEntity, "file", "", ""), "Choose the bank")
	reply, _ := vikram.do(vikram.send("/console/reconciliation", "file", "day.csv", file))
	if reply.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer imports: HTTP %d", reply.StatusCode)
	}
	forged := ravi.csrf
	ravi.csrf = "x"
	ravi.sends("/console/reconciliation", http.StatusForbidden, "file", "day.csv", file)
	ravi.csrf = forged
	ravi.get("/console/reconciliation", http.StatusOK)
	to := ravi.sends("/console/reconciliation", http.StatusSeeOther, "file", "day.csv", file)
	if to != "/console/reconciliation/"+day+"?file=1&done=imported" {
		t.Fatalf("it leads to %s", to)
	}
	if again := ravi.sends("/console/reconciliation", http.StatusSeeOther, "file", "day.csv", file); !strings.HasSuffix(again, "&done=again") {
		t.Errorf("the same file again leads to %s", again)
	}
	has(t, vikram.get(to, http.StatusOK), "missing-here", "1 of 1", "GL261120STRAY", "The file was imported")
	has(t, vikram.get("/console/reconciliation", http.StatusOK), day+".1", "day.csv", "ravi")
	hasNot(t, vikram.get("/console/reconciliation", http.StatusOK), "Import and compare")
	has(t, vikram.get("/console/reconciliation/"+day+"/cases.csv?file=1", http.StatusOK), day+".1.1,missing-here,open,")
	for _, none := range []string{"/console/reconciliation/2020-01-01", "/console/reconciliation/yesterday", "/console/reconciliation/" + day + "?file=9", "/console/reconciliation/" + day + "?file=x"} {
		vikram.get(none, http.StatusNotFound)
	}
	name := "/console/cases/" + day + ".1.1"
	hasNot(t, ravi.get(name, http.StatusOK), `value="succeeded"`) // there is no operation
	ravi.sends(name+"/propose", http.StatusSeeOther, "document", "", "", "verdict", "noted", "reason", "the bank takes it back")
	asha := h.browser(t).enter("asha")
	asha.post(name+"/confirm", http.StatusSeeOther, "seen", seen(t, asha.get(name, http.StatusOK)))
	has(t, vikram.get(name, http.StatusOK), "decided", "the bank takes it back", "asha")
}

// RecordByRRN fails: in these tests every payment was reported.
func (noPayments) RecordByRRN(context.Context, string) (known, conflicts int, err error) {
	return 0, 0, errors.New("the network is not asked")
}

// TestACaseOfALatePayment: the case of a line without a payment leads to the payment once it
// is recorded, and a rule notes it.
func TestACaseOfALatePayment(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	day := string(ist.DayOf(time.Now().Add(-48 * time.Hour)))
	id := fmt.Sprintf("GSB%032X", 1)
	file := "reference,rrn,stan,amount,code,time\n" + id + ",633090000001,000000,12.50,00," + day + "T10:00:00+05:30\nEND," + day + ",1,12.50,,\n"
	ravi := h.browser(t).enter("ravi")
	ravi.get("/console/reconciliation", http.StatusOK)
	ravi.sends("/console/reconciliation", http.StatusSeeOther, "file", "day.csv", file)
	name := "/console/cases/" + day + ".1.1"
	page := ravi.get(name, http.StatusOK)
	has(t, page, "missing-here", "no such operation", "000000", "Propose")
	hasNot(t, page, "Central, now")
	paid := h.payment(t, 1)
	link := `<dt>Central, now</dt><dd><a href="/console/operations/` + string(paid.Operation) + `">succeeded</a>`
	has(t, ravi.get(name, http.StatusOK), link, "<dt>Kind</dt><dd>UPI payment</dd>")
	if note, err := reconcile.PaymentJob(h.db, noPayments{}).Run(t.Context()); err != nil {
		t.Fatalf("%s, %v", note, err)
	}
	page = ravi.get(name, http.StatusOK)
	has(t, page, link, "decided", "it was recorded since the comparison, as operation "+string(paid.Operation))
	hasNot(t, page, "Propose")
	has(t, ravi.get("/console/reconciliation/"+day, http.StatusOK), "missing-here", "decided")
}

// TestOneImportAtATime: files are compared in memory, one at a time, however many are
// sent.
func TestOneImportAtATime(t *testing.T) {
	h := newHarness(t)
	v, other := h.browser(t).enter("ravi"), h.browser(t).enter("meera")
	slow, write := io.Pipe()
	r := v.send("/console/reconciliation", "file", "slow.csv", "")
	form, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r = r.Clone(t.Context())
	r.Body, r.ContentLength = slow, -1
	answered := make(chan int, 1)
	go func() {
		reply, err := v.http.Do(r)
		if err != nil {
			answered <- 0
			return
		}
		_ = reply.Body.Close()
		answered <- reply.StatusCode
	}()
	end := bytes.LastIndex(form, []byte("\r\n--")) // the file goes on, and does not end
	if _, err := write.Write(append(bytes.Clone(form[:end]), "reference,"...)); err != nil {
		t.Fatal(err)
	}
	for len(h.console.imports) == 0 { // its file is being read
		time.Sleep(time.Millisecond)
	}
	has(t, other.sends("/console/reconciliation", http.StatusServiceUnavailable, "file", "other.csv", "x"), "Another file is being imported")
	if _, err := write.Write(form[end:]); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	if status := <-answered; status != http.StatusUnprocessableEntity {
		t.Errorf("the first file: HTTP %d", status)
	}
	for len(h.console.imports) > 0 {
		time.Sleep(time.Millisecond)
	}
	has(t, other.sends("/console/reconciliation", http.StatusUnprocessableEntity, "file", "other.csv", "x"), "Nothing was imported")
}

// TestUploads: a form with a file that is not the console's does nothing.
func TestUploads(t *testing.T) {
	h := newHarness(t)
	v := h.browser(t).enter("ravi")
	many := make([]string, 0, 2*maxFields)
	for range maxFields {
		many = append(many, "field", "value")
	}
	for name, r := range map[string]*http.Request{
		"too many fields": v.send("/console/reconciliation", "file", "x.csv", "x", many...),
		"a long field":    v.send("/console/reconciliation", "file", "x.csv", "x", "reason", strings.Repeat("x", maxField+1)),
		"a broken form":   v.send("/console/reconciliation", "file", "x.csv", "x"),
	} {
		if name == "a broken form" {
			r.Header.Set("Content-Type", "multipart/form-data; boundary=other")
		}
		want := http.StatusBadRequest
		if name == "a broken form" {
			want = http.StatusForbidden // it has no token
		}
		if reply, body := v.do(r); reply.StatusCode != want {
			t.Errorf("%s: HTTP %d: %s", name, reply.StatusCode, body)
		}
	}
	v.sends("/console/cases/2026-11-21.0.1/propose", http.StatusNotFound, "document", "x", "x", "verdict", "noted", "reason", "x")
}

// TestSecondAccount: an admin who adds somebody and uses that account is still one
// person, whichever of the two proposes. Others can confirm, also somebody who was
// reset by another admin.
func TestSecondAccount(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	asha, meera := h.browser(t).enter("asha"), h.browser(t).enter("meera")
	asha.get("/console/staff", http.StatusOK)
	nila := h.enrol(t, "nila", codeShown.FindStringSubmatch(asha.post("/console/staff", http.StatusOK, "login", "nila", "name", "Nila Das", "role", "operator"))[1])
	at := "/console/operations/" + string(h.operation(t, 1, 8*24*time.Hour, "stuck").ID)
	name := strings.TrimSuffix(asha.post(at+"/case", http.StatusSeeOther, "reason", "the bank does not answer"), "?done=opened")
	propose := func(v *browser) {
		t.Helper()
		v.get(name, http.StatusOK)
		v.sends(name+"/propose", http.StatusSeeOther, "document", "letter.txt", "the bank's letter", "verdict", "succeeded", "reason", "the letter says so")
	}
	confirm := func(v *browser, status int) string {
		t.Helper()
		return v.post(name+"/confirm", status, "seen", seen(t, v.get(name, http.StatusOK)))
	}
	propose(nila)
	has(t, confirm(asha, http.StatusConflict), "you are not independent")
	nila.post(name+"/reject", http.StatusSeeOther, "reason", "again")
	propose(asha)
	has(t, confirm(nila, http.StatusConflict), "you are not independent")

	setup, err := h.staff.Reset(t.Context(), "nila", staff.Actor{From: "root@central"})
	if err != nil {
		t.Fatal(err)
	}
	nila = h.enrol(t, "nila", setup.Code.Reveal())
	confirm(nila, http.StatusSeeOther)
	nila.post(name+"/withdraw", http.StatusSeeOther, "reason", "again")
	propose(nila)
	confirm(meera, http.StatusSeeOther)
}

// enrol sets somebody up, in a browser of their own.
func (h *harness) enrol(t testing.TB, login, setup string) *browser {
	t.Helper()
	v := h.browser(t)
	v.get("/console/set-up", http.StatusOK)
	raw, err := operatorKey(codeShown.FindStringSubmatch(v.post("/console/set-up", http.StatusOK, "login", login, "setup", setup))[1])
	if err != nil {
		t.Fatal(err)
	}
	code := func(at time.Time) string {
		t.Helper()
		otp, err := staff.NewFactor(login, raw).CodeAt(at)
		if err != nil {
			t.Fatal(err)
		}
		return otp.Reveal()
	}
	v.post("/console/set-up/end", http.StatusSeeOther, "login", login, "setup", setup, "password", rightPassword, "again", rightPassword, "code", code(time.Now()))
	v.get("/console/me", http.StatusOK)
	v.post("/console/step-up", http.StatusSeeOther, "step_up", code(time.Now().Add(30*time.Second)), "next", "/console/me")
	return v
}
