package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/accounts"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/shared/op"
)

func entryOf(what staff.Action, person string) staff.AuditEntry {
	return staff.AuditEntry{ID: uuid.Must(uuid.NewV7()).String(), At: t0, Person: person, Role: staff.Admin, From: "127.0.0.1", Action: what, Subject: "asha", Outcome: staff.OutcomeDone}
}

func newPerson(login string, role staff.Role) staff.Account {
	return staff.Account{
		Member: staff.Member{Login: login, Name: "Asha", Role: role, CreatedAt: t0, CreatedBy: "root@test", SetupEnds: t0.Add(time.Hour)},
		Sealed: []byte("sealed " + login), SetupHash: sha256.Sum256([]byte(login)),
	}
}

// working adds somebody who has set up, with a session.
func working(t *testing.T, s *DB, login string, role staff.Role) (staff.Account, staff.Session) {
	t.Helper()
	r := newPerson(login, role)
	wantErr(t, "add", s.AddMember(background, r, entryOf(staff.ActAdd, "root")), nil)
	r.Password, r.Step = argon, 7
	in := staff.Session{Hash: sha256.Sum256([]byte("session " + login)), Login: login, From: "127.0.0.1", OpenedAt: t0, SeenAt: t0}
	wantErr(t, "enrol", s.EnrolMember(background, r, in, entryOf(staff.ActEnrol, login)), nil)
	return r, in
}

