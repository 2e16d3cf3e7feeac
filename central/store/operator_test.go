package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/operator"
	"galla/central/settle"
	"galla/shared/op"
)

func entryOf(what operator.Action, person string) operator.Entry {
	return operator.Entry{ID: uuid.Must(uuid.NewV7()).String(), At: t0, Person: person, Role: operator.Admin, From: "127.0.0.1", Action: what, Subject: "asha", Outcome: operator.Done}
}

func newPerson(login string, role operator.Role) operator.Record {
	return operator.Record{
		Person: operator.Person{Login: login, Name: "Asha", Role: role, CreatedAt: t0, CreatedBy: "root@test", SetupEnds: t0.Add(time.Hour)},
		Sealed: []byte("sealed " + login), SetupHash: sha256.Sum256([]byte(login)),
	}
}

// working adds somebody who has set up, with a session.
func working(t *testing.T, s *DB, login string, role operator.Role) (operator.Record, operator.Session) {
	t.Helper()
	r := newPerson(login, role)
	wantErr(t, "add", s.AddOperator(background, r, entryOf(operator.ActAdd, "root")), nil)
	r.Password, r.Step = argon, 7
	in := operator.Session{Hash: sha256.Sum256([]byte("session " + login)), Login: login, From: "127.0.0.1", OpenedAt: t0, SeenAt: t0}
	wantErr(t, "enrol", s.EnrolOperator(background, r, in, entryOf(operator.ActEnrol, login)), nil)
	return r, in
}

