package central

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
)

// lineBuffer keeps the lines of a log.
type lineBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lineBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

// endedLine is the line of an operation that ended while no call waited for it.
type endedLine struct {
	Msg, Operation, Reference, Route, State, Code string
}

// ended gives those lines.
func (b *lineBuffer) ended(t *testing.T) (lines []endedLine) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for text := range strings.Lines(b.text.String()) {
		var line endedLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		if line.Msg == "operation ended" {
			lines = append(lines, line)
		}
	}
	return lines
}

// sendFunc is a fakeBank's send.
type sendFunc = func(context.Context, BankRequest) (BankAnswer, error)

// TestTheEndOfAnOperationIsLoggedOnce: by the call that waits for it, or else by the
// engine. All who wait are called here, so the lines here are those of the engine.
func TestTheEndOfAnOperationIsLoggedOnce(t *testing.T) {
	answering := func(a BankAnswer, err error) func(*fakeBank) sendFunc {
		return func(*fakeBank) sendFunc {
			return func(context.Context, BankRequest) (BankAnswer, error) { return a, err }
		}
	}
	slow := func(b *fakeBank) sendFunc {
		return func(_ context.Context, r BankRequest) (BankAnswer, error) {
			time.Sleep(5 * time.Second)
			return b.execute(r), nil
		}
	}
	for name, tt := range map[string]struct {
		send  func(*fakeBank) sendFunc // nil: the bank approves
		stays time.Duration            // how long the caller waits; 0: until it gets a reply
		state op.State                 // of the engine's line; empty: there is none
		code  string
	}{
		"a call waits":                       {},
		"a call waits for a decline":         {send: answering(BankAnswer{Status: BankDeclined, Code: "51", Message: "DECLINED"}, nil)},
		"a call waits, the bank is down":     {send: answering(BankAnswer{}, MarkNotSent(errSilent))},
		"the caller goes":                    {send: slow, stays: time.Second, state: op.Succeeded, code: CodeApproved},
		"an enquiry finds the outcome":       {send: func(b *fakeBank) sendFunc { return b.silent(true) }, state: op.Succeeded, code: CodeApproved},
		"an enquiry finds that it never was": {send: func(b *fakeBank) sendFunc { return b.silent(false) }, state: op.Failed, code: codeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, bank := &lineBuffer{}, &fakeBank{executed: map[Reference]int{}}
				if tt.send != nil {
					bank.send = tt.send(bank)
				}
				d := start(t, newMemoryStore(), bank, EngineConfig{Logger: slog.New(slog.NewJSONHandler(log, nil))})
				defer d.stop()
				ctx := t.Context()
				if tt.stays > 0 {
					limited, cancel := context.WithTimeout(ctx, tt.stays)
					defer cancel()
					ctx = limited
				}
				o, _, err := d.engine.Submit(ctx, submission(t, "k1"))
				if err != nil || o.State.Final() == (tt.state != "") {
					t.Fatalf("Submit = %s, %v", o.State, err)
				}
				time.Sleep(2 * time.Minute) // enquiries are made
				lines := log.ended(t)
				if tt.state == "" {
					if len(lines) != 0 {
						t.Errorf("lines %+v of an operation whose call waited", lines)
					}
					return
				}
				d.want(o.ID, tt.state)
				if want := (endedLine{"operation ended", string(o.ID), string(o.Reference), string(op.Withdrawal), string(tt.state), tt.code}); len(lines) != 1 || lines[0] != want {
					t.Errorf("lines %+v, want once %+v", lines, want)
				}
			})
		})
	}
}

// TestTheEndOfAnAbandonedOperationIsLogged: nobody waits for what an earlier run left.
func TestTheEndOfAnAbandonedOperationIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, log := newMemoryStore(), &lineBuffer{}
		left := Operation{ID: "left", Caller: "merchant:m1", Identity: "k1", Route: op.Withdrawal, Kind: KindWithdrawal, Reference: "R1", State: op.Received, Node: "node-1", CreatedAt: time.Now()}
		if _, _, err := store.Create(t.Context(), left, nil); err != nil {
			t.Fatal(err)
		}
		d := start(t, store, &fakeBank{executed: map[Reference]int{}}, EngineConfig{Logger: slog.New(slog.NewJSONHandler(log, nil))})
		defer d.stop()
		d.want(left.ID, op.Refused)
		if want := (endedLine{"operation ended", "left", "R1", string(op.Withdrawal), string(op.Refused), ""}); len(log.ended(t)) != 1 || log.ended(t)[0] != want {
			t.Errorf("lines %+v, want once %+v", log.ended(t), want)
		}
	})
}
