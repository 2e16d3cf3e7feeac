package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/shared/ist"
	"galla/shared/op"
)

// testStore is what every database must do. open gives a new store that holds
// the parties of testSeed and writes as testNode.
func testStore(t *testing.T, open func(t *testing.T) *DB) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, s *DB)
	}{
		{"begin", suiteCreate},
		{"begin again", suiteCreateAgain},
		{"begin at once", suiteCreateAtOnce},
		{"begin refuses", suiteCreateRefuses},
		{"create as sent", suiteCreateAsSent},
		{"mark as sent", suiteMarkSent},
		{"mark pending", suiteMarkPending},
		{"finish", suiteFinish},
		{"finish refuses", suiteFinishRefuses},
		{"states", suiteStates},
		{"ask", suiteTombstones},
		{"abandoned", suiteUnfinished},
		{"claim", suiteClaimEnquiries},
		{"claim at once", suiteClaimEnquiriesAtOnce},
		{"postpone", suitePostponeEnquiry},
		{"history", suiteHistory},
		{"evidence", suiteFind},
		{"messages with a receipt", suiteReceiptMessages},
		{"directory", suiteDirectory},
		{"enrol", suiteEnrol},
		{"terminal keys", suiteTerminalKeys},
		{"codes", suiteCodes},
		{"terminals", suiteTerminals},
		{"tokens", suiteTokens},
		{"sessions", suiteSessions},
		{"events", suiteEvents},
		{"vendor keys", suiteVendorKeys},
		{"uses of keys", suiteKeyUses},
		{"replays", suiteReplays},
		{"messages of operations", suiteMessages},
		{"aadhaar", suiteAadhaar},
		{"contexts", suiteContexts},
		{"particulars", suiteParticulars},
		{"caller references", suiteCallerRef},
		{"caller references at once", suiteCallerRefAtOnce},
		{"attempts", suiteAttempts},
		{"attempts at refunds", suiteRefundAttempts},
		{"refunds that failed after an attempt", suiteFailedRefunds},
		{"by reference", suiteByReference},
		{"refund of", suiteRefundOf},
		{"newest", suiteLatestOperations},
		{"quotas", suiteQuotas},
		{"quota bounds", suiteQuotaBounds},
		{"quotas given back", suiteGivenBack},
		{"onboarding", suiteOnboarding},
		{"approve", suiteApprove},
		{"merchants of a vendor", suiteMerchantsOf},
		{"slabs", suiteSlabs},
		{"slab bands", suiteSlabBands},
		{"slab defaults", suiteSlabDefaults},
		{"slab refusals", suiteSlabRefuses},
		{"earnings", suiteEarnings},
		{"earnings report", suiteEarningsReport},
		{"reversals", suiteReversals},
		{"settlements as a whole", suiteWhole},
		{"payments", suitePayments},
		{"matches of payments", suitePaymentMatches},
		{"limits of payments", suitePaymentLimits},
		{"returned payments", suitePaymentRefunds},
		{"payments at once", suitePaymentsAtOnce},
		{"lists of payments", suitePaymentLists},
		{"enquiry for payments", suitePaymentEnquiry},
		{"callbacks of payments", suitePaymentCallbacks},
		{"payments of a vendor", suitePaymentsOfVendor},
		{"random slabs", suiteRandomSlabs},
		{"random operations", suiteRandomOperations},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

func TestSQLite(t *testing.T) {
	testStore(t, func(t *testing.T) *DB { return onSQLite.open(t, testConfig()) })
}

func TestPostgres(t *testing.T) {
	testStore(t, func(t *testing.T) *DB { return onPostgres.open(t, testConfig()) })
}

// twice is a database that runs every change twice and undoes the first run, as happens with
// several writers.
type twice struct{ dbconn.DB }

var errInVain = errors.New("in vain")

// Write implements dbconn.DB.
func (d twice) Write(ctx context.Context, do func(dbconn.Conn) error) error {
	_ = d.DB.Write(ctx, func(c dbconn.Conn) error { return errors.Join(do(c), errInVain) })
	return d.DB.Write(ctx, do)
}

// TestChangesMayRunAgain: a change that is run again leaves and gives what it
// would have at once.
func TestChangesMayRunAgain(t *testing.T) {
	testStore(t, func(t *testing.T) *DB {
		s := onSQLite.open(t, testConfig())
		if !strings.HasSuffix(t.Name(), "/mark_pending") { // the number of a pending reference is another in the second run
			s.db = twice{s.db}
		}
		return s
	})
}

var background = context.Background()

// wantErr fails unless err is want.
func wantErr(t *testing.T, doing string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", doing, err, want)
	}
}

// wantSame fails unless both are deeply equal.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// created records a new operation.
func created(t *testing.T, s *DB, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	o := newOperation()
	for _, c := range change {
		c(&o)
	}
	o, isNew, err := s.Create(background, o, nil)
	if err != nil || !isNew {
		t.Fatalf("begin: new %v, error %v", isNew, err)
	}
	return o
}

