package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// requeryStore fails as configured.
type requeryStore struct {
	*fakeStore
	broken error
}

func (s *requeryStore) ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	named := 0
	for _, set := range []bool{by.CallerRef != "", by.Reference != "", by.Pending != ""} {
		if set {
			named++
		}
	}
	if named != 1 {
		panic("a query names an operation in one way")
	}
	if s.broken != nil {
		return central.Operation{}, s.broken
	}
	return s.fakeStore.ByReference(ctx, party, by)
}

// requeried returns a fixture whose store has one changed operation.
func requeried(t testing.TB, change func(*central.Operation)) *fixture {
	t.Helper()
	b := newFixture(t)
	o := central.Operation{
		ID: opID, Caller: merchant1.Caller(), Party: merchant1.Party(), Identity: "key-1", CallerRef: "order-17", Route: op.Withdrawal,
		Kind: central.KindWithdrawal, Merchant: m1, Amount: 50000, Aadhaar: "XXXXXXXX7058", Reference: "GL261121ABCDEFGHJK", STAN: "000042",
		State: op.Pending, PendingReference: "AEPS-NR-1795253400123", CreatedAt: day,
	}
	if change != nil {
		change(&o)
	}
	b.store.operations[o.ID] = o
	d, err := New(b.executor, b.registry, &requeryStore{fakeStore: b.store}, b.store, nil, config(b.log))
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = d
	return b
}

// finish ends an operation with the bank's answer, as the engine does.
func finish(to op.State, a central.BankAnswer) func(*central.Operation) {
	return func(o *central.Operation) {
		o.State = to
		o.HTTP, o.Reply = Renderer{}.FinalReply(*o, to, a)
	}
}

const (
	byCaller  = `{"clientRefId":"order-17"}`
	byPending = `{"reference":"AEPS-NR-1795253400123"}`
	byOurs    = `{"reference":"GL261121ABCDEFGHJK"}`
	byRRN     = `{"RetailerReferenceNumber":"GL261121ABCDEFGHJK"}`
)

func everyName() []string { return []string{byCaller, byPending, byOurs, byRRN} }

