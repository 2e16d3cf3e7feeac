package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"galla/central/admincli"
	"galla/central/keys"
	"galla/central/server"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/localname"
)

// TestStaffCommands runs the commands as they are typed, on the database of a
// central that does not run.
func TestStaffCommands(t *testing.T) {
	dir := t.TempDir()
	cfg := server.Config{Data: dir, Node: "n", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	command := func(args ...string) (string, error) {
		t.Helper()
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(append([]string{"staff"}, args...))
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = c.Staff.run(context.Background(), cfg, chosen.Command(), &out)
		return out.String(), err
	}
	if _, err := command("list"); err == nil || !strings.Contains(err.Error(), "no central's database") {
		t.Fatalf("without a central: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "central"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "central", "central.db"), store.Config{Node: "n", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := command("list"); err == nil {
		t.Error("without a master key staff can be managed")
	}
	if _, err := keys.Load(keys.Config{Folder: filepath.Join(dir, "keys"), Sandbox: true, Rand: rand.Reader}); err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`set-up code  [a-z2-7]{4}(-[a-z2-7]{4}){4}\n`)
	for _, step := range []struct {
		args []string
		want string // part of what is printed, or of the error
		fine bool
	}{
		{[]string{"list"}, "staff add makes the first admin", true},
		{[]string{"add", "1", "Asha", "--role", "admin"}, "a login is a letter", false},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "root"}, "must be one of", false},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "admin"}, "/console/set-up", true},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "admin"}, "is in use, or was", false},
		{[]string{"list"}, "set-up code until", true},
		{[]string{"disable", "asha"}, "last admin", false},
		{[]string{"role", "asha", "viewer"}, "last admin", false},
		{[]string{"add", "ravi", "Ravi Menon", "--role", "viewer"}, "set-up code", true},
		{[]string{"role", "ravi", "operator"}, "ravi has the role operator", true},
		{[]string{"disable", "ravi"}, "ravi is disabled", true},
		{[]string{"disable", "nobody"}, "nobody has the login nobody", false},
		{[]string{"list"}, "disabled 20", true},
		{[]string{"reset", "ravi"}, "set-up code", true},
		{[]string{"reset", "nobody"}, "nobody has the login", false},
		{[]string{"approve", "ravi"}, "nothing of ravi waits for approval", false},
		{[]string{"approve", "nobody"}, "nobody has the login", false},
	} {
		out, err := command(step.args...)
		if (step.args[0] == "add" || step.args[0] == "reset") && step.fine && !code.MatchString(out) {
			t.Errorf("staff %s prints no code:\n%s", strings.Join(step.args, " "), out)
		}
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != step.fine || !strings.Contains(out, step.want) {
			t.Errorf("staff %s: want %q:\n%s", strings.Join(step.args, " "), step.want, out)
		}
	}
	// A command may approve what an admin requested in the console.
	if db, err = store.OpenSQLite(t.Context(), filepath.Join(dir, "central", "central.db"), store.Config{Node: "n", Logger: cfg.Logger}); err != nil {
		t.Fatal(err)
	}
	entry := staff.AuditEntry{ID: "00000000-0000-7000-8000-000000000001", At: time.Now(), Person: "asha", Action: staff.ActRole, Subject: "ravi", Outcome: staff.OutcomeDone}
	if err := db.SetMemberRole(t.Context(), "ravi", staff.Admin, entry); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]string{{"list", "role requested by asha waits for approval"}, {"approve", "approved for ravi"}, {"list", "ravi"}} {
		args := step[:1]
		if step[0] == "approve" {
			args = []string{"approve", "ravi"}
		}
		if out, err := command(args...); err != nil || !strings.Contains(out, step[1]) {
			t.Errorf("staff %q: %s, %v", args, out, err)
		}
	}
}

// TestConsoleCommand: the command prints the console's address after a first start.
func TestConsoleCommand(t *testing.T) {
	cfg := admincli.Config{Data: t.TempDir()}
	var out bytes.Buffer
	if err := admincli.ConsoleAddress(cfg, "127.0.0.1:7101", &out); err == nil || !strings.Contains(err.Error(), "first start") {
		t.Errorf("before the first start: %v", err)
	}
	name, err := localname.Ensure(cfg.LocalNameFolder(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := admincli.ConsoleAddress(cfg, "127.0.0.1:7101", &out); err != nil || out.String() != "http://"+name+":7101/console/\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
