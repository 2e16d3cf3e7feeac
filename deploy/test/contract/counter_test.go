package contract

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/uplink"
	"galla/rdservice"
	"galla/shared/op"
	"galla/shared/secret"
)

// fakeReader is the counter's reader: the simulator, with the finger of the person at
// the counter.
type fakeReader struct {
	t *testing.T
	h *system

	mu      sync.Mutex
	aadhaar string
	kyc     int // captures for e-KYC steps
}

func (g *fakeReader) placeFinger(aadhaar string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.aadhaar = aadhaar
}

func (g *fakeReader) State() edge.ReaderState {
	return edge.ReaderState{Status: "READY", Name: "simulator"}
}

func (g *fakeReader) Capture(context.Context) (edge.Capture, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return edge.Capture{PidData: secret.NewPidData(g.h.finger(g.t, g.aadhaar)), CapturedAt: time.Now(), Quality: 80}, nil
}

// CaptureKYC is Capture for an e-KYC step.
func (g *fakeReader) CaptureKYC(context.Context) (edge.Capture, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kyc++
	pid := g.h.capture(g.t, g.aadhaar, rdservice.Options{Wadh: rdservice.WadhEKYC})
	return edge.Capture{PidData: secret.NewPidData(pid), CapturedAt: time.Now(), Quality: 80}, nil
}

// counter is a shop's daemon with a real queue and a real line.
type counter struct {
	*edge.Counter
	queue *queue.Queue
	t     *testing.T
	glass *fakeReader
	seen  map[op.RouteID]bool
}

// newCounter is enrolled for merchant 1.
func newCounter(t *testing.T, h *system) *counter {
	t.Helper()
	return counterOf(t, h, m1, fatima)
}