func isOpen(t *testing.T, s *DB, in staff.Session) bool {
	t.Helper()
	_, _, err := s.StaffSession(background, in.Hash, t0.Add(-time.Hour), t0.Add(-time.Hour))
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestStaffAccounts(t *testing.T) { onBoth(t, staffAccounts) }

func staffAccounts(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	r := newPerson("asha", staff.Admin)
	wantErr(t, "add", s.AddMember(background, r, entryOf(staff.ActAdd, "root")), nil)
	wantErr(t, "add again", s.AddMember(background, r, entryOf(staff.ActAdd, "root")), central.ErrTaken)
	got, err := s.MemberAccount(background, "asha")
	wantErr(t, "read", err, nil)
	if got.SetupHash != r.SetupHash || string(got.Sealed) != string(r.Sealed) || got.Ready || !got.SetupEnds.Equal(truncateToMillis(r.SetupEnds)) || !got.CreatedAt.Equal(truncateToMillis(t0)) {
		t.Errorf("read back: %+v", got)
	}
	_, err = s.MemberAccount(background, "nobody")
	wantErr(t, "somebody who is not there", err, central.ErrNotFound)

	in := staff.Session{Hash: [32]byte{1}, Login: "asha", From: "x", OpenedAt: t0, SeenAt: t0}
	r.Password, r.Step = argon, 7
	other := r
	other.SetupHash = [32]byte{9}
	wantErr(t, "another set-up", s.EnrolMember(background, other, in, entryOf(staff.ActEnrol, "asha")), central.ErrState)
	late := entryOf(staff.ActEnrol, "asha")
	late.At = t0.Add(time.Hour)
	wantErr(t, "a set-up that is over", s.EnrolMember(background, r, in, late), central.ErrState)
	wantErr(t, "enrol", s.EnrolMember(background, r, in, entryOf(staff.ActEnrol, "asha")), nil)
	wantErr(t, "enrol again", s.EnrolMember(background, r, in, entryOf(staff.ActEnrol, "asha")), central.ErrState)
	if !isOpen(t, s, in) {
		t.Error("the set-up opened no session")
	}
	r, err = s.MemberAccount(background, "asha")
	wantErr(t, "read", err, nil)

	next := staff.Session{Hash: [32]byte{2}, Login: "asha", From: "y", OpenedAt: t0, SeenAt: t0}
	// A sign-in forgets the wrong tries that were counted under its name, and no others.
	tries := func(name string) (n int) {
		_, err := s.CountStaffAttempt(background, name, t0, func(failures int) time.Duration { n = failures; return 0 })
		wantErr(t, "try", err, nil)
		return n
	}
	tries("asha")
	tries("asha of a browser")
	marked := staff.Session{Hash: [32]byte{3}, Login: "asha", From: "y", OpenedAt: t0, SeenAt: t0, AttemptName: "asha of a browser"}
	wantErr(t, "a code that was used", s.OpenStaffSession(background, r, 7, marked, entryOf(staff.ActSignIn, "asha")), central.ErrState)
	if n := tries("asha of a browser"); n != 2 {
		t.Errorf("a sign-in that was refused forgot tries: %d", n)
	}
	r.Step = 7
	wantErr(t, "sign in from a known browser", s.OpenStaffSession(background, r, 8, marked, entryOf(staff.ActSignIn, "asha")), nil)
	if mine, theirs := tries("asha of a browser"), tries("asha"); mine != 1 || theirs != 2 {
		t.Errorf("after the sign-in it is try %d of the browser and %d of others", mine, theirs)
	}
	wantErr(t, "close", s.CloseStaffSession(background, marked.Hash, entryOf(staff.ActSignOut, "asha")), nil)
	wantErr(t, "a code that was used", s.OpenStaffSession(background, r, 8, next, entryOf(staff.ActSignIn, "asha")), central.ErrState)
	wantErr(t, "sign in", s.OpenStaffSession(background, r, 9, next, entryOf(staff.ActSignIn, "asha")), nil)
	wantErr(t, "the same code", s.OpenStaffSession(background, r, 9, next, entryOf(staff.ActSignIn, "asha")), central.ErrState)
	session, p, err := s.StaffSession(background, next.Hash, t0.Add(-time.Minute), t0.Add(-time.Minute))
	if err != nil || session.Login != "asha" || session.From != "y" || !session.OpenedAt.Equal(truncateToMillis(t0)) || p.Role != staff.Admin {
		t.Errorf("the session is %+v of %+v, %v", session, p, err)
	}
	wantErr(t, "touch", s.TouchStaffSession(background, next.Hash, t0.Add(time.Minute)), nil)
	if _, _, err := s.StaffSession(background, next.Hash, t0.Add(-time.Minute), t0.Add(30*time.Second)); err != nil {
		t.Errorf("after a touch: %v", err)
	}
	_, _, err = s.StaffSession(background, next.Hash, t0.Add(time.Minute), t0)
	wantErr(t, "a session that was opened too long ago", err, central.ErrNotFound)
	wantErr(t, "close", s.CloseStaffSession(background, next.Hash, entryOf(staff.ActSignOut, "asha")), nil)
	if isOpen(t, s, next) || !isOpen(t, s, in) {
		t.Error("closing a session closes that one")
	}
	wantErr(t, "the last admin's role", s.SetMemberRole(background, "asha", staff.Viewer, entryOf(staff.ActRole, "asha")), staff.ErrLastAdmin)
	wantErr(t, "the last admin disabled", s.DisableMember(background, "asha", entryOf(staff.ActDisable, "asha")), staff.ErrLastAdmin)
	if !isOpen(t, s, in) {
		t.Error("a step that was refused ended a session")
	}
	_, ravi := working(t, s, "ravi", staff.Operator)
	wantErr(t, "another role", s.SetMemberRole(background, "ravi", staff.Admin, entryOf(staff.ActRole, "")), nil)
	if isOpen(t, s, ravi) || !isOpen(t, s, in) {
		t.Error("another role ends the person's sessions, and nobody else's")
	}
	wantErr(t, "disabled", s.DisableMember(background, "asha", entryOf(staff.ActDisable, "ravi")), nil)
	wantErr(t, "disabled again", s.DisableMember(background, "asha", entryOf(staff.ActDisable, "ravi")), central.ErrState)
	got, err = s.MemberAccount(background, "asha")
	if err != nil || got.Password != "" || got.Sealed != nil || got.DisabledAt.IsZero() || isOpen(t, s, in) {
		t.Errorf("who was disabled: %+v, %v", got, err)
	}
	wantErr(t, "let in again", s.ResetMember(background, newPerson("asha", staff.Admin), entryOf(staff.ActReset, "ravi")), nil)
	wantErr(t, "seal anew", s.ResealMemberFactor(background, "asha", []byte("sealed asha"), []byte("anew")), nil)
	wantErr(t, "seal what is not there", s.ResealMemberFactor(background, "asha", []byte("sealed asha"), []byte("anew")), central.ErrState)
	list, err := s.Members(background, "")
	if err != nil || len(list) != 2 || list[0].Login != "asha" || list[1].Login != "ravi" || list[1].Role != staff.Admin {
		t.Errorf("all: %+v, %v", list, err)
	}
}

// TestAdminsAtOnce: two admins who put each other out at one time, on two nodes,
// leave one.
func TestAdminsAtOnce(t *testing.T) { onBoth(t, adminsAtOnce) }

func adminsAtOnce(t *testing.T, on kind) {
	place := on.seeded(t)
	nodes := []*DB{openAt(t, place, testConfig()), openAt(t, place, testConfig())}
	names := []string{"asha", "ravi"}
	for _, login := range names {
		working(t, nodes[0], login, staff.Admin)
	}
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() {
			errs[i] = nodes[i].DisableMember(background, names[i], entryOf(staff.ActDisable, names[1-i]))
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), staff.ErrLastAdmin) {
		t.Errorf("disabled at once: %v and %v", errs[0], errs[1])
	}
}