// TestRequeryGivesTheTransactionsReply: the same as the transaction's, as it
// stands now, by each of its names.
func TestRequeryGivesTheTransactionsReply(t *testing.T) {
	approved := newFixture(t).executor.answer
	undone := func(to op.State, why *central.Error) func(*central.Operation) {
		return func(o *central.Operation) {
			o.State = to
			o.HTTP, o.Reply = Renderer{}.NotExecutedReply(*o, why)
		}
	}
	tests := []struct {
		name   string
		change func(*central.Operation)
		golden string // of the transaction itself
		status string // txnStatus
	}{
		{"succeeded", finish(op.Succeeded, approved), "withdrawal-succeeded", "SUCCESS"},
		{"failed", finish(op.Failed, central.BankAnswer{Status: central.BankDeclined, Code: "51", Message: "INSUFFICIENT FUNDS", RRN: "632509000042"}), "withdrawal-failed", "FAILED"},
		{"reversed", finish(op.Reversed, central.BankAnswer{Status: central.BankReversed, Code: "68", Message: "REVERSED", RRN: "632509000042"}), "withdrawal-reversed", "REVERSED"},
		{"pending", nil, "withdrawal-pending", "PENDING"},
		{"unreachable", undone(op.Failed, central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")), "withdrawal-unreachable", ""},
		{"refused", undone(op.Refused, central.NewError(central.FailedPrecondition, "The deadline passed before the operation arrived; nothing was sent")), "withdrawal-too-late", ""},
		{"reqAuth", func(o *central.Operation) {
			o.Route, o.Kind = op.ReqAuth, central.KindAgentAuth
			finish(op.Succeeded, approved)(o)
		}, "reqAuth-succeeded", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := requeried(t, tt.change)
			for _, name := range everyName() {
				r := b.call(merchant1, op.AEPSRequery, name)
				if got := fmt.Sprintf("HTTP %d\n%s\n", r.HTTP, r.Body); got != recorded(t, tt.golden) {
					t.Errorf("%s: %swant %s", name, got, recorded(t, tt.golden))
				}
				out := parse(t, r)
				status, _ := out.fields()["txnStatus"].(string)
				if status == "" {
					status = out.TxnStatus
				}
				if status != tt.status || r.State != "" || r.Replayed {
					t.Errorf("%s: txnStatus %q, state %q", name, status, r.State)
				}
			}
		})
	}
}

// recorded gives a golden reply of the transactions' own tests.
func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestRequeryOfOneUnderWay: it is pending by our own reference, and nobody is
// asked.
func TestRequeryOfOneUnderWay(t *testing.T) {
	for _, state := range []op.State{op.Received, op.Sent} {
		b := requeried(t, func(o *central.Operation) { o.State, o.PendingReference = state, "" })
		for _, name := range []string{byCaller, byOurs, byRRN} {
			out := expect(t, b.call(merchant1, op.AEPSRequery, name), 200, "00")
			if out.TxnStatus != "PENDING" || out.Reference != "GL261121ABCDEFGHJK" || out.Data != nil {
				t.Errorf("%s: %+v", name, out)
			}
		}
		expect(t, b.call(merchant1, op.AEPSRequery, byPending), 404, "04")
		if b.executor.count+len(b.executor.consulted) != 0 {
			t.Error("the executor was called")
		}
	}
}

// TestRequeryOfOthers: another party's operation, another merchant's, another
// family's and an absent one get the same reply.
func TestRequeryOfOthers(t *testing.T) {
	m2s := func(o *central.Operation) { o.Merchant = m2 }
	tests := []struct {
		name   string
		p      central.Principal
		change func(*central.Operation)
		vendor bool
	}{
		{"absent", merchant1, func(o *central.Operation) { *o = central.Operation{ID: opID} }, false},
		{"another merchant's", merchant1, func(o *central.Operation) {
			o.Party, o.Caller, o.Merchant = "merchant:"+string(m3), "merchant:"+string(m3), m3
		}, false},
		{"its vendor's", merchant1, func(o *central.Operation) { o.Party, o.Caller = vendor1.Party(), vendor1.Caller() }, false},
		{"a merchant's, asked for by its vendor", vendor1, nil, true},
		{"of the vendor's other merchant", vendor1, func(o *central.Operation) { o.Party, o.Caller = vendor1.Party(), vendor1.Caller(); m2s(o) }, true},
		{"a transfer", merchant1, func(o *central.Operation) { o.Kind, o.Route = central.KindTransfer, op.Transfer }, false},
		{"a step of onboarding", merchant1, func(o *central.Operation) { o.Kind, o.Route = central.KindAgentPAN, op.AgentVerifyPAN }, false},
		{"tombstone", merchant1, func(o *central.Operation) { o.Tombstone, o.State = true, op.Refused }, false},
	}
	want := requeried(t, nil).call(merchant1, op.AEPSRequery, `{"clientRefId":"never"}`)
	golden(t, "requery-absent", want)
	for _, tt := range tests {
		for _, name := range everyName() {
			b := requeried(t, tt.change)
			if tt.vendor {
				name = strings.Replace(name, "{", `{"merchantId":"`+string(m1)+`",`, 1)
			}
			if r := b.call(tt.p, op.AEPSRequery, name); r.HTTP != want.HTTP || !bytes.Equal(r.Body, want.Body) {
				t.Errorf("%s, %s: HTTP %d %s", tt.name, name, r.HTTP, r.Body)
			}
		}
	}
}

// TestRequeryOfOnesOwn: a merchant's terminal asks for the merchant's, a vendor
// for what it did itself.
func TestRequeryOfOnesOwn(t *testing.T) {
	for _, name := range everyName() {
		expect(t, requeried(t, nil).call(terminal1, op.AEPSRequery, name), 200, "00")
		vendors := requeried(t, func(o *central.Operation) { o.Party, o.Caller = vendor1.Party(), vendor1.Caller() })
		expect(t, vendors.call(vendor1, op.AEPSRequery, strings.Replace(name, "{", `{"merchantId":"`+string(m1)+`",`, 1)), 200, "00")
		expect(t, vendors.call(vendor1, op.AEPSRequery, name), 404, "01")
	}
}

// TestRequeryByAnOldIdentity: operations from before references had an owner.
func TestRequeryByAnOldIdentity(t *testing.T) {
	old := func(o *central.Operation) { o.Party, o.CallerRef, o.Identity = "", "", "order-17" }
	expect(t, requeried(t, old).call(merchant1, op.AEPSRequery, byCaller), 200, "00")
	expect(t, requeried(t, old).call(terminal1, op.AEPSRequery, byCaller), 404, "04")
	// An Idempotency-Key is no clientRefId.
	expect(t, requeried(t, nil).call(merchant1, op.AEPSRequery, `{"clientRefId":"key-1"}`), 404, "04")
}

func TestRequeryTakesExactlyOneName(t *testing.T) {
	all := []string{"clientRefId required", "reference required", "RetailerReferenceNumber required"}
	for text, want := range map[string][]string{
		`{}`: all, ``: all, `{"refId":"order-17"}`: all,
		`{"clientRefId":"a","reference":"b"}`:                                  {"clientRefId alone", "reference alone"},
		`{"reference":"b","RetailerReferenceNumber":"c"}`:                      {"reference alone", "RetailerReferenceNumber alone"},
		`{"clientRefId":"a","reference":"b","RetailerReferenceNumber":"c"}`:    {"clientRefId alone", "reference alone", "RetailerReferenceNumber alone"},
		`{"clientRefId":""}`:                                                   {"clientRefId reference"},
		`{"reference":null}`:                                                   {"reference type"},
		`{"RetailerReferenceNumber":42}`:                                       {"RetailerReferenceNumber type"},
		`{"clientRefId":"` + strings.Repeat("x", 65) + `"}`:                    {"clientRefId reference"},
		`{"reference":"a\u0000"}`:                                              {"reference reference"},
		`{"clientRefId":5,"reference":"b","merchantId":"ignored, it is ours"}`: {"clientRefId type", "reference alone"},
	} {
		r := requeried(t, nil).call(merchant1, op.AEPSRequery, text)
		if got := wrongFields(t, r); r.HTTP != 400 || !slices.Equal(got, want) {
			t.Errorf("%s: HTTP %d %v, want %v", text, r.HTTP, got, want)
		}
	}
	golden(t, "requery-unnamed", requeried(t, nil).call(merchant1, op.AEPSRequery, `{}`))
	golden(t, "requery-named-twice", requeried(t, nil).call(merchant1, op.AEPSRequery, `{"clientRefId":"a","reference":"b"}`))
}

func TestRequeryOfABrokenStore(t *testing.T) {
	b := requeried(t, nil)
	b.store.operations = nil
	d, err := New(b.executor, b.registry, &requeryStore{fakeStore: b.store, broken: errors.New("disk on fire")}, b.store, nil, config(b.log))
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = d
	for _, name := range everyName() {
		expect(t, b.call(merchant1, op.AEPSRequery, name), 500, "500")
	}
}

// TestRequeryAfterTheCall: what the transaction said is what the requery says.
func TestRequeryAfterTheCall(t *testing.T) {
	b := newFixture(t)
	first := b.call(merchant1, op.Withdrawal, body(map[string]any{"clientRefId": "order-17"}))
	for _, o := range b.executor.known {
		b.store.operations[o.ID] = o
	}
	second := b.call(merchant1, op.AEPSRequery, byCaller)
	if second.HTTP != first.HTTP || !bytes.Equal(second.Body, first.Body) {
		t.Errorf("HTTP %d %s, want %d %s", second.HTTP, second.Body, first.HTTP, first.Body)
	}
}
