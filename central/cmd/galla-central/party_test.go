package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/server"
	"galla/central/staff"
	"galla/central/store"
)

// partyCommands runs commands about parties as they are typed, on the database of a
// central that does not run.
func partyCommands(t *testing.T) (command func(args ...string) (string, error), db *store.DB) {
	t.Helper()
	dir := t.TempDir()
	cfg := server.Config{Data: dir, Node: "n", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
	if err := os.MkdirAll(filepath.Join(dir, "central"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "central", "central.db"), store.Config{Node: "n", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(args ...string) (string, error) {
		t.Helper()
		var c cli
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := parser.Parse(args)
		if err != nil {
			return "", err
		}
		var out bytes.Buffer
		switch what, _, _ := strings.Cut(chosen.Command(), " "); what {
		case "merchant":
			err = c.Merchant.run(context.Background(), cfg, chosen.Command(), &out)
		case "vendor":
			err = c.Vendor.run(context.Background(), cfg, chosen.Command(), &out)
		case "aggregator":
			err = c.Aggregator.run(context.Background(), cfg, chosen.Command(), &out)
		default:
			err = runClientCommand(context.Background(), cfg, &c, chosen.Command(), &out)
		}
		return out.String(), err
	}, db
}

// idOf is the id of a record that a command printed as JSON.
func idOf(t *testing.T, out string, err error) string {
	t.Helper()
	var record struct {
		ID string `json:"id"`
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil || record.ID == "" {
		t.Fatalf("no id: %v, %s", err, out)
	}
	return record.ID
}

// TestPartyCommands adds an aggregator, a vendor and a merchant, changes their state, and
// finds who did it in the audit log.
func TestPartyCommands(t *testing.T) {
	command, db := partyCommands(t)
	add := func(args ...string) string {
		t.Helper()
		out, err := command(args...)
		return idOf(t, out, err)
	}
	aggregator := add("aggregator", "add", "--name", "Konkan Aggregator", "--json")
	vendor := add("vendor", "add", "--name", "Konkan Pay", "--aggregator", aggregator, "--json")
	shop := add("merchant", "add", "--name", "Asha Stores", "--mid", "GAL0000101", "--mobile", "9800000101", "--vendor", vendor, "--json")
	approved := add("merchant", "add", "--name", "Bina Stores", "--mid", "GAL0000102", "--mobile", "9800000102", "--approve", "--json")
	for _, step := range []struct {
		line string
		want string // part of what is printed, or of the error
		fine bool
	}{
		{"aggregator list", "Konkan Aggregator", true},
		{"vendor list", "Konkan Pay", true},
		{"vendor list --text konkan --json", `"aggregator": "` + aggregator + `"`, true},
		{"merchant show " + shop, "merchant approve " + shop, true},
		{"merchant list --status APPROVED", "Bina Stores", true},
		{"merchant list --vendor " + vendor + " --json", `"status": "PENDING"`, true},
		{"merchant list --status PAUSED", "must be one of", false},
		{"merchant suspend " + shop, "is PENDING, and can't become SUSPENDED", false},
		{"merchant approve " + shop, "APPROVED", true},
		{"merchant suspend " + shop, "SUSPENDED", true},
		{"merchant approve " + shop, "APPROVED", true},
		{"merchant reject " + approved, "can't become REJECTED", false},
		{"merchant approve nobody", "there is no merchant nobody", false},
		{"vendor suspend " + vendor, "suspended", true},
		{"vendor suspend " + vendor, "is suspended already", false},
		{"vendor resume " + vendor, "active", true},
		{"vendor resume nobody", "there is no vendor nobody", false},
		{"client add --json merchant:" + shop, `"client_secret": "`, true},
		{"client list --json merchant:" + shop, `"state": "active"`, true},
		{"client list --json merchant:" + approved, `[]`, true},
	} {
		out, err := command(strings.Fields(step.line)...)
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != step.fine || !strings.Contains(out, step.want) {
			t.Errorf("%s: want %q:\n%s", step.line, step.want, out)
		}
	}
	m, err := db.Merchant(t.Context(), central.MerchantID(shop))
	if err != nil || !m.Active || m.Vendor != central.VendorID(vendor) || m.TID == "" {
		t.Errorf("the merchant: %+v, %v", m, err)
	}
	entries, err := db.AuditEntries(t.Context(), staff.AuditQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for _, e := range entries {
		if e.Outcome == staff.OutcomeDone && strings.Contains(e.From, account()) {
			done[string(e.Action)]++
		}
	}
	for what, n := range map[string]int{"aggregator.add": 1, "vendor.add": 1, "vendor.active": 2, "merchant.add": 2, "merchant.status": 4, "client.add": 1} {
		if done[what] != n {
			t.Errorf("the audit log has %d of %s by %s, want %d", done[what], what, account(), n)
		}
	}
}

// TestPartyRefusals: every wrong field is named by its flag, and nothing is added.
func TestPartyRefusals(t *testing.T) {
	command, _ := partyCommands(t)
	if _, err := command("merchant", "add", "--name", "First", "--mid", "GAL0000101", "--mobile", "9800000101"); err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]struct {
		args []string
		want []string
	}{
		"nothing": {[]string{"merchant", "add"}, []string{"--name ", "--mid ", "--mobile "}},
		"all wrong": {[]string{"merchant", "add", "--name", "Call 98000 00001", "--mid", "a b", "--mobile", "12", "--appid", "!", "--vpa", "x", "--mcc", "12", "--vendor", "none"},
			[]string{"--name ", "--mid ", "--mobile ", "--appid ", "--vpa ", "--mcc ", "--vendor "}},
		"MID in use":     {[]string{"merchant", "add", "--name", "Second", "--mid", "GAL0000101", "--mobile", "9800000102"}, []string{"--mid is in use"}},
		"no such vendor": {[]string{"merchant", "add", "--name", "Second", "--mid", "GAL0000102", "--mobile", "9800000102", "--vendor", "b0000000-0000-4000-8000-0000000000ff"}, []string{"--vendor is unknown"}},
		"vendor":         {[]string{"vendor", "add", "--aggregator", "none"}, []string{"--name ", "--aggregator "}},
		"no aggregator":  {[]string{"vendor", "add", "--name", "V", "--aggregator", "a0000000-0000-4000-8000-0000000000ff"}, []string{"--aggregator is unknown"}},
		"aggregator":     {[]string{"aggregator", "add"}, []string{"--name "}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := command(step.args...)
			if err == nil || out != "" {
				t.Fatalf("it is done: %s", out)
			}
			for _, want := range step.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if n := strings.Count(err.Error(), "\n  --"); n != len(step.want) {
				t.Errorf("%d wrong fields, want %d: %v", n, len(step.want), err)
			}
		})
	}
	for _, list := range []string{"vendor list --json", "aggregator list --json"} {
		if out, err := command(strings.Fields(list)...); err != nil || strings.TrimSpace(out) != "[]" {
			t.Errorf("%s: %v\n%s", list, err, out)
		}
	}
	if out, err := command("merchant", "list", "--json"); err != nil || strings.Count(out, `"id"`) != 1 {
		t.Errorf("merchants: %v\n%s", err, out)
	}
}