// TestSignInAttemptsAtOnce: many tries at one time, on two nodes, count each.
func TestSignInAttemptsAtOnce(t *testing.T) { onBoth(t, signInAttemptsAtOnce) }

func signInAttemptsAtOnce(t *testing.T, on kind) {
	place := on.seeded(t)
	nodes := []*DB{openAt(t, place, testConfig()), openAt(t, place, testConfig())}
	wait := func(n int) time.Duration {
		if n < 5 {
			return 0
		}
		return time.Minute
	}
	var mu sync.Mutex
	looked := 0
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			left, err := nodes[i%2].CountStaffAttempt(background, "asha", t0, wait)
			wantNil(t, err)
			mu.Lock()
			defer mu.Unlock()
			if left == 0 {
				looked++
			} else if left.Round(time.Second) != time.Minute { // the database cuts to milliseconds
				t.Errorf("it waits %v", left)
			}
		})
	}
	all.Wait()
	if looked != 5 {
		t.Errorf("%d of 12 tries are looked at, want 5", looked)
	}
	if left, err := nodes[0].CountStaffAttempt(background, "asha", t0.Add(time.Minute), wait); left != 0 || err != nil {
		t.Errorf("after the wait: %v, %v", left, err)
	}
	if left, err := nodes[0].CountStaffAttempt(background, "ravi", t0.Add(48*time.Hour), wait); left != 0 || err != nil {
		t.Errorf("another name: %v, %v", left, err)
	}
	known := false
	wantErr(t, "read", nodes[0].read(background, func(c conn) (err error) {
		known, err = c.exists(`SELECT 1 FROM sign_in_attempts WHERE name = 'asha'`)
		return err
	}), nil)
	if known {
		t.Error("tries of two days ago are still there")
	}
}

func TestAuditLog(t *testing.T) { onBoth(t, auditLog) }

func auditLog(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	var all []staff.AuditEntry
	for i := range 7 {
		e := entryOf("operation.look", []string{"asha", "ravi"}[i%2])
		e.At = t0.Add(time.Duration(i/2) * time.Second) // some share a moment
		e.Subject, e.Was, e.Became, e.Note = fmt.Sprint("operation ", i%3), "a", "b", "c"
		wantErr(t, "note", s.AddAuditEntry(background, e), nil)
		e.At, e.Node = truncateToMillis(e.At), testNode
		all = append([]staff.AuditEntry{e}, all...)
	}
	read := func(q staff.AuditQuery) []staff.AuditEntry {
		t.Helper()
		list, err := s.AuditEntries(background, q)
		wantErr(t, "read", err, nil)
		return list
	}
	wantSame(t, "all", read(staff.AuditQuery{Limit: 10}), all)
	var paged []staff.AuditEntry
	for q := (staff.AuditQuery{Limit: 2}); ; q.Before = paged[len(paged)-1].ID {
		part := read(q)
		paged = append(paged, part...)
		if len(part) < 2 {
			break
		}
	}
	wantSame(t, "page by page", paged, all)
	for name, c := range map[string]struct {
		q    staff.AuditQuery
		want func(staff.AuditEntry) bool
	}{
		"person":         {staff.AuditQuery{Person: "ravi"}, func(e staff.AuditEntry) bool { return e.Person == "ravi" }},
		"subject":        {staff.AuditQuery{Subject: "operation 1"}, func(e staff.AuditEntry) bool { return e.Subject == "operation 1" }},
		"both":           {staff.AuditQuery{Subject: "operation 1", Person: "asha"}, func(e staff.AuditEntry) bool { return e.Subject == "operation 1" && e.Person == "asha" }},
		"another action": {staff.AuditQuery{Action: "x"}, func(staff.AuditEntry) bool { return false }},
		"from and to": {staff.AuditQuery{From: t0.Add(time.Second), To: t0.Add(3 * time.Second)}, func(e staff.AuditEntry) bool {
			return !e.At.Before(truncateToMillis(t0.Add(time.Second))) && e.At.Before(truncateToMillis(t0.Add(3*time.Second)))
		}},
	} {
		var want []staff.AuditEntry
		for _, e := range all {
			if c.want(e) {
				want = append(want, e)
			}
		}
		c.q.Limit = 10
		wantSame(t, "by "+name, read(c.q), want)
	}
	_, err := s.AuditEntries(background, staff.AuditQuery{Before: "none", Limit: 1})
	wantErr(t, "before none", err, central.ErrNotFound)
}

