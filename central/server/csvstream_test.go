package server

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/shared/op"
)

// TestCSVClientLeaves: a client that goes away in the middle of the file leaves nothing
// behind. More of them than files are written at one time, and the next client gets the
// whole file; no goroutine writes any more; and the audit log has nothing, since it was
// read and nothing was changed. The database is closed afterwards, which an open cursor
// would prevent.
func TestCSVClientLeaves(t *testing.T) {
	const pages, impatient = 4, 10 // httpapi writes 8 files at one time
	s := newStack(t)
	seedOperations(t, s, pages*selfservice.CSVPage)
	before := len(auditLog(t, s))
	ask := request("GET", "/vendor/operations?format=csv", "", "Authorization", s.token(t, "vendor-sahyadri"))
	open := func() (*http.Response, func()) {
		t.Helper()
		conn, err := s.dial()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(ask); err != nil {
			t.Fatal(err)
		}
		reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply, func() { _ = conn.Close() }
	}
	for range impatient {
		reply, leave := open()
		for reply.StatusCode == http.StatusTooManyRequests { // the one before is just being noticed
			leave()
			reply, leave = open()
		}
		if _, err := reply.Body.Read(make([]byte, 100)); err != nil || reply.StatusCode != http.StatusOK {
			t.Fatalf("HTTP %d, %v", reply.StatusCode, err)
		}
		leave()
	}
	for strings.Contains(goroutines(), "selfservice.WriteCSV") {
		if t.Context().Err() != nil {
			t.Fatalf("a file is still written:\n%s", goroutines())
		}
		runtime.Gosched()
	}
	reply, leave := open()
	defer leave()
	lines, err := csv.NewReader(reply.Body).ReadAll()
	if err != nil || len(lines) != 1+pages*selfservice.CSVPage {
		t.Errorf("HTTP %d: %d lines, %v", reply.StatusCode, len(lines), err)
	}
	if after := len(auditLog(t, s)); after != before {
		t.Errorf("reading made %d entries of the audit log", after-before)
	}
}

// seedOperations records operations of the first merchant, many in one commit.
func seedOperations(t *testing.T, s *stack, n int) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			id := op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", i))
			o := central.Operation{
				ID: id, Caller: "merchant:" + merchantBase + "1", Identity: string(id), Route: op.Withdrawal, Merchant: merchantBase + "1", TID: "GAL00001",
				Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", Reference: central.Reference(fmt.Sprintf("GL%014d", i)), STAN: "000001",
				Attempt: 1, State: op.Received, Node: s.cfg.Node, CreatedAt: time.Now(),
			}
			if _, _, err := s.db.Create(t.Context(), o, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

func auditLog(t *testing.T, s *stack) []staff.AuditEntry {
	t.Helper()
	list, err := s.db.ForStaff().AuditEntries(t.Context(), staff.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// goroutines are the stacks of all goroutines.
func goroutines() string {
	text := make([]byte, 4<<20)
	return string(text[:runtime.Stack(text, true)])
}