// inState brings a new operation to a state by the shortest way.
func inState(t *testing.T, s *DB, state op.State, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	o := created(t, s, change...)
	steps := map[op.State][]op.State{
		op.Received:  {},
		op.Refused:   {op.Refused},
		op.Sent:      {op.Sent},
		op.Succeeded: {op.Sent, op.Succeeded},
		op.Failed:    {op.Sent, op.Failed},
		op.Pending:   {op.Sent, op.Pending},
		op.Reversed:  {op.Sent, op.Pending, op.Reversed},
	}[state]
	for _, to := range steps {
		if err := step(s, o.ID, to); err != nil {
			t.Fatal(err)
		}
	}
	o, err := s.Operation(background, o.ID)
	if err != nil || o.State != state {
		t.Fatalf("operation is %s, want %s: %v", o.State, state, err)
	}
	return o
}

// step takes an operation to a state by the method that does so.
func step(s *DB, id op.ID, to op.State) error {
	switch to {
	case op.Sent:
		x := central.SentUpdate{ID: id, At: t0, BankNotAfter: t0.Add(15 * time.Second)}
		if o, err := s.Operation(background, id); err == nil {
			x.Before = &o
		}
		return s.MarkSent(background, x)
	case op.Pending:
		x := pendingUpdate(id)
		if o, err := s.Operation(background, id); err == nil {
			x.Before = &o
		}
		_, err := s.MarkPending(background, x)
		return err
	default:
		_, err := finish(s, finalOutcome(id, to))
		return err
	}
}

func pendingUpdate(id op.ID) central.PendingUpdate {
	return central.PendingUpdate{ID: id, At: t0.Add(15 * time.Second), Reason: "no answer from the bank", Prefix: "AEPS-NR-", NextEnquiry: t0.Add(20 * time.Second)}
}

func finalOutcome(id op.ID, to op.State) central.FinalOutcome {
	return central.FinalOutcome{
		ID: id, To: to, At: t0.Add(30 * time.Second), Reason: "the bank answered",
		Answer: central.BankAnswer{Code: "00", RRN: "632510123456"}, HTTP: 200, Reply: []byte(`{"statusCode":"00"}`),
	}
}

func suiteCreate(t *testing.T, s *DB) {
	o := newOperation()
	o.SentAt, o.Code, o.Reply = t0, "00", []byte("x") // not Begin's to record
	got, isNew, err := s.Create(background, o, nil)
	if err != nil || !isNew {
		t.Fatalf("begin: new %v, error %v", isNew, err)
	}
	want := o
	want.SentAt, want.Code, want.Reply = time.Time{}, "", nil
	want.CreatedAt = time.Date(2026, 11, 21, 10, 30, 0, 123_000_000, time.UTC)
	want.NotAfter = time.Date(2026, 11, 21, 10, 31, 30, 123_000_000, time.UTC)
	wantSame(t, "begun", got, want)
	read, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read by id", read, want)
	read, err = s.ByIdentity(background, o.Caller, o.Identity)
	wantErr(t, "read", err, nil)
	wantSame(t, "read by identity", read, want)

	// What is optional may be absent.
	bare := newOperation()
	bare.Merchant, bare.TID, bare.Aadhaar, bare.IIN, bare.STAN, bare.Amount, bare.NotAfter = "", "", "", "", "", 0, time.Time{}
	bare.CreatedAt = time.UnixMilli(1_795_000_000_999).In(ist.Zone())
	if _, _, err := s.Create(background, bare, nil); err != nil {
		t.Fatal(err)
	}
	read, err = s.Operation(background, bare.ID)
	wantErr(t, "read", err, nil)
	bare.CreatedAt = bare.CreatedAt.UTC()
	wantSame(t, "bare", read, bare)

	_, err = s.Operation(background, newID())
	wantErr(t, "an unknown operation", err, central.ErrNotFound)
	_, err = s.ByIdentity(background, o.Caller, "unknown")
	wantErr(t, "an unknown identity", err, central.ErrNotFound)
}

func suiteCreateAgain(t *testing.T, s *DB) {
	first := created(t, s)
	again := newOperation()
	again.Caller, again.Identity = first.Caller, first.Identity
	again.Amount, again.Fingerprint = 1, [32]byte{1}
	known, isNew, err := s.Create(background, again, nil)
	wantErr(t, "begin again", err, nil)
	if isNew {
		t.Fatal("a known identity began a second operation")
	}
	wantSame(t, "known", known, first)
	_, err = s.Operation(background, again.ID)
	wantErr(t, "the second operation", err, central.ErrNotFound)

	// Another caller's identity is another identity.
	other := newOperation()
	other.Caller, other.Identity = "vendor:"+string(vendor1), first.Identity
	if _, isNew, err := s.Create(background, other, nil); err != nil || !isNew {
		t.Fatalf("another caller's: new %v, error %v", isNew, err)
	}

	// The known operation comes as it stands now, reply and all.
	settled := inState(t, s, op.Reversed)
	known, isNew, err = s.Create(background, settled, nil)
	if err != nil || isNew {
		t.Fatalf("begin a finished one again: new %v, error %v", isNew, err)
	}
	wantSame(t, "finished", known, settled)
}

