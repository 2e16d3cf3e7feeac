//go:build linux

package installtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/edge"
	"galla/edge/queue"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/seal"
)

// What a counter is enrolled with. No other file may ever hold them.
const (
	code    = "7QX4-M2KD-9TTB"
	pin     = "739164"
	aadhaar = "999941057058"
)

// testCentral is the one route of a central that an installation calls. It knows one
// code, and takes it once.
func testCentral(t *testing.T) (url string) {
	t.Helper()
	taken := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Code      string
			PublicKey []byte
			Name      string
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if r.URL.Path != "/terminals/enrol" || err != nil || body.Code != code || len(body.PublicKey) != 32 || body.Name != "Counter 1" || taken {
			t.Logf("the counter refuses: %s %s, name %q, %v", r.Method, r.URL.Path, body.Name, err)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"message":"this code is not known, or was used"}`))
			return
		}
		taken = true
		w.WriteHeader(http.StatusCreated)
		// Nobody listens at its uplink: what is open stays open.
		_, _ = w.Write([]byte(`{"data":{"terminalId":"0192f0c1-0000-7000-8000-000000000001","merchantId":"m-1","merchantName":"Test Stores","mid":"M1","tid":"T1","uplink":"ws://127.0.0.1:9/uplink","audience":"galla-uplink"}}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// secrets writes the files that enrolment reads, and gives their names.
func secrets(t *testing.T, folder string) (files [3]string) {
	t.Helper()
	for i, s := range [3][2]string{{"code", code}, {"pin", pin}, {"aadhaar", aadhaar}} {
		files[i] = filepath.Join(folder, s[0])
		if err := os.WriteFile(files[i], []byte(s[1]+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// openQueue opens the queue of a counter that does not run, as its own program
// does.
func openQueue(t *testing.T, data string) *queue.Queue {
	t.Helper()
	folder := filepath.Join(data, "edge")
	key, err := seal.ReadKeyFile(filepath.Join(folder, "keys", "queue.key"))
	if err != nil {
		t.Fatal(err)
	}
	q, report, err := queue.Open(queue.Config{Path: filepath.Join(folder, "queue.db"), Key: key, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) > 0 {
		t.Fatalf("the queue warns of %v", report.Warnings)
	}
	return q
}

// leaveOpen puts operations into the queue that were sent and not answered, of
// ₹500 each.
func leaveOpen(t *testing.T, data string, n int) {
	t.Helper()
	q := openQueue(t, data)
	for range n {
		id, err := uuid.NewV7()
		if err == nil {
			now := time.Now()
			err = q.Add(edge.Record{
				ID: op.ID(id.String()), Route: op.Withdrawal, Class: op.Money, State: op.Reserved, User: "Asha",
				Aadhaar: "XXXXXXXX7058", Amount: 500 * money.Rupee, Body: []byte(`{"TxnAmount":500}`), CreatedAt: now,
			})
		}
		for _, state := range []op.State{op.Queued, op.Sent, op.Unknown} {
			if err == nil {
				_, err = q.Change(op.ID(id.String()), func(r *edge.Record) error { r.State = state; return nil })
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// finishOperations gives every open operation its outcome, as the central's word does.
func finishOperations(t *testing.T, data string) {
	t.Helper()
	q := openQueue(t, data)
	open, err := q.Unresolved()
	for _, r := range open {
		if err == nil {
			_, err = q.Change(r.ID, func(r *edge.Record) error { r.State, r.EndedAt = op.Failed, time.Now(); return nil })
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
}

// sums gives the SHA-256 of every file below a folder.
func sums(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		name, err := filepath.Rel(folder, path)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no files", folder)
	}
	return all
}
