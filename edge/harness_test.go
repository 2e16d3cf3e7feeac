package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// What no disk and no reply may show.
const (
	canaryPID     = "<PidData>CANARY</PidData>"
	canaryKYC     = "<PidData>CANARY of e-KYC</PidData>"
	canaryOTP     = "731905"
	canaryAadhaar = "999941057058"
)

// fakeLink is an edge.Link that records the frames sent.
type fakeLink struct {
	mu     sync.Mutex
	up     bool
	frames []wire.Frame
}

func (l *fakeLink) State() edge.LinkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return edge.LinkState{Online: l.up, Window: 8}
}

func (l *fakeLink) Send(f wire.Frame) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.up {
		return edge.ErrOffline
	}
	f.Body = bytes.Clone(f.Body)
	l.frames = append(l.frames, f)
	return nil
}

// sentFrames are the frames of a type for an operation, of all connections.
func (l *fakeLink) sentFrames(t wire.Type, id op.ID) (out []wire.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.frames {
		if f.T == t && f.ID == id {
			out = append(out, f)
		}
	}
	return out
}

type fakeReader struct{}

func (fakeReader) State() edge.ReaderState { return edge.ReaderState{Status: "READY"} }
func (fakeReader) Capture(context.Context) (edge.Capture, error) {
	return edge.Capture{PidData: secret.NewPidData(canaryPID), CapturedAt: time.Now(), Quality: 80}, nil
}

func (fakeReader) CaptureKYC(context.Context) (edge.Capture, error) {
	return edge.Capture{PidData: secret.NewPidData(canaryKYC), CapturedAt: time.Now(), Quality: 80}, nil
}

type lockedRand struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (d *lockedRand) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Read(p)
}

// testCounter is a counter over a real queue, whose central is the test. It lives in
// a synctest bubble.
type testCounter struct {
	t      *testing.T
	dir    string
	starts int

	c     *edge.Counter
	queue *queue.Queue
	link  *fakeLink
	stop  func()

	recordLife time.Duration // zero: the default
	clock      atomic.Int64  // the computer's clock minus the true time

	answered int // frames that serve looked at
	limits   string
	sandbox  bool // the central says that it is one
}

// shortLife is how long a change of a record waits in most tests, so that the
// counter's clock need not tick for a day.
const shortLife = 4 * time.Minute

func withTestCounter(t *testing.T, test func(s *testCounter)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &testCounter{t: t, dir: dir, link: &fakeLink{}, limits: `[]`, recordLife: shortLife}
		s.open()
		defer func() {
			s.stop()
			s.searchDisk()
		}()
		test(s)
	})
}

