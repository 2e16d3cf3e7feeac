package webhook_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/webhook"

	"go.uber.org/goleak"

	"galla/central"
	"galla/central/store"
	"galla/central/store/pgtest"

	"galla/shared/op"
	"galla/shared/secret"
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m.Run)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Parties of the tests.
const (
	merchant1 central.MerchantID = "c0000000-0000-4000-8000-000000000001"
	merchant2 central.MerchantID = "c0000000-0000-4000-8000-000000000002" // of vendor1, without an endpoint
	vendor1   central.VendorID   = "b0000000-0000-4000-8000-000000000001"
)

// Secrets and personal data that must not appear.
const (
	customer = "XXXXXXXX7058"
	remitter = "9000000005"
	legal    = "Lakshmi Kirana Store"
)

var master = secret.NewKey(bytes.Repeat([]byte{7}, 32))

// openSQLite opens a store in a file, with the tests' parties.
func openSQLite(t testing.TB, path, node string) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(context.Background(), path, store.Config{Node: node, Logger: slog.New(slog.DiscardHandler)})
	return seeded(t, db, err)
}

func openPostgres(t testing.TB, url, node string) *store.DB {
	t.Helper()
	db, err := store.OpenPostgres(context.Background(), url, store.Config{Node: node, Logger: slog.New(slog.DiscardHandler)})
	return seeded(t, db, err)
}

func seeded(t testing.TB, db *store.DB, err error) *store.DB {
	t.Helper()
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	merchant := func(id central.MerchantID) central.Merchant {
		return central.Merchant{ID: id, LegalName: legal, Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, Mobile: "9000000001", Active: true}
	}
	second := merchant(merchant2)
	second.Vendor = vendor1
	must(t, db.Seed(context.Background(), store.Seed{
		Vendors: []central.Vendor{{ID: vendor1, LegalName: "Sahyadri Fintech", Active: true}}, Merchants: []central.Merchant{merchant(merchant1), second},
	}))
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var serial atomic.Int64

// owe finishes a pending operation of a merchant now.
func owe(t testing.TB, db *store.DB, m central.MerchantID, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	id := op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", serial.Add(1)))
	now := time.Now()
	o := central.Operation{
		ID: id, Caller: "merchant:" + string(m), Party: "merchant:" + string(m), Identity: "key-" + string(id[24:]), CallerRef: "ref-" + string(id[24:]),
		Route: op.Withdrawal, Fingerprint: sha256.Sum256([]byte(id)), Merchant: m, TID: "GAL00001", Kind: central.KindWithdrawal,
		Amount: 500_00, Aadhaar: customer, IIN: "990326", Sender: remitter,
		Reference: central.Reference("GL261121" + id[26:]), STAN: "000001", State: op.Received, Node: "n", CreatedAt: now,
	}
	for _, c := range change {
		c(&o)
	}
	ctx := context.Background()
	_, _, err := db.Create(ctx, o, nil)
	must(t, err)
	must(t, db.MarkSent(ctx, central.SentUpdate{ID: id, At: now, BankNotAfter: now.Add(15 * time.Second)}))
	_, err = db.MarkPending(ctx, central.PendingUpdate{ID: id, At: now, Reason: "no answer", Prefix: "AEPS-NR-", NextEnquiry: now.Add(time.Hour)})
	must(t, err)
	o, err = db.Finish(ctx, central.FinalOutcome{ID: id, To: op.Succeeded, At: now, Reason: "the bank answered", HTTP: 200,
		Answer: central.BankAnswer{Code: "00", RRN: "632510123456"}, Reply: []byte(`{"data":{"AadharNo":"` + customer + `"}}`)})
	must(t, err)
	return o
}

// rig is a deliverer over a store.
type rig struct {
	t         testing.TB
	db        *store.DB
	deliverer *webhook.Deliverer
	vault     *webhook.Vault
	log       *journal
}

// journal is a log that many goroutines write.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newRig(t testing.TB, db *store.DB, cfg webhook.Config) *rig {
	t.Helper()
	j := &journal{}
	cfg.Rand, cfg.Logger = rand.Reader, slog.New(slog.NewTextHandler(j, nil))
	if cfg.Poll == 0 {
		cfg.Poll = 5 * time.Millisecond
	}
	safe, err := webhook.NewVault(db, []secret.Key{master}, rand.Reader)
	must(t, err)
	deliverer, err := webhook.New(db, safe, cfg)
	must(t, err)
	t.Cleanup(deliverer.Close)
	return &rig{t, db, deliverer, safe, j}
}

// sandboxRig is over SQLite, and sends to addresses of this machine.
func sandboxRig(t testing.TB) *rig {
	t.Helper()
	return newRig(t, openSQLite(t, filepath.Join(t.TempDir(), "central.db"), "node-a"), webhook.Config{Sandbox: true})
}

// at sets a merchant's endpoint, with a secret, which is returned.
func (r *rig) at(m central.MerchantID, url string) secret.Token {
	r.t.Helper()
	return r.receives(webhook.OfMerchant(m), url)
}

func (r *rig) receives(to webhook.Receiver, url string) secret.Token {
	r.t.Helper()
	must(r.t, r.db.SetEndpoint(context.Background(), to, url, []string{webhook.EventFinished}, time.Now()))
	made, err := r.vault.Mint(context.Background(), to, time.Time{})
	must(r.t, err)
	return made.Secret
}

// run lets a worker deliver until stop is called, which waits for its end.
func (r *rig) run() (stop func()) {
	r.t.Helper()
	w, err := central.NewJobRunner(r.deliverer.Log(), r.deliverer.Job())
	must(r.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done; r.deliverer.Close() }) }
	r.t.Cleanup(stop)
	return stop
}

// once makes one attempt at a due callback, and returns the callback afterwards.
func (r *rig) once(o central.Operation) webhook.Callback {
	r.t.Helper()
	now := time.Now()
	tasks, err := r.deliverer.Claim(context.Background(), now, now.Add(webhook.ClaimLease), 10)
	must(r.t, err)
	for _, task := range tasks {
		task.Do(context.Background())
	}
	return r.callback(o)
}

func (r *rig) callback(o central.Operation) webhook.Callback {
	r.t.Helper()
	x, _, err := r.db.Callback(context.Background(), o.ID)
	must(r.t, err)
	return x
}

// await waits until the callback is in a state.
func (r *rig) await(o central.Operation, state webhook.State) webhook.Callback {
	r.t.Helper()
	for {
		if x := r.callback(o); x.State == state {
			return x
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// received is one request that a receiver got.
type received struct {
	header http.Header
	body   []byte
	host   string
	path   string
}

// receiver stores the requests, and answers as a test sets.
type receiver struct {
	mu     sync.Mutex
	got    []received
	answer func(w http.ResponseWriter, n int) // n counts from 1
}

func (x *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := new(bytes.Buffer)
	_, _ = body.ReadFrom(r.Body)
	x.mu.Lock()
	x.got = append(x.got, received{r.Header.Clone(), body.Bytes(), r.Host, r.URL.RequestURI()})
	n := len(x.got)
	x.mu.Unlock()
	if x.answer != nil {
		x.answer(w, n)
	}
}

func (x *receiver) all() []received {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]received(nil), x.got...)
}
