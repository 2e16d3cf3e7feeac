package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/keys"
	"galla/central/server"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/password"
	"galla/shared/secret"
)

const rightPassword = "green tea at four"

// factorOf is the second factor of a staff member.
func factorOf(login string) staff.Factor {
	sum := sha256.Sum256([]byte(login))
	return staff.NewFactor(login, secret.NewKey(sum[:20]))
}

// proofOf is the typed input: password and current code.
func proofOf(t *testing.T, login, password string) string {
	t.Helper()
	code, err := factorOf(login).CodeAt(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return password + "\n" + code.Reveal() + "\n"
}

// newDatabaseWithStaff creates a database as a first start does, with a viewer, an
// operator and an admin, and an operator whom that admin added.
func newDatabaseWithStaff(t *testing.T, cfg server.Config) *store.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(cfg.Data, "central"), 0o700); err != nil {
		t.Fatal(err)
	}
	keyring, err := keys.Load(keys.Config{Folder: filepath.Join(cfg.Data, "keys"), Sandbox: true, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenSQLite(t.Context(), filepath.Join(cfg.Data, "central", "central.db"), store.Config{Node: "n", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	vault, err := staff.NewVault(db, db, keyring.VendorMasters, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	members, err := staff.New(db.ForStaff(), vault, staff.Config{Rand: rand.Reader, Logger: cfg.Logger, Cost: password.Cost{Memory: 8, Passes: 1, Lanes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for login, role := range map[string]staff.Role{"vikram": staff.Viewer, "ravi": staff.Operator, "asha": staff.Admin} {
		f := sha256.Sum256([]byte(login))
		if err := members.EnsurePreset(t.Context(), staff.Preset{Login: login, Name: "Rao", Role: role, Password: secret.NewToken(rightPassword), Factor: secret.NewKey(f[:20])}, staff.Actor{From: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	f := sha256.Sum256([]byte("meera"))
	if err := members.EnsurePreset(t.Context(), staff.Preset{Login: "meera", Name: "Rao", Role: staff.Operator, Password: secret.NewToken(rightPassword), Factor: secret.NewKey(f[:20])},
		staff.Actor{Login: "asha", Role: staff.Admin, From: "test"}); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestReconcileCommands runs the commands as they are typed, on the database of a
// central that does not run: their output and exit codes. Time is virtual because a
// code works once.
func TestReconcileCommands(t *testing.T) { synctest.Test(t, reconcileCommands) }

func reconcileCommands(t *testing.T) {
	dir := t.TempDir()
	cfg := server.Config{Data: dir, Node: "n", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	time.Sleep(48 * time.Hour) // the virtual time begins in the first night with settlement files
	const head = "reference,rrn,stan,amount,code,time\n"
	days := func(n int) string { return string(ist.DayOf(time.Now().AddDate(0, 0, -n))) }
	yesterday := days(1)
	day := write("day.csv", head+"GL261120STRAY,632510000001,000001,500.00,00,"+yesterday+"T10:00:00+05:30\nEND,"+yesterday+",1,500.00,,\n")
	whole := write("whole.csv", head+"END,"+yesterday+",0,0.00,,\n")
	bad := write("bad.csv", head+"x,y\nEND,"+yesterday+",1,500.00,,\n")
	letter := write("letter.txt", "we booked it twice")

	command := func(typed string, args ...string) (int, string, error) {
		t.Helper()
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(append([]string{"reconcile"}, args...))
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var out bytes.Buffer
		code, err := c.Reconcile.run(t.Context(), cfg, chosen.Command(), strings.NewReader(typed), &out)
		return code, out.String(), err
	}
	if code, _, err := command("", "list"); code != 1 || err == nil || !strings.Contains(err.Error(), "no central's database") {
		t.Fatalf("without a central: %d, %v", code, err)
	}
	db := newDatabaseWithStaff(t, cfg)
	defer func() { _ = db.Close() }()
	file, first := yesterday+".1", yesterday+".1.1"

	for _, step := range []struct {
		args []string
		code int
		want string // part of what is printed, or of the error
	}{
		{[]string{"list"}, 0, "No settlement file was imported."},
		{[]string{"show", yesterday}, 1, "no such settlement file of " + yesterday + " was imported"},
		{[]string{"show", "yesterday"}, 1, "a day is written as 2026-11-21"},
		{[]string{"import", bad}, 1, "line 2, line: has 2 fields"},
		{[]string{"import", day}, 3, "Cases: 1, of which 1 wait for people."},
		{[]string{"import", day}, 3, "The same file was imported before, as " + file + "; nothing was done."},
		{[]string{"list"}, 0, file + "  1      500.00"},
		{[]string{"show", yesterday}, 3, "missing-here"},
		{[]string{"show", yesterday, "--csv"}, 3, first + ",missing-here,open,"},
		{[]string{"propose", first, "succeeded", "--by", "asha", "--reason", "x"}, 1, "an outcome needs its evidence"},
		{[]string{"propose", first, "succeeded", "--by", "asha", "--reason", "x", "--document", letter}, 1, "has no operation of this case"},
		{[]string{"propose", first, "noted", "--by", "asha", "--reason", "of 999941057058"}, 1, "may be an Aadhaar number"},
		{[]string{"propose", first, "noted", "--by", "asha", "--reason", "the bank takes it back", "--document", letter}, 0, "Another person confirms it"},
		{[]string{"confirm", first, "--by", "asha"}, 1, "another person must"},
		{[]string{"reject", first, "--by", "ravi", "--reason", "which letter?"}, 0, "is open again"},
		{[]string{"confirm", first, "--by", "ravi"}, 1, "it is open and not proposed"},
		{[]string{"propose", first, "noted", "--by", "asha", "--reason", "the bank takes it back", "--document", letter}, 0, "is proposed"},
		{[]string{"confirm", first, "--by", "meera"}, 1, "one of you added, reset or approved the other"},
		{[]string{"confirm", first, "--by", "ravi"}, 0, "is decided"},
		{[]string{"show", yesterday}, 0, "decided by ravi"},
		{[]string{"show", first}, 0, "letter.txt"},
		{[]string{"withdraw", first, "--by", "vikram", "--reason", "x"}, 1, "operators and admins decide cases"},
		{[]string{"withdraw", first, "--by", "ravi"}, 1, "a reason is needed"},
		{[]string{"withdraw", first, "--by", "ravi", "--reason", "it did not"}, 0, "is open again"},
		{[]string{"import", whole}, 0, "No case: the terminals, the central and the bank agree."},
		{[]string{"show", yesterday, "--file", "1"}, 0, "superseded by a later file"},
		{[]string{"withdraw", "nothing", "--by", "ravi"}, 1, "a case is named by"},
	} {
		time.Sleep(time.Minute)
		typed := ""
		if i := slices.Index(step.args, "--by"); i >= 0 {
			typed = proofOf(t, step.args[i+1], rightPassword)
		}
		code, out, err := command(typed, step.args...)
		if err != nil {
			out += err.Error()
		}
		if code != step.code || (err != nil) != (code == 1) || !strings.Contains(out, step.want) {
			t.Errorf("reconcile %s: exit code %d, want %d with %q:\n%s", strings.Join(step.args, " "), code, step.code, step.want, out)
		}
	}
	checkIndependence(t, db, first, command)
}

// checkIndependence: a login alone is refused, and so is a used code; the audit log has
// each sign-in and step with its origin and outcome.
func checkIndependence(t *testing.T, db *store.DB, first string, command func(typed string, args ...string) (int, string, error)) {
	t.Helper()
	time.Sleep(time.Hour)
	used := proofOf(t, "asha", rightPassword)
	for name, c := range map[string]struct{ typed, want string }{
		"nothing typed":   {"", "a sign-in as at the console"},
		"no code":         {rightPassword + "\n", "a sign-in as at the console"},
		"a long line":     {strings.Repeat("x", 2000) + "\n1\n", "a sign-in as at the console"},
		"a wrong one":     {proofOf(t, "asha", "green tea at five"), "login, password or code is wrong"},
		"another's code":  {proofOf(t, "ravi", rightPassword), "login, password or code is wrong"},
		"an unknown name": {"", ""},
	} {
		who := "asha"
		if name == "an unknown name" {
			who, c.typed, c.want = "nobody", used, "login, password or code is wrong"
		}
		if code, _, err := command(c.typed, "confirm", first, "--by", who); code != 1 || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d, %v", name, code, err)
		}
	}
	if code, _, err := command(used, "confirm", first, "--by", "asha"); code != 1 || err == nil || !strings.Contains(err.Error(), "superseded") {
		t.Errorf("the right one: %d, %v", code, err)
	}
	if code, _, err := command(used, "confirm", first, "--by", "asha"); code != 1 || err == nil || !strings.Contains(err.Error(), "login, password or code is wrong") {
		t.Errorf("the same once more: %d, %v", code, err)
	}
	entries, err := db.AuditEntries(t.Context(), staff.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range entries {
		if e.From != "test" && !strings.HasPrefix(e.From, "command line, ") {
			t.Errorf("from %q: %+v", e.From, e)
		}
		if strings.Contains(e.Note+e.Subject, rightPassword) {
			t.Error("a password is in the audit log")
		}
		seen[fmt.Sprintf("%s %s %s", e.Action, e.Person, e.Outcome)]++
	}
	for what, least := range map[string]int{
		"settlement.import  started": 4, "settlement.import  done": 3, "settlement.import  refused": 1,
		"case.propose asha done": 2, "case.confirm asha refused": 2, "case.confirm ravi done": 1, "case.reject ravi done": 1, "case.withdraw ravi done": 1,
		"case.step vikram refused": 1, "session.open asha done": 5, "session.close asha done": 5, "session.open asha refused": 3, "session.open  refused": 1,
	} {
		if seen[what] < least {
			t.Errorf("the audit log has %q %d times, want %d: %v", what, seen[what], least, seen)
		}
	}
}