// TestSchemaRefusesOfTheConsole tries past the methods what the ninth migration
// must not take.
func TestSchemaRefusesOfTheConsole(t *testing.T) { onBoth(t, schemaRefusesOfTheConsole) }

func schemaRefusesOfTheConsole(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	working(t, s, "asha", staff.Admin)
	wantErr(t, "store", s.AddDocument(background, staff.SealedDocument{SHA256: strings.Repeat("a", 64), Name: "x", Bytes: 1, Sealed: []byte("sealed"), At: t0, By: "asha"}), nil)
	o := inState(t, s, op.Pending)
	id, err := s.OpenCase(background, handCase(o), reconcile.Step{At: t0, By: "asha", Action: reconcile.ActionFound, Reason: "x"})
	wantErr(t, "open a case", err, nil)
	cases := []struct{ name, statement string }{
		{"a rewritten audit log", "UPDATE audit_log SET note = 'other'"},
		{"a deleted audit log", "DELETE FROM audit_log"},
		{"an outcome that is none", "INSERT INTO audit_log (id, at, node, actor, role, source, action, subject, outcome, was, became, note) VALUES ('" + strings.Repeat("x", 36) + "', 1, '', '', '', '', 'a', '', 'perhaps', '', '', '')"},
		{"a deleted staff member", "DELETE FROM staff"},
		{"another login", "UPDATE staff SET login = 'other'"},
		{"a password in the clear", "UPDATE staff SET password = 'secret'"},
		{"a role that is none", "UPDATE staff SET role = 'root'"},
		{"a code that may be used again", "UPDATE staff SET step = 1"},
		{"a password of who is out", "UPDATE staff SET disabled_at = 1"},
		{"neither a password nor a set-up", "UPDATE staff SET password = ''"},
		{"a session of nobody", "INSERT INTO staff_sessions (hash, login, source, opened_at, seen_at) VALUES (zeroblob(32), 'nobody', '', 1, 1)"},
		{"a session's token", "INSERT INTO staff_sessions (hash, login, source, opened_at, seen_at) VALUES (x'00', 'asha', '', 1, 1)"},
		{"another document", "UPDATE documents SET name = 'other'"},
		{"a deleted document", "DELETE FROM documents"},
		{"a document in the clear", "INSERT INTO documents (sha256, name, bytes, sealed, at, stored_by) VALUES ('" + strings.Repeat("b", 64) + "', 'x', 1, x'00', 1, 'asha')"},
		{"a case by hand with a file", "UPDATE reconciliation_cases SET file = 1"},
		{"a case without a file that is not by hand", "UPDATE reconciliation_cases SET class = 'outcome-differs'"},
		{"a deleted case", "DELETE FROM reconciliation_cases"},
		{"a second case by hand", fmt.Sprintf("INSERT INTO reconciliation_cases (day, file, number, class, reference, operation, found, found_at, status) VALUES ('%s', 0, 99, 'manual', 'x', '%s', 'pending', 1, 'open')", id.Day, o.ID)},
		{"a case of a file that is not there", "INSERT INTO reconciliation_cases (day, file, number, class, reference, operation, found, found_at, status) VALUES ('2026-11-21', 5, 1, 'outcome-differs', 'x', '" + string(o.ID) + "', 'pending', 1, 'open')"},
		{"a rewritten history of a case", "UPDATE reconciliation_steps SET reason = 'other'"},
	}
	if on == onPostgres {
		for _, table := range []string{"audit_log", "staff", "documents", "reconciliation_cases"} {
			cases = append(cases, struct{ name, statement string }{"emptied " + table, "TRUNCATE " + table + " CASCADE"})
		}
	}
	for _, c := range cases {
		if err := tryWrite(s, on.sql(c.statement)); err == nil {
			t.Errorf("the schema takes %s: %s", c.name, c.statement)
		}
	}
}

