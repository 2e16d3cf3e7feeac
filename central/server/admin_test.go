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
	"galla/central/admincli"
	"galla/central/store"
)

// TestReadinessNamesEachCondition: each condition of readiness has a line of
// its own, and the first that fails is in the summary.
func TestReadinessNamesEachCondition(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	want := "ready\nok      not stopping\nok      engine\nok      database\nok      schema\nok      master key\n"
	if _, says := get(t, "http://"+cfg.AdminAddr+"/readyz"); says != want {
		t.Errorf("a ready central says\n%s", says)
	}
	if status, says := get(t, "http://"+cfg.AdminAddr+"/healthz"); status != http.StatusOK || says != "alive\n" {
		t.Errorf("/healthz: %d %s", status, says)
	}
	// The last step of the schema is gone, as after a restore of an older
	// database under a running central.
	file, err := sql.Open("sqlite3", "file:"+cfg.CLIConfig().Database()+"?_busy_timeout=5000")
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

// TestADatabaseThatDoesNotAnswer checks readiness without a database.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	cfg := testConfig(t)
	db, err := admincli.OpenStore(t.Context(), cfg.CLIConfig(), store.Config{Node: "test", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	a := adminServer{engine: new(central.Engine), store: db, lifecycle: &lifecycle{}, log: cfg.Logger}
	var got []string
	for _, c := range a.checks(t.Context()) {
		got = append(got, c.name+": "+c.problem)
	}
	want := "not stopping: |engine: starting or stopping|database: the database does not accept changes|schema: not known|master key: not known"
	if got := strings.Join(got, "|"); got != want {
		t.Errorf("the checks are %s", got)
	}
}

// logBuffer is a log that many goroutines write.
type logBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (k *logBuffer) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all.Write(p)
}

func (k *logBuffer) lines(t *testing.T) []map[string]any {
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

// floatIsRead reports whether a line is about the scheduled reading of the float, which
// belongs to no request.
func floatIsRead(line map[string]any) bool {
	why, _ := line["error"].(string)
	_, called := line["request"]
	return !called && strings.Contains(why, string(central.KindFloatBalance))
}

// TestTheLogNamesRequestsAndOperations sends requests of each class by both HTTP
// entrances to a central whose bank is not reachable, and checks every log line.
func TestTheLogNamesRequestsAndOperations(t *testing.T) {
	cfg := testConfig(t)
	log := &logBuffer{}
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	stop := serving(t, cfg)
	token := tokenOf(t, cfg, "merchant-lakshmi")
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
			t.Errorf("a line about a request without its id: %v", line)
		case strings.Contains(msg, "consultation") && request != "R-consult" && !floatIsRead(line):
			t.Errorf("a line about a consultation without its request id: %v", line)
		case (strings.Contains(msg, "operation") || line["state"] != nil) && operation == "" && line["caller"] != nil:
			t.Errorf("a line about an operation without its id: %v", line)
		case operation != "" && request == "":
			t.Errorf("a line about an operation of a request, without the request's id: %v", line)
		}
	}
	for _, id := range []string{"R-consult", "R-record", "R-list", "R-bad"} {
		if requests[id] == 0 {
			t.Errorf("the log has no line of request %s", id)
		}
	}
	if requests["R-record"] != 2 {
		t.Errorf("the record has %d lines, want the failure at the bank and the request", requests["R-record"])
	}
	if requests["R-consult"] < 2 {
		t.Errorf("the consultation has %d lines, want the failure at the bank and the request", requests["R-consult"])
	}
}