func isOpen(t *testing.T, s *DB, in operator.Session) bool {
	t.Helper()
	_, _, err := s.OperatorSession(background, in.Hash, t0.Add(-time.Hour), t0.Add(-time.Hour))
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestOperators(t *testing.T) { onBoth(t, operators) }

func operators(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	r := newPerson("asha", operator.Admin)
	wantErr(t, "add", s.AddOperator(background, r, entryOf(operator.ActAdd, "root")), nil)
	wantErr(t, "add again", s.AddOperator(background, r, entryOf(operator.ActAdd, "root")), central.ErrTaken)
	got, err := s.Operator(background, "asha")
	wantErr(t, "read", err, nil)
	if got.SetupHash != r.SetupHash || string(got.Sealed) != string(r.Sealed) || got.Ready || !got.SetupEnds.Equal(cut(r.SetupEnds)) || !got.CreatedAt.Equal(cut(t0)) {
		t.Errorf("read back: %+v", got)
	}
	_, err = s.Operator(background, "nobody")
	wantErr(t, "somebody who is not there", err, central.ErrNotFound)

	in := operator.Session{Hash: [32]byte{1}, Login: "asha", From: "x", OpenedAt: t0, SeenAt: t0}
	r.Password, r.Step = argon, 7
	other := r
	other.SetupHash = [32]byte{9}
	wantErr(t, "another set-up", s.EnrolOperator(background, other, in, entryOf(operator.ActEnrol, "asha")), central.ErrState)
	late := entryOf(operator.ActEnrol, "asha")
	late.At = t0.Add(time.Hour)
	wantErr(t, "a set-up that is over", s.EnrolOperator(background, r, in, late), central.ErrState)
	wantErr(t, "enrol", s.EnrolOperator(background, r, in, entryOf(operator.ActEnrol, "asha")), nil)
	wantErr(t, "enrol again", s.EnrolOperator(background, r, in, entryOf(operator.ActEnrol, "asha")), central.ErrState)
	if !isOpen(t, s, in) {
		t.Error("the set-up opened no session")
	}
	r, err = s.Operator(background, "asha")
	wantErr(t, "read", err, nil)

	next := operator.Session{Hash: [32]byte{2}, Login: "asha", From: "y", OpenedAt: t0, SeenAt: t0}
	// A sign-in forgets the wrong tries that were counted under its name, and no others.
	tries := func(name string) (n int) {
		_, err := s.TryOperator(background, name, t0, func(failures int) time.Duration { n = failures; return 0 })
		wantErr(t, "try", err, nil)
		return n
	}
	tries("asha")
	tries("asha of a browser")
	marked := operator.Session{Hash: [32]byte{3}, Login: "asha", From: "y", OpenedAt: t0, SeenAt: t0, Tried: "asha of a browser"}
	wantErr(t, "a code that was used", s.OpenOperatorSession(background, r, 7, marked, entryOf(operator.ActSignIn, "asha")), central.ErrState)
	if n := tries("asha of a browser"); n != 2 {
		t.Errorf("a sign-in that was refused forgot tries: %d", n)
	}
	r.Step = 7
	wantErr(t, "sign in from a known browser", s.OpenOperatorSession(background, r, 8, marked, entryOf(operator.ActSignIn, "asha")), nil)
	if mine, theirs := tries("asha of a browser"), tries("asha"); mine != 1 || theirs != 2 {
		t.Errorf("after the sign-in it is try %d of the browser and %d of others", mine, theirs)
	}
	wantErr(t, "close", s.CloseOperatorSession(background, marked.Hash, entryOf(operator.ActSignOut, "asha")), nil)
	wantErr(t, "a code that was used", s.OpenOperatorSession(background, r, 8, next, entryOf(operator.ActSignIn, "asha")), central.ErrState)
	wantErr(t, "sign in", s.OpenOperatorSession(background, r, 9, next, entryOf(operator.ActSignIn, "asha")), nil)
	wantErr(t, "the same code", s.OpenOperatorSession(background, r, 9, next, entryOf(operator.ActSignIn, "asha")), central.ErrState)
	session, p, err := s.OperatorSession(background, next.Hash, t0.Add(-time.Minute), t0.Add(-time.Minute))
	if err != nil || session.Login != "asha" || session.From != "y" || !session.OpenedAt.Equal(cut(t0)) || p.Role != operator.Admin {
		t.Errorf("the session is %+v of %+v, %v", session, p, err)
	}
	wantErr(t, "touch", s.TouchOperatorSession(background, next.Hash, t0.Add(time.Minute)), nil)
	if _, _, err := s.OperatorSession(background, next.Hash, t0.Add(-time.Minute), t0.Add(30*time.Second)); err != nil {
		t.Errorf("after a touch: %v", err)
	}
	_, _, err = s.OperatorSession(background, next.Hash, t0.Add(time.Minute), t0)
	wantErr(t, "a session that was opened too long ago", err, central.ErrNotFound)
	wantErr(t, "close", s.CloseOperatorSession(background, next.Hash, entryOf(operator.ActSignOut, "asha")), nil)
	if isOpen(t, s, next) || !isOpen(t, s, in) {
		t.Error("closing a session closes that one")
	}
	wantErr(t, "the last admin's role", s.SetOperatorRole(background, "asha", operator.Viewer, entryOf(operator.ActRole, "asha")), operator.ErrLastAdmin)
	wantErr(t, "the last admin put out", s.DisableOperator(background, "asha", entryOf(operator.ActDisable, "asha")), operator.ErrLastAdmin)
	if !isOpen(t, s, in) {
		t.Error("a step that was refused ended a session")
	}
	_, ravi := working(t, s, "ravi", operator.Operator)
	wantErr(t, "another role", s.SetOperatorRole(background, "ravi", operator.Admin, entryOf(operator.ActRole, "")), nil)
	if isOpen(t, s, ravi) || !isOpen(t, s, in) {
		t.Error("another role ends the person's sessions, and nobody else's")
	}
	wantErr(t, "put out", s.DisableOperator(background, "asha", entryOf(operator.ActDisable, "ravi")), nil)
	wantErr(t, "put out again", s.DisableOperator(background, "asha", entryOf(operator.ActDisable, "ravi")), central.ErrState)
	got, err = s.Operator(background, "asha")
	if err != nil || got.Password != "" || got.Sealed != nil || got.DisabledAt.IsZero() || isOpen(t, s, in) {
		t.Errorf("who was put out: %+v, %v", got, err)
	}
	wantErr(t, "let in again", s.RenewOperator(background, newPerson("asha", operator.Admin), entryOf(operator.ActReset, "ravi")), nil)
	wantErr(t, "seal anew", s.ResealOperator(background, "asha", []byte("sealed asha"), []byte("anew")), nil)
	wantErr(t, "seal what is not there", s.ResealOperator(background, "asha", []byte("sealed asha"), []byte("anew")), central.ErrState)
	list, err := s.Operators(background)
	if err != nil || len(list) != 2 || list[0].Login != "asha" || list[1].Login != "ravi" || list[1].Role != operator.Admin {
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
		working(t, nodes[0], login, operator.Admin)
	}
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() {
			errs[i] = nodes[i].DisableOperator(background, names[i], entryOf(operator.ActDisable, names[1-i]))
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), operator.ErrLastAdmin) {
		t.Errorf("put out at once: %v and %v", errs[0], errs[1])
	}
}

