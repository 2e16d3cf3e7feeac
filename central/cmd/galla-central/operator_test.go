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

	"github.com/alecthomas/kong"

	"galla/central/credential"
	"galla/central/server"
	"galla/central/store"
)

// TestOperatorCommands runs the commands as they are typed, on the database of a
// central that does not run.
func TestOperatorCommands(t *testing.T) {
	dir := t.TempDir()
	cfg := server.Config{Data: dir, Node: "n", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	command := func(args ...string) (string, error) {
		t.Helper()
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(append([]string{"operator"}, args...))
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = c.Operator.manage(context.Background(), cfg, chosen.Command(), &out)
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
		t.Error("without a master key people can be managed")
	}
	if _, err := credential.Load(credential.Config{Folder: filepath.Join(dir, "keys"), Sandbox: true, Rand: rand.Reader}); err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`set-up code  [a-z2-7]{4}(-[a-z2-7]{4}){4}\n`)
	for _, step := range []struct {
		args []string
		want string // part of what is printed, or of the error
		fine bool
	}{
		{[]string{"list"}, "operator add makes the first admin", true},
		{[]string{"add", "1", "Asha", "--role", "admin"}, "a login is a letter", false},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "root"}, "must be one of", false},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "admin"}, "/console/set-up", true},
		{[]string{"add", "asha", "Asha Kulkarni", "--role", "admin"}, "is in use, or was", false},
		{[]string{"list"}, "set-up code until", true},
		{[]string{"disable", "asha"}, "last admin", false},
		{[]string{"role", "asha", "viewer"}, "last admin", false},
		{[]string{"add", "ravi", "Ravi Menon", "--role", "viewer"}, "set-up code", true},
		{[]string{"role", "ravi", "operator"}, "ravi has the role operator", true},
		{[]string{"disable", "ravi"}, "ravi is put out", true},
		{[]string{"disable", "nobody"}, "nobody has the login nobody", false},
		{[]string{"list"}, "put out 20", true},
		{[]string{"reset", "ravi"}, "set-up code", true},
		{[]string{"reset", "nobody"}, "nobody has the login", false},
	} {
		out, err := command(step.args...)
		if (step.args[0] == "add" || step.args[0] == "reset") && step.fine && !code.MatchString(out) {
			t.Errorf("operator %s prints no code:\n%s", strings.Join(step.args, " "), out)
		}
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != step.fine || !strings.Contains(out, step.want) {
			t.Errorf("operator %s: want %q:\n%s", strings.Join(step.args, " "), step.want, out)
		}
	}
}
