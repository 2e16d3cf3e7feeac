package store

import (
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"galla/central"
	"galla/central/operator"
)

func TestStaff(t *testing.T) { onBoth(t, staff) }

// descends lists who an account descends from; those who could have brought it about
// alone have a mark.
func descends(t *testing.T, s *DB, login string) (list []string) {
	t.Helper()
	d, err := s.Descent(background, login)
	wantErr(t, "descent", err, nil)
	for ancestor := range d.All {
		if d.Alone[ancestor] {
			ancestor += "!"
		}
		list = append(list, ancestor)
	}
	slices.Sort(list)
	return list
}

// staff: what waits for a second admin, who an account descends from, and the codes of
// privileged acts, as the database keeps them.
func staff(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	add := func(login, by string, ask operator.Ask) operator.Record {
		t.Helper()
		r := newPerson(login, operator.Admin)
		if r.Asked = ask; ask != "" {
			r.AskedBy = by
		}
		wantErr(t, "add "+login, s.AddOperator(background, r, entryOf(operator.ActAdd, by)), nil)
		return r
	}
	is := func(login string, want ...string) {
		t.Helper()
		if got := descends(t, s, login); !slices.Equal(got, want) {
			t.Errorf("%s descends from %q, want %q", login, got, want)
		}
	}
	add("asha", "", "")
	add("bela", "", "")
	p := add("p", "asha", operator.AskAdd)
	is("asha")
	is("p", "asha!")
	in := operator.Session{Hash: [32]byte{1}, Login: "p", From: "x", OpenedAt: t0, SeenAt: t0}
	enrolled := p
	enrolled.Password, enrolled.Step = argon, 7
	wantErr(t, "enrol before the approval", s.EnrolOperator(background, enrolled, in, entryOf(operator.ActEnrol, "p")), central.ErrState)
	other := p
	other.AskedBy = "bela"
	wantErr(t, "approve what another asked for", s.ApproveOperator(background, other, entryOf(operator.ActApprove, "bela")), central.ErrState)
	wantErr(t, "approve", s.ApproveOperator(background, p, entryOf(operator.ActApprove, "bela")), nil)
	wantErr(t, "approve again", s.ApproveOperator(background, p, entryOf(operator.ActApprove, "bela")), central.ErrState)
	is("p", "asha", "bela")
	wantErr(t, "enrol", s.EnrolOperator(background, enrolled, in, entryOf(operator.ActEnrol, "p")), nil)

	q := add("q", "p", operator.AskAdd)
	is("q", "asha", "bela", "p!")
	wantErr(t, "approve q at the machine", s.ApproveOperator(background, q, entryOf(operator.ActApprove, "")), nil)
	is("q", "asha", "bela", "p")
	add("r", "asha", "")
	wantErr(t, "reset r", s.RenewOperator(background, operator.Record{Person: operator.Person{Login: "r", SetupEnds: t0.Add(time.Hour), Asked: operator.AskReset, AskedBy: "q"}, Sealed: []byte("x"), SetupHash: [32]byte{2}}, entryOf(operator.ActReset, "q")), nil)
	is("r", "asha", "bela", "p", "q!")
	wantErr(t, "a lower role of who waits", s.SetOperatorRole(background, "r", operator.Viewer, entryOf(operator.ActRole, "asha")), nil)
	wantErr(t, "another role of who waits", s.SetOperatorRole(background, "r", operator.Admin, entryOf(operator.ActRole, "asha")), operator.ErrAsked)
	wantErr(t, "reset r at the machine", s.RenewOperator(background, operator.Record{Person: operator.Person{Login: "r", SetupEnds: t0.Add(time.Hour)}, Sealed: []byte("x"), SetupHash: [32]byte{3}}, entryOf(operator.ActReset, "")), nil)
	is("r")

	e := entryOf(operator.ActStepUp, "p")
	wantErr(t, "a code that was used", s.ProveOperatorSession(background, in, 7, t0, e), central.ErrState)
	wantErr(t, "a code of no session", s.ProveOperatorSession(background, operator.Session{Hash: [32]byte{9}, Login: "p"}, 8, t0, e), central.ErrState)
	wantErr(t, "another's session", s.ProveOperatorSession(background, operator.Session{Hash: in.Hash, Login: "asha"}, 8, t0, e), central.ErrState)
	wantErr(t, "a code", s.ProveOperatorSession(background, in, 8, t0, e), nil)
	got, _, err := s.OperatorSession(background, in.Hash, t0.Add(-time.Hour), t0.Add(-time.Hour))
	if err != nil || !got.ProvenAt.Equal(cut(t0)) {
		t.Errorf("the session is %+v, %v", got, err)
	}
	for name, statement := range map[string]string{
		"an ask without who asked": "UPDATE operators SET asked = 'add' WHERE login = 'asha'", "an unknown ask": "UPDATE operators SET asked = 'x', asked_by = 'y' WHERE login = 'asha'",
		"a descent from oneself": "INSERT INTO operator_descent (login, ancestor, alone) VALUES ('asha', 'asha', 0)", "half alone": "INSERT INTO operator_descent (login, ancestor, alone) VALUES ('asha', 'bela', 2)",
	} {
		if err := tryWrite(s, statement); err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
}

func TestNobodyMakesAnAdminAlone(t *testing.T) { onBoth(t, nobodyMakesAnAdminAlone) }

// nobodyMakesAnAdminAlone: whether another role waits for a second admin is decided by
// the person as the transaction finds it, not as somebody read it before.
func nobodyMakesAnAdminAlone(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	add := func(login string, role operator.Role, ask operator.Ask, by string) {
		t.Helper()
		r := newPerson(login, role)
		r.Asked, r.AskedBy = ask, by
		wantErr(t, "add "+login, s.AddOperator(background, r, entryOf(operator.ActAdd, by)), nil)
	}
	set := func(login string, role operator.Role, by string) error {
		return s.SetOperatorRole(background, login, role, entryOf(operator.ActRole, by))
	}
	add("asha", operator.Admin, operator.AskNothing, "")
	for i, c := range []struct {
		role    operator.Role
		ask     operator.Ask
		to      []operator.Role // one after the other
		by      string
		isRole  operator.Role
		isAsked operator.Ask
	}{
		{operator.Admin, operator.AskAdd, []operator.Role{operator.Admin}, "asha", operator.Admin, operator.AskAdd},
		{operator.Admin, operator.AskAdd, []operator.Role{operator.Operator, operator.Admin}, "asha", operator.Operator, operator.AskRole},
		{operator.Admin, operator.AskAdd, []operator.Role{operator.Admin, operator.Viewer}, "asha", operator.Viewer, operator.AskNothing},
		{operator.Operator, operator.AskNothing, []operator.Role{operator.Admin}, "asha", operator.Operator, operator.AskRole},
		{operator.Operator, operator.AskNothing, []operator.Role{operator.Admin, operator.Operator}, "asha", operator.Operator, operator.AskNothing},
		{operator.Operator, operator.AskNothing, []operator.Role{operator.Admin}, "", operator.Admin, operator.AskNothing},
	} {
		login := fmt.Sprintf("p%d", i)
		asker := ""
		if c.ask != operator.AskNothing {
			asker = "asha"
		}
		add(login, c.role, c.ask, asker)
		for _, to := range c.to {
			wantErr(t, login, set(login, to, c.by), nil)
		}
		if r, err := s.Operator(background, login); err != nil || r.Role != c.isRole || r.Asked != c.isAsked {
			t.Errorf("%s %q, given %q by %q: %s, waits %q, %v; want %s, waits %q", c.role, c.ask, c.to, c.by, r.Role, r.Asked, err, c.isRole, c.isAsked)
		}
	}

	// Both at once, in whichever order the database takes them.
	for i := range 20 {
		login := fmt.Sprintf("q%d", i)
		add(login, operator.Admin, operator.AskAdd, "asha")
		var both sync.WaitGroup
		for _, to := range []operator.Role{operator.Admin, operator.Operator} {
			both.Go(func() {
				if err := set(login, to, "asha"); err != nil {
					t.Errorf("%s becomes %s: %v", login, to, err)
				}
			})
		}
		both.Wait()
		if r, err := s.Operator(background, login); err != nil || r.Role == operator.Admin {
			t.Errorf("%s is %s, waits %q, %v: one admin made an admin", login, r.Role, r.Asked, err)
		}
	}
	list, err := s.TrailEntries(background, operator.Query{Person: "asha", Limit: 1000})
	wantErr(t, "the audit log", err, nil)
	for _, e := range list {
		if e.Action == operator.ActRole && e.Became == string(operator.Admin) && e.Was != string(operator.Admin) && e.Note == "" {
			t.Errorf("the audit log has %+v, and not that it waits", e)
		}
	}
}

func TestUpgradeFindsDescent(t *testing.T) { onBoth(t, upgradeFindsDescent) }

// upgradeFindsDescent: who handed out whose set-up code before there were approvals is
// in the trail, and so who descends from whom.
func upgradeFindsDescent(t *testing.T, on kind) {
	place := on.empty(t)
	files, folder := fs.FS(sqliteMigrations), "migrations/sqlite"
	if on == onPostgres {
		files, folder = postgresMigrations, "migrations/postgres"
	}
	former := fstest.MapFS{}
	names, err := fs.Glob(files, folder+"/*.sql")
	wantErr(t, "list the migrations", err, nil)
	for _, name := range names {
		if path.Base(name) >= "00018" {
			continue
		}
		text, err := fs.ReadFile(files, name)
		wantErr(t, "read a migration", err, nil)
		former[path.Base(name)] = &fstest.MapFile{Data: text}
	}
	db := on.raw(t, place)
	wantErr(t, "migrate", migrate(background, on.goose(), db, former, slog.New(slog.DiscardHandler)), nil)
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.Exec(on.sql(statement), args...); err != nil {
			t.Fatalf("%v in\n%s", err, statement)
		}
	}
	for i, did := range [][3]string{
		{"", "operator.add", "asha"}, {"", "operator.add", "bela"}, {"asha", "operator.add", "p"}, {"p", "operator.add", "q"}, {"asha", "operator.add", "r"},
		{"bela", "operator.reset", "p"}, {"", "operator.reset", "r"}, {"q", "operator.reset", "bela"},
	} {
		if did[1] == "operator.add" {
			do(`INSERT INTO operators (login, name, role, password, sealed, created_at, created_by) VALUES ('` + did[2] + `', 'Asha', 'admin', '` + argon + `', zeroblob(1), 1, 'x')`)
		}
		id := "00000000-0000-7000-8000-00000000000" + string(rune('0'+i))
		do(`INSERT INTO operator_trail (id, at, node, person, role, source, action, subject, outcome, was, became, note)
			VALUES ('` + id + `', 5, 'n', '` + did[0] + `', '', '', '` + did[1] + `', '` + did[2] + `', 'done', '', '', '')`)
	}
	wantErr(t, "close", db.Close(), nil)
	s := openAt(t, place, testConfig())
	for login, want := range map[string][]string{
		"asha": nil, "p": {"asha!", "bela!", "q!"}, "q": {"asha!", "bela!", "p!"}, "r": nil, "bela": {"asha!", "p!", "q!"},
	} {
		if got := descends(t, s, login); !slices.Equal(got, want) {
			t.Errorf("%s descends from %q, want %q", login, got, want)
		}
	}
}