// TestTriesAtOnce: many tries at one time, on two nodes, count each.
func TestTriesAtOnce(t *testing.T) { onBoth(t, triesAtOnce) }

func triesAtOnce(t *testing.T, on kind) {
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
			left, err := nodes[i%2].TryOperator(background, "asha", t0, wait)
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
	if left, err := nodes[0].TryOperator(background, "asha", t0.Add(time.Minute), wait); left != 0 || err != nil {
		t.Errorf("after the wait: %v, %v", left, err)
	}
	if left, err := nodes[0].TryOperator(background, "ravi", t0.Add(48*time.Hour), wait); left != 0 || err != nil {
		t.Errorf("another name: %v, %v", left, err)
	}
	known := false
	wantErr(t, "read", nodes[0].read(background, func(c conn) (err error) {
		known, err = c.exists(`SELECT 1 FROM operator_tries WHERE name = 'asha'`)
		return err
	}), nil)
	if known {
		t.Error("tries of two days ago are still there")
	}
}

func TestTrail(t *testing.T) { onBoth(t, trail) }

func trail(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	var all []operator.Entry
	for i := range 7 {
		e := entryOf("operation.look", []string{"asha", "ravi"}[i%2])
		e.At = t0.Add(time.Duration(i/2) * time.Second) // some share a moment
		e.Subject, e.Was, e.Became, e.Note = fmt.Sprint("operation ", i%3), "a", "b", "c"
		wantErr(t, "note", s.NoteTrail(background, e), nil)
		e.At, e.Node = cut(e.At), testNode
		all = append([]operator.Entry{e}, all...)
	}
	read := func(q operator.Query) []operator.Entry {
		t.Helper()
		list, err := s.TrailEntries(background, q)
		wantErr(t, "read", err, nil)
		return list
	}
	wantSame(t, "all", read(operator.Query{Limit: 10}), all)
	var paged []operator.Entry
	for q := (operator.Query{Limit: 2}); ; q.Before = paged[len(paged)-1].ID {
		part := read(q)
		paged = append(paged, part...)
		if len(part) < 2 {
			break
		}
	}
	wantSame(t, "page by page", paged, all)
	for name, c := range map[string]struct {
		q    operator.Query
		want func(operator.Entry) bool
	}{
		"person":         {operator.Query{Person: "ravi"}, func(e operator.Entry) bool { return e.Person == "ravi" }},
		"subject":        {operator.Query{Subject: "operation 1"}, func(e operator.Entry) bool { return e.Subject == "operation 1" }},
		"both":           {operator.Query{Subject: "operation 1", Person: "asha"}, func(e operator.Entry) bool { return e.Subject == "operation 1" && e.Person == "asha" }},
		"another action": {operator.Query{Action: "x"}, func(operator.Entry) bool { return false }},
		"from and to": {operator.Query{From: t0.Add(time.Second), To: t0.Add(3 * time.Second)}, func(e operator.Entry) bool {
			return !e.At.Before(cut(t0.Add(time.Second))) && e.At.Before(cut(t0.Add(3*time.Second)))
		}},
	} {
		var want []operator.Entry
		for _, e := range all {
			if c.want(e) {
				want = append(want, e)
			}
		}
		c.q.Limit = 10
		wantSame(t, "by "+name, read(c.q), want)
	}
	_, err := s.TrailEntries(background, operator.Query{Before: "none", Limit: 1})
	wantErr(t, "before none", err, central.ErrNotFound)
}

// TestSchemaRefusesOfTheConsole tries past the methods what the ninth migration
// must not take.
func TestSchemaRefusesOfTheConsole(t *testing.T) { onBoth(t, schemaRefusesOfTheConsole) }