// counterOf is enrolled for a merchant, whose agent has an Aadhaar number.
func counterOf(t *testing.T, h *system, merchant, aadhaar string) *counter {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	code := h.call(t, merchant, "POST", "/terminals", fields{}).is(201, "00").data()["code"]
	enrolled := h.send(t, "POST", "/terminals/enrol", jsonOf(t, fields{
		"code": code, "publicKey": base64.StdEncoding.EncodeToString(public), "name": "Contract counter",
	})).is(201, "00").data()
	log := slog.New(slog.DiscardHandler)
	seal := make([]byte, 32)
	_, _ = rand.Read(seal)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(t.TempDir(), "queue.db"), Key: secret.NewKey(seal), Rand: rand.Reader, Now: time.Now, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{t: t, queue: q, glass: &fakeReader{t: t, h: h, aadhaar: aadhaar}, seen: map[op.RouteID]bool{}}
	agent, err := secret.ParseAadhaar(aadhaar)
	if err != nil {
		t.Fatal(err)
	}
	c.Counter, err = edge.New(q, c.glass, edge.Config{
		Agent: "Fatima", AgentAadhaar: agent, Merchant: text(t, enrolled, "merchantName"), MerchantID: text(t, enrolled, "merchantId"), TID: text(t, enrolled, "tid"),
		Latitude: "18.5204", Longitude: "73.8567",
		Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	line, err := uplink.New(uplink.Config{
		URL: text(t, enrolled, "uplink"), Plain: true, TerminalID: text(t, enrolled, "terminalId"), Audience: text(t, enrolled, "audience"),
		Key: key, Version: "test", OnChange: c.Notify, Now: time.Now, Rand: rand.Reader, Logger: log,
		Addresses: func() ([]net.Addr, error) { return nil, nil },
	}, c.Counter)
	if err != nil {
		t.Fatal(err)
	}
	c.SetLink(line)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	running.Go(func() { _ = line.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the counter's line is up, and it has banks and limits", func() bool {
		banks, _ := c.Banks()
		return line.State().Online && len(banks) > 0 && c.Bounds(op.Withdrawal) != edge.Bounds{}
	})
	return c
}

// ask runs one route to its end, and gives the record.
func (c *counter) ask(route op.RouteID, f fields, more func(*edge.Request)) edge.View {
	c.t.Helper()
	q := edge.Request{Route: route, Fields: jsonOf(c.t, f), User: "Fatima", UserID: edge.AgentID, Consent: "en-1"}
	if more != nil {
		more(&q)
	}
	v, err := c.Start(q)
	if err != nil {
		c.t.Fatalf("%s: %v", route, err)
	}
	if v.State == op.Reserved {
		if err := c.Capture(v.ID); err != nil {
			c.t.Fatalf("%s: %v", route, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if v, err = c.Await(ctx, v.ID); err != nil {
		c.t.Fatalf("%s: %v", route, err)
	}
	c.seen[route] = true
	return v
}

// mustSucceed is ask of a request that must succeed; it gives the reply's data.
func (c *counter) mustSucceed(route op.RouteID, f fields, more func(*edge.Request)) fields {
	c.t.Helper()
	v := c.ask(route, f, more)
	var reply fields
	if v.State != op.Succeeded || v.HTTP != 200 || json.Unmarshal(v.Reply, &reply) != nil || (reply["statusCode"] != "00" && route != op.AgentInitialize) {
		c.t.Fatalf("%s: %s, %s, HTTP %d %s", route, v.State, v.Reason, v.HTTP, v.Reply)
	}
	data, _ := reply["data"].(map[string]any)
	return data
}

// TestTheCounterRunsEveryRoute checks that the counter's daemon runs each route of the
// uplink's entrance, over a real queue and a real connection.
func TestTheCounterRunsEveryRoute(t *testing.T) {
	h := running
	c := newCounter(t, h)
	const mobile, account, ifsc = "9444444441", "005500600771", "HDFC0000123"
	aadhaar, err := secret.ParseAadhaar(agarwal)
	if err != nil {
		t.Fatal(err)
	}
	otp := func(q *edge.Request) { q.OTP = secret.NewOTP(h.otp(t, mobile)) }
	uid := func(q *edge.Request) { q.Aadhaar = aadhaar }

	// An unknown customer, to a refunded transfer.
	c.ask(op.CustomerDetail, fields{"mobile_number": mobile}, nil)
	id := c.mustSucceed(op.CustomerOnboarding, fields{"name": "Kumar Agarwal", "mobile_no": mobile, "city": "Agra", "state": "Uttar Pradesh"}, nil)["referenceid"]
	req := c.mustSucceed(op.CustomerRequestOTP, fields{"referenceid": id}, nil)["otpreqid"]
	c.mustSucceed(op.CustomerValidateOTP, fields{"referenceid": id, "otpreqid": req}, otp)
	c.mustSucceed(op.CustomerVerifyUID, fields{"referenceid": id}, uid)
	c.glass.placeFinger(agarwal)
	c.mustSucceed(op.CustomerUpdateBio, fields{"referenceid": id}, uid)
	c.mustSucceed(op.CustomerSubmit, fields{"referenceid": id}, nil)
	c.mustSucceed(op.CustomerStatus, fields{"referenceid": id}, nil)
	sender := c.mustSucceed(op.RemitterRegister, fields{"sender_mobilenumber": mobile}, nil)["senderid"]
	to := fields{"senderId": sender, "receiver_account_no": account, "receiverIfscCode": ifsc}
	c.mustSucceed(op.AccountVerification, fields{"receiver_account_no": account, "receiverIfscCode": ifsc}, nil)
	beneficiary := c.mustSucceed(op.BeneficiaryAdd, with(to, fields{"receivername": "Mohan Agarwal"}), nil)["beneficiaryid"]
	c.mustSucceed(op.BeneficiaryGet, to, nil)
	c.mustSucceed(op.RemitterDetails, fields{"sender_mobilenumber": mobile}, nil)
	c.mustSucceed(op.TransferCharges, fields{"senderId": sender, "amount": 300}, nil)
	c.mustSucceed(op.TransferOTP, with(to, fields{"amount": 300}), nil)
	sent := c.ask(op.Transfer, with(to, fields{"amount": 300, "BeneficiaryId": beneficiary, "account_holder_name": "Mohan Agarwal"}), otp)
	if sent.State != op.Succeeded || sent.ReplyValue("status") != "SUCCESS" || sent.ReplyValue("rrn") == "" || sent.Verdict() != edge.VerdictPaid {
		t.Fatalf("the transfer: %s %s %s", sent.State, sent.Verdict(), sent.Reply)
	}
	if q := c.mustSucceed(op.TransferRequery, fields{"refId": string(sent.ID)}, nil); q["status"] != "SUCCESS" {
		t.Errorf("requery: %v", q)
	}
	c.mustSucceed(op.RefundOTP, fields{"refereanceId": sent.ReplyValue("transactionId")}, nil)
	c.mustSucceed(op.Refund, fields{"transactionId": sent.ReplyValue("transactionId"), "refId": string(sent.ID)}, otp)
	c.mustSucceed(op.BeneficiaryDelete, to, nil)
	c.mustSucceed(op.Login, fields{}, nil)

	// The shop's own onboarding, repeated: steps may be.
	c.mustSucceed(op.AgentInitialize, fields{}, nil)
	c.mustSucceed(op.AgentOnboarding, fields{}, nil)
	req = c.mustSucceed(op.AgentRequestOTP, fields{}, nil)["otpreqid"]
	c.mustSucceed(op.AgentValidateOTP, fields{"otpreqid": req}, func(q *edge.Request) { q.OTP = secret.NewOTP(h.otp(t, "9800000001")) })
	c.mustSucceed(op.AgentVerifyPAN, fields{"pan": "ABCPE1234F", "name": "Fatima Bedi", "dob": "1980-02-29"}, nil)
	c.mustSucceed(op.AgentUpdateUID, fields{}, nil)
	c.glass.placeFinger(fatima)
	c.mustSucceed(op.AgentUpdateBio, fields{}, nil)
	if c.glass.kyc != 2 { // the customer's and the agent's, and no other
		t.Errorf("%d captures were for e-KYC steps, want 2", c.glass.kyc)
	}
	c.mustSucceed(op.AgentSubmit, fields{}, nil)
	c.mustSucceed(op.AgentStatus, fields{}, nil)
	c.mustSucceed(op.AgentDetail, fields{}, nil)

	// The enquiries, and the QR code.
	c.mustSucceed(op.AuthStatus, fields{}, nil)
	c.mustSucceed(op.LimitsInForce, fields{}, nil)
	c.mustSucceed(op.Banks, fields{}, nil)
	order := h.ref("counter")
	c.mustSucceed(op.GenerateQR, fields{"order_id": order, "amount": 12}, nil)
	c.mustSucceed(op.UPIStatus, fields{"order_id": order}, nil)
	c.mustSucceed(op.UPIPayments, fields{}, nil)
	c.mustSucceed(op.OperationState, fields{"id": string(sent.ID)}, nil)
	c.mustSucceed(op.ReceiptMessage, fields{"id": string(sent.ID), "mobile": mobile, "language": "en"}, nil)

	// The five transactions begin with a draft.
	for _, route := range []op.RouteID{op.ReqAuth, op.Withdrawal, op.Balance, op.MiniStatement, op.Purchase} {
		c.transact(route, aadhaar)
	}
	c.ask(op.AEPSRequery, fields{"clientRefId": "never"}, nil)

	for _, r := range op.Table() {
		if r.Entrances&op.Uplink != 0 && !c.seen[r.ID] {
			t.Errorf("the counter did not run %s", r.ID)
		}
	}
	checkTrial(t, h)
}

// transact runs an AEPS transaction at the counter.
func (c *counter) transact(route op.RouteID, aadhaar secret.Aadhaar) {
	c.t.Helper()
	ctx := context.Background()
	var v edge.View
	var err error
	if route == op.ReqAuth {
		c.glass.placeFinger(fatima)
		v, err = c.Start(edge.Request{Route: op.ReqAuth, User: "Fatima", UserID: edge.AgentID})
	} else {
		c.glass.placeFinger(agarwal)
		d := edge.Request{Route: route, Aadhaar: aadhaar, Customer: "Kumar", IIN: iins[agarwal], Consent: "en-1", User: "Fatima", UserID: edge.AgentID}
		if route == op.Withdrawal || route == op.Purchase {
			d.Amount = 100_00
		}
		v, err = c.Start(d)
	}
	if err == nil {
		err = c.Capture(v.ID)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", route, err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if v, err = c.Await(limited, v.ID); err != nil || v.State != op.Succeeded {
		c.t.Fatalf("%s: %v %s %s %s", route, err, v.State, v.Reason, v.Reply)
	}
	if route == op.ReqAuth {
		eventually(c.t, "the counter knows of the day's session", func() bool { return c.Status().Session.Active })
	}
	c.seen[route] = true
}