func handCase(o central.Operation) reconcile.Case {
	return reconcile.Case{
		CaseID: reconcile.CaseID{Day: "2026-11-22"}, Class: reconcile.Manual, Reference: o.Reference,
		Operation: &reconcile.Operation{ID: o.ID}, Found: o.State, FoundAt: t0, Status: reconcile.Open,
	}
}

// TestCasesByHand: an operation has one, whoever opens it; it is decided as
// others are, and a settlement file of its day does not supersede it.
func TestCasesByHand(t *testing.T) { onBoth(t, casesByHand) }

func casesByHand(t *testing.T, on kind) {
	place := on.seeded(t)
	nodes := []*DB{openAt(t, place, testConfig()), openAt(t, place, testConfig())}
	s := nodes[0]
	o, other := inState(t, s, op.Pending), inState(t, s, op.Pending)
	ids := make([]reconcile.CaseID, 6)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			var err error
			ids[i], err = nodes[i%2].OpenCase(background, handCase([]central.Operation{o, other}[i/3]), reconcile.Step{At: t0, By: "asha", Action: reconcile.ActionFound, Reason: "x"})
			wantNil(t, err)
		})
	}
	all.Wait()
	if ids[0] != ids[1] || ids[1] != ids[2] || ids[3] != ids[5] || ids[0] == ids[3] || ids[0].File != 0 {
		t.Errorf("the cases are %v", ids)
	}
	id := ids[0]
	wantErr(t, "propose", s.ProposeCase(background, id, reconcile.Step{At: t0, By: "asha", Action: reconcile.ActionProposed, Verdict: reconcile.Failed, Reason: "the letter"}), nil)
	wantErr(t, "confirm alone", s.ConfirmCase(background, id, reconcile.Step{At: t0, By: "asha", Action: reconcile.ActionConfirmed}), reconcile.ErrSamePerson)
	for _, seen := range []int{-1, 1, 3} { // it was opened and proposed
		wantErr(t, "confirm what is not there any more", s.ConfirmCase(background, id, reconcile.Step{At: t0, By: "ravi", Action: reconcile.ActionConfirmed, Seen: seen}), reconcile.ErrChanged)
	}
	wantErr(t, "confirm", s.ConfirmCase(background, id, reconcile.Step{At: t0, By: "ravi", Action: reconcile.ActionConfirmed, Seen: 2}), nil)
	f, err := s.CreateFile(background, reconcile.File{Content: reconcile.Content{Day: id.Day, SHA256: [32]byte{1}, Bytes: 1}, Name: "x", By: "asha", At: t0})
	wantErr(t, "begin a file", err, nil)
	wantErr(t, "complete it", s.CompleteFile(background, f, nil, nil), nil)
	e, err := s.DecisionFor(background, o.Reference)
	if err != nil || e.Case != id.String() || e.To != op.Failed {
		t.Errorf("the decision is %+v, %v", e, err)
	}
	for name, list := range map[string]func() ([]reconcile.Case, error){
		"of the operation": func() ([]reconcile.Case, error) { return s.CasesOfOperation(background, o.ID) },
		"by hand":          func() ([]reconcile.Case, error) { return s.ManualCases(background, 10) },
	} {
		found, err := list()
		wantErr(t, name, err, nil)
		want := map[string]int{"of the operation": 1, "by hand": 2}[name]
		if len(found) != want {
			t.Errorf("%s: %d cases, want %d", name, len(found), want)
		}
		for _, c := range found {
			if c.Class != reconcile.Manual || c.Operation == nil || c.Superseded || c.Line != nil {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// TestSearch finds operations by what people have in hand.
func TestSearch(t *testing.T) { onBoth(t, search) }

func search(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	mine := inState(t, s, op.Succeeded)
	later := inState(t, s, op.Pending, func(o *central.Operation) {
		o.CreatedAt, o.Aadhaar, o.Merchant = t0.Add(time.Hour), "XXXXXXXX1234", merchant2
	})
	transfer := created(t, s, func(o *central.Operation) { o.Sender, o.Aadhaar, o.Merchant = "sender-1", "", merchant4 })
	hash := [32]byte{7}
	wantErr(t, "name a customer", s.NameCustomer(background, accounts.CustomerByEnrolment("e-1"), hash, t0), nil)
	for range 2 {
		wantErr(t, "name a customer", s.NameCustomer(background, accounts.CustomerByRemitter("sender-1"), hash, t0), nil)
	}
	former, returned := accounts.CustomerKey{8}, accounts.CustomerKey{9}
	for _, number := range []accounts.CustomerKey{former, returned, former, returned, hash} { // the remitter changes its number, and back
		wantErr(t, "name a customer", s.NameCustomer(background, accounts.CustomerByRemitter("sender-1"), number, t0), nil)
	}
	whole := staff.Search{From: t0.Add(-time.Hour), To: t0.Add(2 * time.Hour), Limit: 10}
	for name, c := range map[string]struct {
		change func(*staff.Search)
		want   []op.ID
	}{
		"time":              {func(*staff.Search) {}, []op.ID{later.ID, transfer.ID, mine.ID}},
		"the first hour":    {func(q *staff.Search) { q.To = t0.Add(time.Hour) }, []op.ID{transfer.ID, mine.ID}},
		"the second":        {func(q *staff.Search) { q.From = t0.Add(time.Minute) }, []op.ID{later.ID}},
		"last four":         {func(q *staff.Search) { q.Aadhaar = "XXXXXXXX7058" }, []op.ID{mine.ID}},
		"other last four":   {func(q *staff.Search) { q.Aadhaar = "XXXXXXXX0000" }, nil},
		"merchant":          {func(q *staff.Search) { q.Merchant = merchant2 }, []op.ID{later.ID}},
		"remitter's mobile": {func(q *staff.Search) { q.Mobile, q.Hash = "9876543210", hash }, []op.ID{transfer.ID}},
		"a former mobile":   {func(q *staff.Search) { q.Mobile, q.Hash = "9876543211", former }, []op.ID{transfer.ID}},
		"another one":       {func(q *staff.Search) { q.Mobile, q.Hash = "9876543212", returned }, []op.ID{transfer.ID}},
		"nobody's mobile":   {func(q *staff.Search) { q.Mobile, q.Hash = "9876543213", accounts.CustomerKey{10} }, nil},
		"merchant's mobile": {func(q *staff.Search) { q.Mobile = "9000000001" }, []op.ID{mine.ID}},
		"one of them":       {func(q *staff.Search) { q.Limit = 1 }, []op.ID{later.ID}},
		"for ever":          {func(q *staff.Search) { q.From, q.To = time.Time{}, time.Time{} }, []op.ID{later.ID, transfer.ID, mine.ID}},
	} {
		q := whole
		c.change(&q)
		found, err := s.Search(background, q)
		wantErr(t, name, err, nil)
		var ids []op.ID
		for _, o := range found {
			ids = append(ids, o.ID)
		}
		wantSame(t, name, ids, c.want)
	}
	words, err := s.LastReasons(background, []op.ID{mine.ID, later.ID})
	if err != nil || words[mine.ID] != "the bank answered" || words[later.ID] != "no answer from the bank" {
		t.Errorf("the last words are %v, %v", words, err)
	}
	wantErr(t, "stick", s.PostponeEnquiry(background, later.ID, t0, t0.Add(time.Hour), "", true), nil)
	wantErr(t, "enquire", s.EnquireNow(background, later.ID, t0.Add(time.Minute), "asha"), nil)
	due, err := s.ClaimEnquiries(background, t0.Add(time.Minute), t0.Add(time.Hour), 10)
	if err != nil || len(due) != 1 || due[0].ID != later.ID {
		t.Errorf("due are %d, %v", len(due), err)
	}
	wantErr(t, "enquire after what is final", s.EnquireNow(background, mine.ID, t0, "asha"), central.ErrState)
	wantErr(t, "enquire after nothing", s.EnquireNow(background, "none", t0, "asha"), central.ErrState)
}