func schemaRefusesOfTheConsole(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	working(t, s, "asha", operator.Admin)
	wantErr(t, "keep", s.KeepPaper(background, operator.Paper{SHA256: strings.Repeat("a", 64), Name: "x", Bytes: 1, Sealed: []byte("sealed"), At: t0, By: "asha"}), nil)
	o := inState(t, s, op.Pending)
	id, err := s.OpenCase(background, handCase(o), settle.Step{At: t0, By: "asha", Did: settle.DidFind, Reason: "x"})
	wantErr(t, "open a case", err, nil)
	cases := []struct{ name, statement string }{
		{"a rewritten trail", "UPDATE operator_trail SET note = 'other'"},
		{"a deleted trail", "DELETE FROM operator_trail"},
		{"an outcome that is none", "INSERT INTO operator_trail (id, at, node, person, role, source, action, subject, outcome, was, became, note) VALUES ('" + strings.Repeat("x", 36) + "', 1, '', '', '', '', 'a', '', 'perhaps', '', '', '')"},
		{"a deleted operator", "DELETE FROM operators"},
		{"another login", "UPDATE operators SET login = 'other'"},
		{"a password in the clear", "UPDATE operators SET password = 'secret'"},
		{"a role that is none", "UPDATE operators SET role = 'root'"},
		{"a code that may be used again", "UPDATE operators SET step = 1"},
		{"a password of who is out", "UPDATE operators SET disabled_at = 1"},
		{"neither a password nor a set-up", "UPDATE operators SET password = ''"},
		{"a session of nobody", "INSERT INTO operator_sessions (hash, login, source, opened_at, seen_at) VALUES (zeroblob(32), 'nobody', '', 1, 1)"},
		{"a session's token", "INSERT INTO operator_sessions (hash, login, source, opened_at, seen_at) VALUES (x'00', 'asha', '', 1, 1)"},
		{"another document", "UPDATE papers SET name = 'other'"},
		{"a deleted document", "DELETE FROM papers"},
		{"a document in the clear", "INSERT INTO papers (sha256, name, bytes, sealed, at, person) VALUES ('" + strings.Repeat("b", 64) + "', 'x', 1, x'00', 1, 'asha')"},
		{"a mobile number in the clear", "INSERT INTO remitter_mobiles (mobile, sender, at) VALUES (x'00', 'x', 1)"},
		{"a case by hand with a file", "UPDATE settlement_cases SET file = 1"},
		{"a case without a file that is not by hand", "UPDATE settlement_cases SET class = 'state'"},
		{"a deleted case", "DELETE FROM settlement_cases"},
		{"a second case by hand", fmt.Sprintf("INSERT INTO settlement_cases (day, file, number, class, reference, operation, found, found_at, status) VALUES ('%s', 0, 99, 'by-hand', 'x', '%s', 'pending', 1, 'open')", id.Day, o.ID)},
		{"a case of a file that is not there", "INSERT INTO settlement_cases (day, file, number, class, reference, operation, found, found_at, status) VALUES ('2026-11-21', 5, 1, 'state', 'x', '" + string(o.ID) + "', 'pending', 1, 'open')"},
		{"a rewritten history of a case", "UPDATE settlement_steps SET reason = 'other'"},
	}
	if on == onPostgres {
		for _, table := range []string{"operator_trail", "operators", "papers", "settlement_cases"} {
			cases = append(cases, struct{ name, statement string }{"emptied " + table, "TRUNCATE " + table + " CASCADE"})
		}
	}
	for _, c := range cases {
		if err := tryWrite(s, on.sql(c.statement)); err == nil {
			t.Errorf("the schema takes %s: %s", c.name, c.statement)
		}
	}
}

