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

	"galla/central"
	"galla/central/server"
	"galla/central/store"
	"galla/shared/op"
)

// TestClientCommands runs the commands as they are typed, on the database of a
// central that does not run.
func TestClientCommands(t *testing.T) {
	dir := t.TempDir()
	cfg := server.Config{Data: dir, Node: "n", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	command := func(line string) (string, error) {
		t.Helper()
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(strings.Fields(line))
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = runClientCommand(context.Background(), cfg, &c, chosen.Command(), &out)
		return out.String(), err
	}
	if _, err := command("client list merchant:m"); err == nil || !strings.Contains(err.Error(), "no central's database") {
		t.Fatalf("without a central: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "central"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "central", "central.db"), store.Config{Node: "n", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	const shop = central.MerchantID("c0000000-0000-4000-8000-000000000001")
	if err := db.Seed(t.Context(), store.Seed{Merchants: []central.Merchant{{ID: shop, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Status: central.MerchantApproved, Active: true, TID: "GAL00001", CreatedAt: time.Now()}}}); err != nil {
		t.Fatal(err)
	}
	credential := regexp.MustCompile(`client_id      (merchant-[0-9a-f]{16})\nclient_secret  ([A-Za-z0-9_-]{43})\n`)
	out, err := command("client add merchant:" + string(shop))
	made := credential.FindStringSubmatch(out)
	if err != nil || made == nil {
		t.Fatalf("client add: %v\n%s", err, out)
	}
	id := made[1]
	kept, err := db.Client(t.Context(), id)
	if err != nil || kept.Principal != (central.Principal{Role: op.Merchant, Merchant: shop}) || strings.Contains(kept.SecretHash, made[2]) {
		t.Fatalf("kept: %+v, %v", kept, err)
	}
	registry := central.NewTerminalRegistry(db, central.NewNotifier(), rand.Reader)
	codes := make([]central.EnrolmentCode, 3)
	for i := range codes {
		if codes[i], err = registry.CreateEnrolmentCode(t.Context(), shop, central.Credential{Client: id}); err != nil {
			t.Fatal(err)
		}
	}
	terminal, err := registry.Enrol(t.Context(), codes[0].Code, make([]byte, 32), "Front counter")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		line string
		want string // part of what is printed, or of the error
		fine bool
	}{
		{"client add shop:1", "names no party", false},
		{"client add vendor:nobody", "there is no vendor:nobody", false},
		{"client list merchant:" + string(shop), id + "  live", true},
		{"client suspend nobody", "there is no client nobody", false},
		{"client suspend " + id, "2 open enrolment codes of its own are void", true},
		{"client suspend " + id, "is suspended already", false},
		{"client list merchant:" + string(shop), id + "  suspended", true},
		{"client terminals " + id, string(terminal.ID) + "  Front counter  " + string(shop) + " Lakshmi Kirana Store", true},
		{"client resume " + id, "its earlier tokens stay invalid", true},
		{"client secret " + id, "0 open enrolment codes of its own are void", true},
		{"terminal revoke " + string(terminal.ID), "is revoked", true},
		{"terminal revoke nobody", "there is no terminal nobody", false},
		{"client terminals " + id, "revoked 20", true},
		{"client terminals nobody", "there is no client nobody", false},
	} {
		out, err := command(step.line)
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != step.fine || !strings.Contains(out, step.want) {
			t.Errorf("%s: want %q:\n%s", step.line, step.want, out)
		}
		if (strings.HasPrefix(step.line, "client secret")) != credential.MatchString(out) {
			t.Errorf("%s: a secret, or none:\n%s", step.line, out)
		}
	}
	// A thief's terminals are the newest ones, and all are printed.
	var last central.Terminal
	for range 205 {
		code, err := registry.CreateEnrolmentCode(t.Context(), shop, central.Credential{Client: id, Generation: 2})
		if err == nil {
			last, err = registry.Enrol(t.Context(), code.Code, make([]byte, 32), "Made by a thief")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err = command("client terminals " + id)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || !strings.Contains(out, "205 live and 1 revoked") || strings.Count(out, "Made by a thief") != 205 || len(lines) != 209 ||
		!strings.HasPrefix(lines[3], string(last.ID)) || !strings.HasPrefix(lines[208], string(terminal.ID)) {
		t.Errorf("the terminals of a thief: %v\n%s", err, out)
	}
	if x, err := db.Client(t.Context(), id); err != nil || x.Generation != 2 || x.SecretHash == kept.SecretHash {
		t.Errorf("at last: %+v, %v", x, err)
	}
	if x, err := db.Terminal(t.Context(), terminal.ID); err != nil || x.RevokedAt.IsZero() || x.Client != id {
		t.Errorf("the terminal: %+v, %v", x, err)
	}
}
