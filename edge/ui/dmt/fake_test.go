package dmt

import (
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
	"galla/edge/api"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// memoryCache is an in-memory session cache.
type memoryCache struct {
	mu     sync.Mutex
	values map[string][]byte
	broken error
}

func (s *memoryCache) GetCache(name string) ([]byte, time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[name]
	return v, time.Time{}, ok, nil
}

func (s *memoryCache) PutCache(name string, value []byte, _ time.Time) error {
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

// counter answers each route with the test's reply, and records the requests.
type counter struct {
	*uitest.Counter
	mu      sync.Mutex
	replies map[op.RouteID]string
	known   map[op.ID]edge.View
	asked   []edge.Request
	down    bool
	holdAll bool // operations stay in progress
	fingers bool // captures stay in progress
	later   time.Duration
	bounds  *edge.Bounds // nil: those of a sandbox
	refuse  map[op.RouteID]error
	pages   []*Pages // served over it
	lose    int      // 1: the next operation is recorded and its answer lost; 2: it fails before it is recorded
	before  func(edge.Request)
}

const details = `{"statusCode":"00","message":"sender found","data":{"senderId":"5b8f","status":true,"remitter":true,"TransactionDone":0,` +
	`"AviableLimit":20000,"AviabledayLimit":25000,"AviableMonthLimit":15000,"monthLimit":25000,"beneficiarydetail":[` +
	`{"beneficiaryid":7,"beneficiaryname":"Mohan Lal","beneficiarymobilenumber":9000000002,"bank":"SBI","ifscode":"SBIN0001234","accountnumber":600100200311,"beneficiarystatus":1},` +
	`{"beneficiaryid":8,"beneficiaryname":"Sita Devi","bank":"PNB","ifscode":"PUNB0123400","accountnumber":700100200311,"beneficiarystatus":2}]}}`

// noPayees is the reply for a sender without beneficiaries.
const noPayees = `{"statusCode":"00","message":"sender found","data":{"senderId":"5b8f","AviableLimit":25000,"AviabledayLimit":25000,` +
	`"AviableMonthLimit":25000,"monthLimit":25000,"beneficiarydetail":[]}}`

func newCounter() *counter {
	return &counter{Counter: uitest.NewCounter(), known: map[op.ID]edge.View{}, replies: map[op.RouteID]string{
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

func (c *counter) Start(q edge.Request) (edge.View, error) {
	if q.User == "" || q.UserID == "" {
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
			return edge.View{}, &edge.PreconditionError{Code: edge.PreconditionLink}
		}
		v.KnownAt = uitest.Now().Add(-time.Hour)
	}
	if f, err := api.ParseFields(q.Fields); err == nil {
		v.Amount, _ = f.AmountValue()
	}
	v.Charge, v.Mobile = q.Charge, q.Mobile
	if p, err := money.Parse(v.ReplyValue("amount")); err == nil && q.Route == op.Refund {
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
	v.Result = api.ParseResult(200, v.Reply)
	if f, err := api.ParseFields(q.Fields); err == nil && q.Route == op.TransferRequery && v.ReplyValue("status") == "REFUNDED" {
		c.refunded(op.ID(f.Text("refId")))
	} else if err == nil && q.Route == op.Refund {
		if of := c.known[op.ID(f.Text("refId"))]; of.Cash() == edge.CashGiven {
			v.Consent = edge.RefundCashBefore
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

// refunded records that a transfer was refunded, as edge.Counter does.
func (c *counter) refunded(transfer op.ID) {
	v := c.known[transfer]
	v.RefundedAt = uitest.Now()
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
	if v.State != op.Reserved {
		return nil
	}
	if v.Stage = edge.StageCapturing; !c.fingers {
		v.State, v.Stage = op.Succeeded, edge.StageNone
	}
	c.known[id] = v
	return nil
}

func (c *counter) Cancel(id op.ID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[id]
	v.State, v.Stage, v.Reason = op.Expired, edge.StageNone, edge.ReasonCancelled
	c.known[id] = v
	return nil
}

func (c *counter) Bounds(op.RouteID) edge.Bounds {
	if c.bounds != nil {
		return *c.bounds
	}
	return edge.Bounds{Min: 100, Max: 5_000_00}
}

// returns makes the bank return a transfer.
func (c *counter) returns(transfer op.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[transfer]
	v.State, v.Reply = op.Reversed, []byte(`{"statusCode":"22","message":"Transaction reversed","data":{"transactionId":"T1","amount":500,"status":"REVERSED"}}`)
	v.Result = api.ParseResult(200, v.Reply)
	c.known[transfer] = v
	c.replies[op.TransferRequery] = `{"statusCode":"00","message":"Transaction reversed","data":{"status":"REVERSED","rrn":"632500001"}}`
}

// reply sets the further replies of a route.
func (c *counter) reply(r op.RouteID, reply string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replies[r] = reply
}

// holdFingers keeps captures in progress, or ends them at once.
func (c *counter) holdFingers(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fingers = yes
}

// holdCalls keeps operations in progress, or answers them again.
func (c *counter) holdCalls(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holdAll = yes
}

func (c *counter) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return uitest.Now().Add(c.later)
}

// addOperation returns the counter an operation.
func (c *counter) addOperation(id op.ID, route op.RouteID, state op.State, reply string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := edge.View{Record: edge.Record{ID: id, Route: route, State: state, HTTP: 200, Reply: []byte(reply)}}
	v.Result = api.ParseResult(200, v.Reply)
	c.known[id] = v
}

// times is how often a route was requested.
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

func newPages(t testing.TB, c *counter, s *memoryCache) *Pages {
	t.Helper()
	r, err := New(c, Config{Cache: s, Now: c.now, Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c.pages = append(c.pages, r)
	return r
}

// walker is an agent without scripts in one flow.
type walker struct {
	*uitest.Client
	at      string
	english *i18n.Localizer // by words
}

func login(t *testing.T, c *counter, s *memoryCache) *walker {
	t.Helper()
	v := uitest.Serve(t, c, newPages(t, c, s)).NewClient(t)
	v.Login()
	return &walker{Client: v}
}

func (w *walker) find(mobile string) string {
	w.Get("/dmt", 200)
	w.at = w.Post("/dmt", 303, "mobile", mobile)
	return w.Get(w.at, 200)
}

// turn is the page's turn.
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

func heading(t testing.TB, page, want string) {
	t.Helper()
	if got := uitest.Heading(t, page); got != want {
		t.Fatalf("the page says %q, want %q\n%s", got, want, fmt.Sprint(len(page)))
	}
}

// ConfirmCash returns a transfer's cash, as edge.Counter does.
func (c *counter) ConfirmCash(id op.ID, operator edge.User) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.known[id]
	if !ok || v.Route != op.Transfer || !v.Cash().IsOpen() && v.Cash() != edge.CashGiven {
		return edge.ErrIllegal
	}
	if v.CashGivenAt.IsZero() {
		v.CashGivenAt, v.CashBy, v.CashByID = uitest.Now(), operator.Name, operator.ID
		c.known[id] = v
	}
	return nil
}