func handCase(o central.Operation) settle.Case {
	return settle.Case{
		CaseID: settle.CaseID{Day: "2026-11-22"}, Class: settle.ByHand, Reference: o.Reference,
		Operation: &settle.Operation{ID: o.ID}, Found: o.State, FoundAt: t0, Status: settle.Open,
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
	ids := make([]settle.CaseID, 6)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			var err error
			ids[i], err = nodes[i%2].OpenCase(background, handCase([]central.Operation{o, other}[i/3]), settle.Step{At: t0, By: "asha", Did: settle.DidFind, Reason: "x"})
			wantNil(t, err)
		})
	}
	all.Wait()
	if ids[0] != ids[1] || ids[1] != ids[2] || ids[3] != ids[5] || ids[0] == ids[3] || ids[0].File != 0 {
		t.Errorf("the cases are %v", ids)
	}
	id := ids[0]
	wantErr(t, "propose", s.Propose(background, id, settle.Step{At: t0, By: "asha", Did: settle.DidPropose, Verdict: settle.Failed, Reason: "the letter"}), nil)
	wantErr(t, "confirm alone", s.Confirm(background, id, settle.Step{At: t0, By: "asha", Did: settle.DidConfirm}), settle.ErrSamePerson)
	for _, seen := range []int{-1, 1, 3} { // it was opened and proposed
		wantErr(t, "confirm what is not there any more", s.Confirm(background, id, settle.Step{At: t0, By: "ravi", Did: settle.DidConfirm, Seen: seen}), settle.ErrChanged)
	}
	wantErr(t, "confirm", s.Confirm(background, id, settle.Step{At: t0, By: "ravi", Did: settle.DidConfirm, Seen: 2}), nil)
	f, err := s.BeginFile(background, settle.File{Content: settle.Content{Day: id.Day, SHA256: [32]byte{1}, Bytes: 1}, Name: "x", By: "asha", At: t0})
	wantErr(t, "begin a file", err, nil)
	wantErr(t, "complete it", s.CompleteFile(background, f, nil, nil), nil)
	e, err := s.Evidence(background, o.Reference)
	if err != nil || e.Case != id || e.Verdict != settle.Failed {
		t.Errorf("the decision is %+v, %v", e, err)
	}
	for name, list := range map[string]func() ([]settle.Case, error){
		"of the operation": func() ([]settle.Case, error) { return s.CasesOfOperation(background, o.ID) },
		"by hand":          func() ([]settle.Case, error) { return s.CasesByHand(background, 10) },
	} {
		found, err := list()
		wantErr(t, name, err, nil)
		want := map[string]int{"of the operation": 1, "by hand": 2}[name]
		if len(found) != want {
			t.Errorf("%s: %d cases, want %d", name, len(found), want)
		}
		for _, c := range found {
			if c.Class != settle.ByHand || c.Operation == nil || c.Superseded || c.Line != nil {
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
	transfer := begun(t, s, func(o *central.Operation) { o.Sender, o.Aadhaar, o.Merchant = "sender-1", "", merchant4 })
	hash := [32]byte{7}
	for range 2 {
		wantErr(t, "note a mobile", s.NoteMobile(background, hash, "sender-1", t0), nil)
	}
	whole := operator.Search{From: t0.Add(-time.Hour), To: t0.Add(2 * time.Hour), Limit: 10}
	for name, c := range map[string]struct {
		change func(*operator.Search)
		want   []op.ID
	}{
		"time":              {func(*operator.Search) {}, []op.ID{later.ID, transfer.ID, mine.ID}},
		"the first hour":    {func(q *operator.Search) { q.To = t0.Add(time.Hour) }, []op.ID{transfer.ID, mine.ID}},
		"the second":        {func(q *operator.Search) { q.From = t0.Add(time.Minute) }, []op.ID{later.ID}},
		"last four":         {func(q *operator.Search) { q.Aadhaar = "XXXXXXXX7058" }, []op.ID{mine.ID}},
		"other last four":   {func(q *operator.Search) { q.Aadhaar = "XXXXXXXX0000" }, nil},
		"merchant":          {func(q *operator.Search) { q.Merchant = merchant2 }, []op.ID{later.ID}},
		"remitter's mobile": {func(q *operator.Search) { q.Mobile, q.Hash = "9876543210", hash }, []op.ID{transfer.ID}},
		"merchant's mobile": {func(q *operator.Search) { q.Mobile = "9000000001" }, []op.ID{mine.ID}},
		"one of them":       {func(q *operator.Search) { q.Limit = 1 }, []op.ID{later.ID}},
		"for ever":          {func(q *operator.Search) { q.From, q.To = time.Time{}, time.Time{} }, []op.ID{later.ID, transfer.ID, mine.ID}},
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
	words, err := s.LastWords(background, []op.ID{mine.ID, later.ID})
	if err != nil || words[mine.ID] != "the bank answered" || words[later.ID] != "no answer from the bank" {
		t.Errorf("the last words are %v, %v", words, err)
	}
	wantErr(t, "stick", s.Postpone(background, later.ID, t0, t0.Add(time.Hour), "", true), nil)
	wantErr(t, "enquire", s.EnquireNow(background, later.ID, t0.Add(time.Minute), "asha"), nil)
	due, err := s.Claim(background, t0.Add(time.Minute), t0.Add(time.Hour), 10)
	if err != nil || len(due) != 1 || due[0].ID != later.ID {
		t.Errorf("due are %d, %v", len(due), err)
	}
	wantErr(t, "enquire after what is final", s.EnquireNow(background, mine.ID, t0, "asha"), central.ErrState)
	wantErr(t, "enquire after nothing", s.EnquireNow(background, "none", t0, "asha"), central.ErrState)
}

// TestUpgradeKeepsCases: the cases and their history, which the ninth migration
// writes anew on SQLite, are what they were.
func TestUpgradeKeepsCases(t *testing.T) { onBoth(t, upgradeKeepsCases) }

func upgradeKeepsCases(t *testing.T, on kind) {
	place := on.empty(t)
	files, folder := fs.FS(sqliteMigrations), "migrations/sqlite"
	if on == onPostgres {
		files, folder = postgresMigrations, "migrations/postgres"
	}
	former := fstest.MapFS{}
	names, err := fs.Glob(files, folder+"/0000[1-8]_*.sql")
	wantErr(t, "list the migrations", err, nil)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		wantErr(t, "read a migration", err, nil)
		former[strings.TrimPrefix(name, folder+"/")] = &fstest.MapFile{Data: text}
	}
	db := on.raw(t, place)
	wantErr(t, "migrate", migrate(background, on.goose(), db, former, slog.New(slog.DiscardHandler)), nil)
	for _, statement := range []string{
		`INSERT INTO settlement_files (day, number, sha256, name, bytes, lines, amount, imported_by, node, at) VALUES ('2026-11-20', 1, zeroblob(32), 'x', 1, 1, 100, 'asha', 'n', 1)`,
		`INSERT INTO settlement_lines (day, file, line, reference, rrn, stan, amount, code, at) VALUES ('2026-11-20', 1, 2, 'GL1', '632510000001', '000001', 100, '00', 1)`,
		`INSERT INTO settlement_cases (day, file, number, class, reference, line, found, found_at, status, verdict, reason, proposed_by, decided_by, decided_at)
			VALUES ('2026-11-20', 1, 1, 'missing-here', 'GL1', 2, '', 1, 'decided', 'noted', 'why', 'asha', 'ravi', 5)`,
		`INSERT INTO settlement_steps (day, file, number, step, at, person, account, node, did, verdict, charge, reason, document, document_sha256)
			VALUES ('2026-11-20', 1, 1, 1, 1, 'rule', '', 'n', 'found', '', 0, '', '', ''), ('2026-11-20', 1, 1, 2, 2, 'asha', 'x', 'n', 'proposed', 'noted', 0, 'why', '', '')`,
		`UPDATE settlement_files SET complete_at = 9`,
	} {
		if _, err := db.Exec(on.sql(statement)); err != nil {
			t.Fatalf("%v in\n%s", err, statement)
		}
	}
	wantErr(t, "close", db.Close(), nil)
	s := openAt(t, place, testConfig())
	id := settle.CaseID{Day: "2026-11-20", File: 1, Number: 1}
	c, err := s.Case(background, id)
	if err != nil || c.Status != settle.Decided || c.DecidedBy != "ravi" || c.Line == nil || c.Line.RRN != "632510000001" || c.Reason != "why" {
		t.Errorf("the case is %+v, %v", c, err)
	}
	steps, err := s.Steps(background, id)
	if err != nil || len(steps) != 2 || steps[1].By != "asha" || steps[1].Did != settle.DidPropose {
		t.Errorf("its history is %+v, %v", steps, err)
	}
	wantErr(t, "withdraw", s.Reopen(background, id, settle.Step{At: t0, By: "asha", Did: settle.DidWithdraw, Reason: "again"}), nil)
	for name, statement := range map[string]string{
		"a deleted case": "DELETE FROM settlement_cases", "a rewritten history": "UPDATE settlement_steps SET reason = 'x'", "a step of nothing": `INSERT INTO settlement_steps
			(day, file, number, step, at, person, account, node, did, verdict, charge, reason, document, document_sha256) VALUES ('2026-11-20', 1, 9, 1, 1, 'x', '', 'n', 'found', '', 0, '', '', '')`,
		"another class": "UPDATE settlement_cases SET class = 'state'",
	} {
		if err := tryWrite(s, statement); err == nil {
			t.Errorf("after the upgrade the schema takes %s", name)
		}
	}
}