func aadhaar(t testing.TB) secret.Aadhaar {
	a, err := secret.ParseAadhaar(canaryAadhaar)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// open starts the counter's daemon, for the first time or again.
func (s *testCounter) open() {
	s.t.Helper()
	s.starts++
	random := &lockedRand{r: rand.NewChaCha8([32]byte{byte(s.starts)})}
	log := slog.New(slog.DiscardHandler)
	q, _, err := queue.Open(queue.Config{
		Path: filepath.Join(s.dir, "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: random, Logger: log,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := edge.New(q, fakeReader{}, edge.Config{
		Agent: "Fatima", AgentAadhaar: aadhaar(s.t), Merchant: "Lakshmi Kirana Store", MerchantID: "m1", TID: "GAL00101",
		Latitude: "18.5204", Longitude: "73.8567",
		RecordSendWithin: s.recordLife, Rand: random, Logger: log, Now: func() time.Time { return time.Now().Add(time.Duration(s.clock.Load())) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.c, s.queue = c, q
	c.SetLink(s.link)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	synctest.Wait()
	s.stop = func() {
		cancel()
		if err := errors.Join(<-done, q.Close()); err != nil && !errors.Is(err, os.ErrClosed) {
			s.t.Errorf("the counter ended with %v", err)
		}
	}
}

// restart kills the daemon, and starts it again over the same disk. Nobody
// reports to the ending one that it is offline.
func (s *testCounter) restart() {
	s.t.Helper()
	s.link.mu.Lock()
	s.link.up = false
	s.link.mu.Unlock()
	s.queue.Kill()
	s.stop()
	s.open()
}

// goOnline connects the terminal; what the counter asks for itself is answered.
func (s *testCounter) goOnline() {
	s.t.Helper()
	s.link.mu.Lock()
	s.link.up = true
	s.link.mu.Unlock()
	if err := s.c.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
		s.t.Fatal(err)
	}
	s.serve()
}

func (s *testCounter) goOffline() {
	s.link.mu.Lock()
	s.link.up = false
	s.link.mu.Unlock()
	s.c.Disconnected(io.EOF)
	synctest.Wait()
}

// serve answers the references that were asked for until nothing is.
func (s *testCounter) serve() {
	s.t.Helper()
	for {
		synctest.Wait()
		s.link.mu.Lock()
		fresh := s.link.frames[s.answered:]
		s.answered = len(s.link.frames)
		s.link.mu.Unlock()
		if len(fresh) == 0 {
			return
		}
		for _, f := range fresh {
			if r, _ := op.Find(f.Route); r.Class == op.Reference {
				s.receive(succeeded(f.ID, op.Succeeded, 200, s.reference(f.Route)))
			}
		}
	}
}

func (s *testCounter) reference(route op.RouteID) string {
	data := s.limits
	switch route {
	case op.AuthStatus:
		data = fmt.Sprintf(`{"authenticated":true,"tid":"GAL00101","expiresAt":%q}`, time.Now().Add(72*time.Hour).UTC().Format(time.RFC3339))
	case op.Banks:
		data = `[{"iin":"990326","bankName":"Sandbox test bank"}]`
	}
	beside := ""
	if route == op.LimitsInForce && s.sandbox {
		beside = `,"sandbox":true`
	}
	return `{"statusCode":"00","message":"m","data":` + data + beside + `}`
}

func succeeded(id op.ID, state op.State, http int, reply string) wire.Frame {
	return wire.OutcomeFrame(id, op.Outcome{State: state, HTTP: http, Reply: []byte(reply)})
}

func (s *testCounter) receive(f wire.Frame) {
	s.t.Helper()
	if err := s.c.Receive(f); err != nil {
		s.t.Errorf("Receive(%v) = %v", f, err)
	}
	synctest.Wait()
}

// samples are the fields of each route's request, without what has a place of
// its own in edge.Request. A route without an entry here takes none.
var samples = map[op.RouteID]string{
	op.AgentValidateOTP:    `{"otpreqid":"q-1"}`,
	op.AgentVerifyPAN:      `{"pan":"ABCDE1234F","name":"Fatima","dob":"1990-01-31"}`,
	op.AgentDetail:         `{"agentId":"GAL0000001"}`,
	op.AEPSRequery:         `{"reference":"AEPS-NR-1"}`,
	op.CustomerDetail:      `{"mobile_number":"9876543210"}`,
	op.CustomerOnboarding:  `{"name":"Asha","mobile_no":"9876543210","city":"Pune","state":"Maharashtra"}`,
	op.CustomerRequestOTP:  `{"referenceid":"r-1"}`,
	op.CustomerValidateOTP: `{"otpreqid":"q-1","referenceid":"r-1"}`,
	op.CustomerVerifyUID:   `{"referenceid":"r-1"}`,
	op.CustomerUpdateBio:   `{"referenceid":"r-1"}`,
	op.CustomerSubmit:      `{"referenceid":"r-1"}`,
	op.CustomerStatus:      `{"referenceid":"r-1"}`,
	op.RemitterRegister:    `{"sender_mobilenumber":"9876543210"}`,
	op.RemitterDetails:     `{"sender_mobilenumber":"9876543210"}`,
	op.AccountVerification: `{"receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001"}`,
	op.BeneficiaryAdd:      `{"senderId":"s-1","receivername":"Ravi","receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001"}`,
	op.BeneficiaryGet:      `{"senderId":"s-1","receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001"}`,
	op.BeneficiaryDelete:   `{"senderId":"s-1","receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001"}`,
	op.TransferOTP:         `{"senderId":"s-1","amount":500.00,"receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001"}`,
	op.Transfer:            `{"senderId":"s-1","BeneficiaryId":7,"amount":500.00,"receiver_account_no":"00123456789","receiverIfscCode":"SBIN0000001","account_holder_name":"Ravi","receiverMobilenumber":"9876543211","remarks":"rent"}`,
	op.TransferCharges:     `{"senderId":"s-1","amount":500.50}`,
	op.TransferRequery:     `{"refId":"x-1"}`,
	op.RefundOTP:           `{"refereanceId":"t-1"}`,
	op.Refund:              `{"transactionId":"t-1","refId":"x-1"}`,
	op.GenerateQR:          `{"order_id":"o-1","amount":10}`,
	op.UPIStatus:           `{"order_id":"o-1"}`,
	op.OperationState:      `{"id":"019bd3a0-0000-7000-8000-000000000001"}`,
	op.ReceiptMessage:      `{"id":"019bd3a0-0000-7000-8000-000000000001","mobile":"9876504321","language":"en"}`,
}

// The routes by what their requests hold beside samples.
var (
	withFinger  = routes(op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase, op.AgentUpdateBio, op.CustomerUpdateBio)
	withOTP     = routes(op.AgentValidateOTP, op.CustomerValidateOTP, op.Transfer, op.Refund)
	withAadhaar = routes(op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase, op.AgentUpdateUID, op.AgentUpdateBio, op.CustomerVerifyUID, op.CustomerUpdateBio)
	aeps        = routes(op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase)
)

func routes(ids ...op.RouteID) map[op.RouteID]bool {
	out := map[op.RouteID]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// request is a complete request of a route.
func (s *testCounter) request(route op.RouteID) edge.Request {
	q := edge.Request{Route: route, Fields: []byte(samples[route]), User: "Fatima", UserID: edge.AgentID, Title: "for Asha", Consent: "en-1"}
	if withAadhaar[route] {
		q.Aadhaar = aadhaar(s.t)
	}
	if withOTP[route] {
		q.OTP = secret.NewOTP(canaryOTP)
	}
	return q
}

// mustCreate begins an operation of any route, and takes the finger where it needs
// one.
func (s *testCounter) mustCreate(route op.RouteID) (edge.View, error) {
	var v edge.View
	var err error
	if aeps[route] {
		d := edge.Request{Route: route, Aadhaar: aadhaar(s.t), Customer: "Asha", IIN: "990326", Consent: "en-1", User: "Fatima", UserID: edge.AgentID}
		if route == op.Withdrawal || route == op.Purchase {
			d.Amount = 50000
		}
		v, err = s.c.Start(d)
	} else {
		v, err = s.c.Start(s.request(route))
	}
	if err == nil && withFinger[route] {
		if v.State != op.Reserved {
			s.t.Errorf("%s is %s before the finger, want reserved", route, v.State)
		}
		err = s.c.Capture(v.ID)
	}
	synctest.Wait()
	return v, err
}

func (s *testCounter) must(route op.RouteID) op.ID {
	s.t.Helper()
	v, err := s.mustCreate(route)
	if err != nil {
		s.t.Fatalf("%s: %v", route, err)
	}
	return v.ID
}

func (s *testCounter) view(id op.ID) edge.View {
	s.t.Helper()
	v, err := s.c.Operation(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *testCounter) wantState(id op.ID, state op.State) {
	s.t.Helper()
	if v := s.view(id); v.State != state {
		s.t.Errorf("%s is %s (%s), want %s", v.Route, v.State, v.Reason, state)
	}
}

func (s *testCounter) sent(id op.ID) int { return len(s.link.sentFrames(wire.TOp, id)) }

func (s *testCounter) wantSent(id op.ID, times int) {
	s.t.Helper()
	if n := s.sent(id); n != times {
		s.t.Errorf("it was sent %d times, want %d", n, times)
	}
}

// body is what was sent for an operation.
func (s *testCounter) body(id op.ID) map[string]json.RawMessage {
	s.t.Helper()
	frames := s.link.sentFrames(wire.TOp, id)
	if len(frames) != 1 {
		s.t.Fatalf("%d frames, want 1", len(frames))
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(frames[0].Body, &body); err != nil {
		s.t.Fatal(err)
	}
	return body
}

// searchDisk looks for what no file may hold in the clear, and for what a
// sealed record may not hold either.
func (s *testCounter) searchDisk() {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, canary := range []string{canaryPID, "CANARY", canaryOTP, canaryAadhaar, "00123456789", "9876543210", receiptNumber} {
			if bytes.Contains(data, []byte(canary)) {
				s.t.Errorf("%s holds %q", filepath.Base(path), canary)
			}
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// stored is the record on the disk, with its sealed body.
func (s *testCounter) stored(id op.ID) edge.Record {
	s.t.Helper()
	r, err := s.queue.Get(id)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, secret := range []string{"CANARY", canaryOTP} {
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(r.Body, []byte(secret)) || bytes.Contains(r.Reply, []byte(secret)) {
			s.t.Errorf("the stored record of %s holds %q", r.Route, secret)
		}
	}
	return r
}
