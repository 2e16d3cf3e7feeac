package store

import (
	"io/fs"
	"log/slog"
	"path"
	"slices"
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
	wantErr(t, "another role of who waits", s.SetOperatorRole(background, "r", operator.Admin, operator.AskRole, entryOf(operator.ActRole, "asha")), operator.ErrAsked)
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
