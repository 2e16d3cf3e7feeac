package send

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/message"
	"galla/edge/web/webtest"
	"galla/shared/money"
	"galla/shared/op"
)

// shelf is a session cache in memory.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	broken error
}

func (s *shelf) Cached(name string) ([]byte, time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[name]
	return v, time.Time{}, ok, nil
}

func (s *shelf) Cache(name string, value []byte, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if s.values == nil {
		s.values = map[string][]byte{}
	}
	s.values[name] = value
	return nil
}

// counter answers each route with a reply of the test's, and notes what was
// asked.
type counter struct {
	*webtest.Counter
	mu      sync.Mutex
	replies map[op.RouteID]string
	known   map[op.ID]edge.View
	asked   []edge.Request
	down    bool
	holdAll bool // calls stay on their way
	later   time.Duration
	bounds  *edge.Bounds // nil: of a sandbox
	refuse  map[op.RouteID]error
	rooms   []*Room // over it
	lose    int     // 1: the next call is recorded and its answer lost; 2: it fails before it is recorded
	before  func(edge.Request)
}

const details = `{"statusCode":"00","message":"sender found","data":{"senderId":"5b8f","status":true,"remitter":true,"TransactionDone":0,` +
	`"AviableLimit":20000,"AviabledayLimit":25000,"AviableMonthLimit":15000,"monthLimit":25000,"beneficiarydetail":[` +
	`{"beneficiaryid":7,"beneficiaryname":"Mohan Lal","beneficiarymobilenumber":9000000002,"bank":"SBI","ifscode":"SBIN0001234","accountnumber":600100200311,"beneficiarystatus":1},` +
	`{"beneficiaryid":8,"beneficiaryname":"Sita Devi","bank":"PNB","ifscode":"PUNB0123400","accountnumber":700100200311,"beneficiarystatus":2}]}}`

// noPayees is of a sender who has no beneficiary yet.
const noPayees = `{"statusCode":"00","message":"sender found","data":{"senderId":"5b8f","AviableLimit":25000,"AviabledayLimit":25000,` +
	`"AviableMonthLimit":25000,"monthLimit":25000,"beneficiarydetail":[]}}`

func newCounter() *counter {
	return &counter{Counter: webtest.NewCounter(), known: map[op.ID]edge.View{}, replies: map[op.RouteID]string{
		op.CustomerDetail:      `{"statusCode":"00","data":{"referenceid":"R1","name":"Asha Patil","kyc_verified":true}}`,
		op.CustomerOnboarding:  `{"statusCode":"00","data":{"referenceid":"R2"}}`,
		op.CustomerRequestOTP:  `{"statusCode":"00","data":{"otpreqid":"Q1"}}`,
		op.CustomerValidateOTP: `{"statusCode":"00"}`,
		op.CustomerVerifyUID:   `{"statusCode":"00"}`,
		op.CustomerUpdateBio:   `{"statusCode":"00"}`,
		op.CustomerSubmit:      `{"statusCode":"00"}`,
		op.RemitterRegister:    `{"statusCode":"00","data":{"senderid":"5b8f","registrationFeeCharged":0}}`,
		op.RemitterDetails:     details,
		op.AccountVerification: `{"statusCode":"00","data":{"status":1}}`,
		op.BeneficiaryAdd:      `{"statusCode":"00","data":{"beneficiaryid":9}}`,
		op.BeneficiaryDelete:   `{"statusCode":"00","message":"Beneficiary deleted successfully"}`,
		op.TransferCharges:     `{"statusCode":"00","data":{"charge":12.5,"totalAmount":512.5}}`,
		op.TransferOTP:         `{"statusCode":"00"}`,
		op.Transfer:            `{"statusCode":"00","data":{"rrn":"632500001","transactionId":"T1","amount":500,"status":"SUCCESS"}}`,
		op.TransferRequery:     `{"statusCode":"00","message":"Transaction successful","data":{"status":"SUCCESS","rrn":"632500001"}}`,
		op.RefundOTP:           `{"statusCode":"00"}`,
		op.Refund:              `{"statusCode":"00","data":{"refundId":"F1","amount":500}}`,
	}}
}

