package server

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"galla/central"
	"galla/central/office"
	"galla/central/store"
)

// TestReadinessNamesEachCondition: each condition of readiness has a line of
// its own, and the first that fails is the verdict.
func TestReadinessNamesEachCondition(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	want := "ready\nok      staying\nok      engine\nok      database\nok      schema\nok      master key\n"
	if _, says := get(t, "http://"+cfg.AdminAddr+"/readyz"); says != want {
		t.Errorf("a ready central says\n%s", says)
	}
	if status, says := get(t, "http://"+cfg.AdminAddr+"/healthz"); status != http.StatusOK || says != "alive\n" {
		t.Errorf("/healthz: %d %s", status, says)
	}
	// The last step of the schema is gone, as after a restoration of an older
	// database under a running central.
	file, err := sql.Open("sqlite3", "file:"+cfg.Office().Database()+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.ExecContext(t.Context(), `DELETE FROM schema_versions WHERE version_id = (SELECT max(version_id) FROM schema_versions)`); err != nil {
		t.Fatal(err)
	}
	says := until(t, cfg, "not ok  schema")
	if !strings.HasPrefix(says, "not ready: the database has schema version") || !strings.Contains(says, "ok      master key") {
		t.Errorf("on an older schema /readyz says\n%s", says)
	}
	stop()
}

// TestADatabaseThatDoesNotAnswer: the desk's checks without their database.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	cfg := testConfig(t)
	db, err := office.OpenStore(t.Context(), cfg.Office(), store.Config{Node: "test", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	a := admin{engine: new(central.Engine), store: db, life: &life{}, log: cfg.Logger}
	var told []string
	for _, c := range a.checks(t.Context()) {
		told = append(told, c.name+": "+c.problem)
	}
	want := "staying: |engine: starting or stopping|database: the database does not take changes|schema: not known|master key: not known"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("the checks are %s", got)
	}
}

// kept is a log that many goroutines write.
type kept struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all.Write(p)
}

func (k *kept) lines(t *testing.T) []map[string]any {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []map[string]any
	for _, line := range bytes.Split(bytes.TrimSpace(k.all.Bytes()), []byte("\n")) {
		entry := map[string]any{}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("a line of the log is no JSON: %s", line)
		}
		list = append(list, entry)
	}
	return list
}

// floatIsRead tells whether a line is of the central's own question for the float,
// which it asks now and then, and which no call made.
func floatIsRead(line map[string]any) bool {
	why, _ := line["error"].(string)
	_, called := line["request"]
	return !called && strings.Contains(why, string(central.KindFloatBalance))
}

// TestTheLogNamesRequestsAndOperations drives a central whose bank is away
// through calls of both doors and of each class, and looks at every line that
// its log has of them.
func TestTheLogNamesRequestsAndOperations(t *testing.T) {
	cfg := testConfig(t)
	log := &kept{}
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	stop := serving(t, cfg)
	token := tokenOf(t, cfg)
	call := func(id, method, path, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, "http://"+cfg.Addr+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("X-Request-Id", id)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	call("R-consult", "POST", "/dmt/txn/v1/remitter/details", `{"sender_mobilenumber":"9876543210"}`)
	call("R-record", "POST", "/dmt/txn/v1/remitter/register", `{"sender_mobilenumber":"9876543210"}`)
	call("R-list", "GET", "/aeps/banks", "")
	call("R-bad", "POST", "/aeps/withdrawal", `{"amount":`)
	key := sandboxKeys()[0]
	if status, _ := sendSealed(t, cfg, key.APIKey.Reveal(), key.Key, "/process/aeps/banks"); status != 200 {
		t.Errorf("the gateway answers HTTP %d", status)
	}
	stop()
	requests := map[string]int{}
	for _, line := range log.lines(t) {
		request, _ := line["request"].(string)
		operation, _ := line["operation"].(string)
		requests[request]++
		switch msg, _ := line["msg"].(string); {
		case msg == "call" && request == "", msg == "token issued" && request == "", msg == "token refused" && request == "":
			t.Errorf("a line about a call without its request: %v", line)
		case strings.Contains(msg, "consultation") && request != "R-consult" && !floatIsRead(line):
			t.Errorf("a line about a consultation without its request: %v", line)
		case (strings.Contains(msg, "operation") || line["state"] != nil) && operation == "" && line["caller"] != nil:
			t.Errorf("a line about an operation without its id: %v", line)
		case operation != "" && request == "":
			t.Errorf("a line about an operation that a call carried, without the call's request: %v", line)
		}
	}
	for _, id := range []string{"R-consult", "R-record", "R-list", "R-bad"} {
		if requests[id] == 0 {
			t.Errorf("the log has no line of request %s", id)
		}
	}
	if requests["R-record"] < 3 {
		t.Errorf("the record has %d lines, want the failure at the bank, the operation's end and the call", requests["R-record"])
	}
	if requests["R-consult"] < 2 {
		t.Errorf("the consultation has %d lines, want the failure at the bank and the call", requests["R-consult"])
	}
}
