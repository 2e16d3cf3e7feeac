package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"galla/central"
	"galla/central/accounts"
	"galla/central/server"
	"galla/central/staff"
	"galla/central/store"
	"galla/shared/op"
)

// TestCorrespondentCommands: a person records the owner of a registration whose reply was
// archived, and removes it again; both are in the audit log.
func TestCorrespondentCommands(t *testing.T) {
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
		err = c.Correspondent.run(context.Background(), cfg, chosen.Command(), &out)
		return out.String(), err
	}
	if _, err := command("correspondent show bc 1"); err == nil || !strings.Contains(err.Error(), "no central's database") {
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
	at := time.Now()
	for i, o := range []struct {
		kind          central.Kind
		caller, party string
		to            op.State
		reply, data   string
	}{
		1: {central.KindBCRegister, "aggregator:a", "aggregator:a", op.Succeeded, `{"statusCode":"00"}`, ``}, // archived
		2: {central.KindBCAgentRegister, "vendor:v", "", op.Succeeded, `{"statusCode":"00"}`, ``},            // older than its party
		3: {central.KindBCRegister, "aggregator:b", "aggregator:b", op.Failed, `{"statusCode":"01"}`, ``},
		4: {central.KindBCRegister, "aggregator:b", "aggregator:b", op.Succeeded, `{"statusCode":"00","data":{"bcId":"bc-4"}}`, `{"bcId":"bc-4"}`},
		5: {central.KindBCRegister, "terminal:t", "", op.Succeeded, `{"statusCode":"00"}`, ``},
	} {
		if i == 0 {
			continue
		}
		id := op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", i))
		_, _, err := db.Create(t.Context(), central.Operation{
			ID: id, Caller: o.caller, Party: o.party, Identity: fmt.Sprintf("r-%d", i), Route: op.BCRegister, Fingerprint: [32]byte{byte(i)},
			Kind: o.kind, Reference: central.Reference(fmt.Sprintf("GL261121%06d", i)), STAN: "000001", State: op.Received, Node: "n", NotAfter: at.Add(time.Minute), CreatedAt: at,
		}, nil)
		if err == nil {
			err = db.MarkSent(t.Context(), central.SentUpdate{ID: id, At: at, BankNotAfter: at.Add(time.Second)})
		}
		if err == nil {
			_, err = db.Finish(t.Context(), central.FinalOutcome{ID: id, To: o.to, At: at, Reason: "x", HTTP: 200, Reply: []byte(o.reply), Answer: central.BankAnswer{Data: []byte(o.data)}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		line string
		want string // part of what is printed, or of the error
		fine bool
	}{
		{"correspondent show bc bc-4", "was registered by aggregator:b", true},
		{"correspondent show bc bc-1", "it is not known who registered business correspondent bc-1", false},
		{"correspondent show shop bc-1", "must be one of", false},
		{"correspondent show bc b!", "is not an id of the bank", false},
		{"correspondent assign bc bc-1 GL261121000009", "0 operations with the name", false},
		{"correspondent assign bc bc-1 GL261121000003", "0 operations with the name", false}, // it failed
		{"correspondent assign bc bc-1 GL261121000002", "0 operations with the name", false}, // of an agent
		{"correspondent assign bc bc-1 GL261121000004", "is of bc bc-4", false},
		{"correspondent assign bc bc-1 GL261121000005", "neither a vendor nor an aggregator", false},
		{"correspondent assign bc bc-4 GL261121000001", "has a known party already", false},
		{"correspondent assign bc bc-9 GL261121000001", "business correspondent bc-9 belongs to aggregator:a from now on", true},
		{"correspondent forget bc bc-9", "belonged to aggregator:a", true},
		{"correspondent forget bc bc-9", "it is not known", false},
		{"correspondent assign bc bc-1 0193519c-0000-7000-8000-000000000001", "belongs to aggregator:a from now on", true},
		{"correspondent show bc bc-1", "was registered by aggregator:a", true},
		{"correspondent assign agent a-2 GL261121000002", "agent a-2 belongs to vendor:v from now on", true},
	} {
		out, err := command(step.line)
		if err != nil {
			out += err.Error()
		}
		if (err == nil) != step.fine || !strings.Contains(out, step.want) {
			t.Errorf("%s: want %q:\n%s", step.line, step.want, out)
		}
	}
	for kind, want := range map[accounts.CorrespondentKind][2]string{accounts.BusinessCorrespondent: {"bc-1", "aggregator:a"}, accounts.CorrespondentAgent: {"a-2", "vendor:v"}} {
		if owner, err := db.CorrespondentOwner(t.Context(), kind, want[0]); err != nil || owner != want[1] {
			t.Errorf("%s %s is of %q, %v", kind, want[0], owner, err)
		}
	}
	var did []string
	list, err := db.AuditEntries(t.Context(), staff.AuditQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(list) {
		if e.Outcome == staff.OutcomeDone {
			did = append(did, fmt.Sprintf("%s %s %s→%s %s", e.Action, e.Subject, e.Was, e.Became, e.Note))
		}
	}
	want := []string{
		"correspondent.assign bc bc-9 →aggregator:a by registration 0193519c-0000-7000-8000-000000000001", "correspondent.forget bc bc-9 aggregator:a→ ",
		"correspondent.assign bc bc-1 →aggregator:a by registration 0193519c-0000-7000-8000-000000000001", "correspondent.assign agent a-2 →vendor:v by registration 0193519c-0000-7000-8000-000000000002",
	}
	if !slices.Equal(did, want) {
		t.Errorf("the audit log has\n%q, want\n%q", did, want)
	}
}