func suiteCreateAtOnce(t *testing.T, s *DB) {
	const callers = 32
	shared := newOperation()
	var isNew [callers]bool
	var ids [callers]op.ID
	var wg sync.WaitGroup
	for i := range callers {
		o := newOperation()
		o.Caller, o.Identity = shared.Caller, shared.Identity
		wg.Go(func() {
			known, fresh, err := s.Create(background, o, nil)
			if err != nil {
				t.Errorf("begin: %v", err)
			}
			isNew[i], ids[i] = fresh, known.ID
		})
	}
	wg.Wait()
	fresh := 0
	for i := range callers {
		if isNew[i] {
			fresh++
		}
		if ids[i] != ids[0] {
			t.Errorf("caller %d was given operation %s, caller 0 %s", i, ids[i], ids[0])
		}
	}
	if fresh != 1 {
		t.Fatalf("%d of %d callers with one identity began an operation, want exactly one", fresh, callers)
	}
}

func suiteCreateRefuses(t *testing.T, s *DB) {
	first := created(t, s)
	taken := newOperation()
	taken.Reference = first.Reference
	_, _, err := s.Create(background, taken, nil)
	wantErr(t, "a reference that is taken", err, central.ErrTaken)
	_, err = s.ByIdentity(background, taken.Caller, taken.Identity)
	wantErr(t, "its identity", err, central.ErrNotFound)
	taken.Reference += "X"
	if _, isNew, err := s.Create(background, taken, nil); err != nil || !isNew {
		t.Fatalf("with another reference: new %v, error %v", isNew, err)
	}

	for name, spoil := range map[string]func(*central.Operation){
		"an id that is taken":     func(o *central.Operation) { o.ID = first.ID },
		"a negative amount":       func(o *central.Operation) { o.Amount = -1 },
		"no reference":            func(o *central.Operation) { o.Reference = "" },
		"no caller":               func(o *central.Operation) { o.Caller = "" },
		"no identity":             func(o *central.Operation) { o.Identity = "" },
		"no id":                   func(o *central.Operation) { o.ID = "" },
		"no moment":               func(o *central.Operation) { o.CreatedAt = time.Time{} },
		"a merchant that is none": func(o *central.Operation) { o.Merchant = "nobody" },
		"a terminal that is none": func(o *central.Operation) { o.Terminal = "nothing" },
	} {
		o := newOperation()
		spoil(&o)
		_, _, err := s.Create(background, o, nil)
		if err == nil || errors.Is(err, central.ErrTaken) {
			t.Errorf("begin with %s: error %v", name, err)
		}
		if _, err := s.ByIdentity(background, o.Caller, o.Identity); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("begin with %s left something behind: %v", name, err)
		}
	}
}

// suiteStates walks every pair of states through the methods and compares with
// the table of transitions.
func suiteStates(t *testing.T, s *DB) {
	all := []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}
	for _, from := range all {
		for _, to := range all[1:] { // no method leads to received
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				o := inState(t, s, from)
				err := step(s, o.ID, to)
				now, readErr := s.Operation(background, o.ID)
				wantErr(t, "read", readErr, nil)
				if central.CanTransition(from, to) {
					wantErr(t, "a legal step", err, nil)
					if now.State != to {
						t.Fatalf("state is %s", now.State)
					}
					return
				}
				wantErr(t, "an illegal step", err, central.ErrState)
				wantSame(t, "after the refusal", now, o)
			})
		}
	}
	for _, to := range all[1:] {
		wantErr(t, "a step of nothing to "+string(to), step(s, newID(), to), central.ErrNotFound)
	}
}

// suiteAadhaar tries to bring an Aadhaar number into the record in the clear.
func suiteAadhaar(t *testing.T, s *DB) {
	const number = "999941057058"
	for _, text := range []string{number, "XXXX" + number[4:], number + " ", "9999 4105 7058", "X" + number, "7058", number[:11], "XXXXXXXX70588"} {
		o := newOperation()
		o.Aadhaar = text
		_, _, err := s.Create(background, o, nil)
		if err == nil {
			t.Fatalf("an Aadhaar column took %d characters that are no masked number", len(text))
		}
		for c := err; c != nil; c = errors.Unwrap(c) {
			if text != "7058" && containsText(c.Error(), text) {
				t.Fatal("the refusal quotes the Aadhaar number")
			}
		}
		_, err = s.Operation(background, o.ID)
		wantErr(t, "the refused operation", err, central.ErrNotFound)
	}
	for _, text := range []string{"", "XXXXXXXX7058", "XXXXXXXXXXXX"} {
		created(t, s, func(o *central.Operation) { o.Aadhaar = text })
	}
}

// suiteContexts: a caller who has left gets its context's error and nothing is
// written.
func suiteContexts(t *testing.T, s *DB) {
	gone, leave := context.WithCancel(background)
	leave()
	o := newOperation()
	_, _, err := s.Create(gone, o, nil)
	wantErr(t, "begin", err, context.Canceled)
	_, err = s.Operation(background, o.ID)
	wantErr(t, "the operation of a caller who had left", err, central.ErrNotFound)
}