func (c *counter) Perform(_ context.Context, q edge.Request) (edge.View, error) {
	if q.Operator == "" || q.OperatorID == "" {
		return edge.View{}, errors.New("the request names no operator")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.before != nil {
		c.before(q)
	}
	if v, ok := c.known[q.ID]; ok {
		return v, nil
	}
	if err := c.refuse[q.Route]; err != nil {
		return edge.View{}, err
	}
	v := edge.View{Record: edge.Record{
		ID: q.ID, Route: q.Route, State: op.Succeeded, HTTP: 200, Reply: []byte(c.replies[q.Route]), Title: q.Title, Customer: q.Customer, Consent: q.Consent,
	}}
	if c.down {
		if q.Route != op.RemitterDetails {
			return edge.View{}, &edge.PrecludedError{Code: "link", Message: "The line is down."}
		}
		v.KnownAt = webtest.Now().Add(-time.Hour)
	}
	if f, err := message.Read(q.Fields); err == nil {
		v.Amount, _ = f.Rupees()
	}
	v.Charge, v.Mobile = q.Charge, q.Mobile
	if p, err := money.Parse(v.Value("amount")); err == nil && q.Route == op.Refund {
		v.Amount = p
	}
	if c.lose == 2 {
		c.lose = 0
		return edge.View{}, errLost
	}
	c.asked = append(c.asked, q)
	switch {
	case q.Route == op.CustomerUpdateBio:
		v.State, v.Stage = op.Reserved, edge.StageReady
	case c.holdAll:
		v.State, v.Stage = op.Sent, edge.StageBank
	}
	v.Result = message.ReadResult(200, v.Reply)
	if f, err := message.Read(q.Fields); err == nil && q.Route == op.TransferRequery && v.Value("status") == "REFUNDED" {
		c.refunded(op.ID(f.Text("refId")))
	} else if err == nil && q.Route == op.Refund {
		if of := c.known[op.ID(f.Text("refId"))]; of.Cash() == edge.CashGiven {
			v.Consent = edge.RefundClosed
		}
		if v.Result.StatusCode == "00" {
			c.refunded(op.ID(f.Text("refId")))
		}
	}
	if v.Result.Status == "PENDING" && q.Route != op.TransferRequery {
		v.State = op.Pending
	}
	if (q.Route == op.Transfer || q.Route == op.Refund) && v.Result.StatusCode != "00" {
		v.State = op.Failed
	}
	c.known[q.ID] = v
	if c.lose == 1 {
		c.lose = 0
		return edge.View{}, errLost
	}
	return v, nil
}

// refunded notes that a transfer is, as edge.Counter does.
func (c *counter) refunded(transfer op.ID) {
	v := c.known[transfer]
	v.Refunded = webtest.Now()
	c.known[transfer] = v
}

var errLost = errors.New("the counter's disk has a fault")

func (c *counter) Operation(id op.ID) (edge.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.known[id]
	if !ok {
		return edge.View{}, edge.ErrNotFound
	}
	return v, nil
}

func (c *counter) Capture(id op.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[id]
	v.State, v.Stage = op.Succeeded, edge.StageNone
	c.known[id] = v
	return nil
}

func (c *counter) Abandon(id op.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[id]
	v.State, v.Stage, v.Reason = op.Expired, edge.StageNone, "Given up before it was sent. No money moved."
	c.known[id] = v
	return nil
}

func (c *counter) Bounds(op.RouteID) edge.Bounds {
	if c.bounds != nil {
		return *c.bounds
	}
	return edge.Bounds{Min: 100, Max: 5_000_00}
}

// returns has the bank give a transfer's value back.
func (c *counter) returns(transfer op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[transfer]
	v.State, v.Reply = op.Reversed, []byte(`{"statusCode":"22","message":"Transaction reversed","data":{"transactionId":"T1","amount":500,"status":"REVERSED"}}`)
	v.Result = message.ReadResult(200, v.Reply)
	c.known[transfer] = v
	c.replies[op.TransferRequery] = `{"statusCode":"00","message":"Transaction reversed","data":{"status":"REVERSED","rrn":"632500001"}}`
}

// reply sets what a route is answered from now on.
func (c *counter) reply(r op.RouteID, reply string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replies[r] = reply
}

// stay leaves calls on their way, or answers them again.
func (c *counter) stay(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holdAll = yes
}

func (c *counter) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return webtest.Now().Add(c.later)
}

// knows gives the counter an operation.
func (c *counter) knows(id op.ID, route op.RouteID, state op.State, reply string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := edge.View{Record: edge.Record{ID: id, Route: route, State: state, HTTP: 200, Reply: []byte(reply)}}
	v.Result = message.ReadResult(200, v.Reply)
	c.known[id] = v
}

// times tells how often a route was asked for.
func (c *counter) times(r op.RouteID) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, q := range c.asked {
		if q.Route == r {
			n++
		}
	}
	return n
}

func newRoom(t testing.TB, c *counter, s *shelf) *Room {
	t.Helper()
	r, err := New(c, Config{Cache: s, Now: c.now, Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c.rooms = append(c.rooms, r)
	return r
}

// walker is an agent without scripts in one flow.
type walker struct {
	*webtest.Visitor
	at string
}

func enter(t *testing.T, c *counter, s *shelf) *walker {
	t.Helper()
	v := webtest.Serve(t, c, newRoom(t, c, s)).Visitor(t)
	v.Enter()
	return &walker{Visitor: v}
}

func (w *walker) find(mobile string) string {
	w.Get("/send", 200)
	w.at = w.Post("/send", 303, "mobile", mobile)
	return w.Get(w.at, 200)
}

// turn is that of the page.
func turn(page string) string {
	_, rest, _ := strings.Cut(page, `name="turn" value="`)
	n, _, _ := strings.Cut(rest, `"`)
	return n
}

func (w *walker) do(page, act string, fields ...string) string {
	w.T.Helper()
	if to := w.Post(w.at+"/"+act, 303, append([]string{"turn", turn(page)}, fields...)...); to != w.at {
		w.T.Fatalf("%s leads to %s", act, to)
	}
	return w.Get(w.at, 200)
}

func says(t testing.TB, page, want string) {
	t.Helper()
	if got := webtest.Says(t, page); got != want {
		t.Fatalf("the page says %q, want %q\n%s", got, want, fmt.Sprint(len(page)))
	}
}

// ConfirmCash gives a transfer's cash back, as edge.Counter does.
func (c *counter) ConfirmCash(id op.ID, operator edge.Operator) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.known[id]
	if !ok || v.Route != op.Transfer || !v.Cash().Open() && v.Cash() != edge.CashGiven {
		return edge.ErrIllegal
	}
	if v.CashGiven.IsZero() {
		v.CashGiven, v.CashBy, v.CashByID = webtest.Now(), operator.Name, operator.ID
		c.known[id] = v
	}
	return nil
}
