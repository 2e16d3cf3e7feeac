package console_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"galla/central"
	"galla/central/bank/simbank"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/wire"
)

// terminal is an enrolled terminal.
type terminal struct {
	id  central.TerminalID
	key ed25519.PrivateKey
}

// enrol enrols a counter of the sandbox's shop.
func (h *system) enrol(t testing.TB, name string) terminal {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	registry := central.NewTerminalRegistry(h.db, central.NewNotifier(), rand.Reader)
	code, err := registry.CreateEnrolmentCode(t.Context(), shop, central.Credential{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := registry.Enrol(t.Context(), code.Code, public, name)
	if err != nil {
		t.Fatal(err)
	}
	return terminal{x.ID, private}
}

// connect opens the terminal's uplink and sends the hello frame.
func (h *system) connect(t testing.TB, x terminal, hello wire.Frame) *websocket.Conn {
	t.Helper()
	now := time.Now()
	claims := jwt.RegisteredClaims{Audience: jwt.ClaimStrings{"galla-uplink"}, ID: uuid.NewString(), IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute))}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"] = string(x.id)
	signed, err := token.SignedString(x.key)
	if err != nil {
		t.Fatal(err)
	}
	ws, reply, err := websocket.DefaultDialer.Dial("ws://"+h.cfg.UplinkAddr+"/uplink", http.Header{"Authorization": {"Bearer " + signed}})
	if err != nil {
		t.Fatalf("%v: %v", err, reply)
	}
	_ = reply.Body.Close()
	t.Cleanup(func() { _ = ws.Close() })
	hello.T, hello.V, hello.Terminal = wire.THello, wire.Version, string(x.id)
	data, err := wire.Encode(hello)
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.ReadMessage(); err != nil { // the welcome
		t.Fatal(err)
	}
	return ws
}

// until waits until a page has a text, and returns the page.
func (v *browser) until(path, text string) string {
	v.t.Helper()
	limit, end := context.WithTimeout(v.t.Context(), time.Minute)
	defer end()
	for {
		page := v.get(path, http.StatusOK)
		if strings.Contains(page, text) {
			return page
		}
		select {
		case <-limit.Done():
			v.t.Fatalf("%q does not come onto the page: %s", text, page)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestTerminals: the pages show how a terminal connects, breaks and is revoked, and
// the operations of a suspended merchant are refused over the uplink, too.
func TestTerminals(t *testing.T) {
	h := newSystem(t)
	ravi, asha := h.enter(t, "operator"), h.enter(t, "admin")
	x := h.enrol(t, "Front counter")
	here := "/console/terminals/" + string(x.id)
	has(t, ravi.get("/console/terminals", http.StatusOK), "Front counter", "never seen", "Lakshmi Kirana Store")
	ids := []op.ID{op.ID(uuid.Must(uuid.NewV7()).String()), op.ID(uuid.Must(uuid.NewV7()).String())}
	ws := h.connect(t, x, wire.Frame{Version: "v1.4.2", Clock: time.Now().Add(5 * time.Minute).UnixMilli(), Unresolved: ids})
	page := ravi.until("/console/terminals?state=online", "Front counter")
	has(t, page, "online", "central-1", "v1.4.2", "ahead")
	has(t, ravi.get(here, http.StatusOK), "Unresolved at the connection</dt><dd>2<", "Connected to")
	has(t, ravi.get("/console/merchants/"+shop, http.StatusOK), "Front counter")
	for query, want := range map[string]bool{"?state=offline": false, "?state=revoked": false, "?merchant=" + shop: true, "?merchant=" + newcomer: false, "?merchant=" + shop + "&state=online": true} {
		if got := strings.Contains(ravi.get("/console/terminals"+query, http.StatusOK), "Front counter"); got != want {
			t.Errorf("%s: listed %t", query, got)
		}
	}

	asha.post("/console/merchants/"+shop+"/status", http.StatusSeeOther, "from", "APPROVED", "to", "SUSPENDED", "confirmed", "yes")
	data, err := wire.Encode(wire.Frame{T: wire.TOp, ID: op.ID(uuid.Must(uuid.NewV7()).String()), Route: op.Balance, Body: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
		t.Fatal(err)
	}
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			t.Fatalf("the suspended shop's counter was cut off: %v", err)
		}
		f, err := wire.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if f.T == wire.TOutcome {
			if f.HTTP != http.StatusUnprocessableEntity || !strings.Contains(string(f.Reply), "SUSPENDED") {
				t.Errorf("the suspended shop's call over the uplink: HTTP %d %s", f.HTTP, f.Reply)
			}
			break
		}
	}
	if err := ws.WriteMessage(websocket.TextMessage, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	has(t, ravi.until("/console/terminals?state=offline", "Front counter"), "offline", "frame")

	has(t, ravi.post(here+"/revoke", http.StatusOK), "Revoke Front counter of Lakshmi Kirana Store?", "2 operations without a final outcome")
	ravi.post(here+"/revoke", http.StatusSeeOther, "confirmed", "yes")
	page = ravi.get(here+"?done=terminal-revoked", http.StatusOK)
	has(t, page, "revoked", "enrol again with a new code")
	hasNot(t, page, ">Revoke</button>")
	if list := h.auditEntries(t, "terminal.revoke"); len(list) != 2 || !strings.Contains(list[0], string(x.id)+" done: offline→revoked") {
		t.Errorf("the audit log: %q", list)
	}
}

// operation records a withdrawal of the merchant and finishes it, or makes it pending
// and then finishes it.
func (h *system) operation(t testing.TB, n int, at time.Time, state op.State, pending bool, iin string, change ...func(*central.Operation)) op.ID {
	t.Helper()
	id := op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", n))
	o := central.Operation{
		ID: id, Caller: "merchant:" + shop, Identity: fmt.Sprintf("order-%d", n), Route: op.Withdrawal, Fingerprint: sha256.Sum256([]byte{byte(n)}),
		Merchant: shop, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", IIN: iin,
		Reference: central.Reference(fmt.Sprintf("GL261121%06d", n)), STAN: fmt.Sprintf("%06d", n), State: op.Received, Node: "test", NotAfter: at.Add(90 * time.Second), CreatedAt: at,
	}
	for _, c := range change {
		c(&o)
	}
	ctx := t.Context()
	_, _, err := h.db.Create(ctx, o, nil)
	if err == nil {
		err = h.db.MarkSent(ctx, central.SentUpdate{ID: id, At: at, BankNotAfter: at.Add(15 * time.Second)})
	}
	if err == nil && pending {
		_, err = h.db.MarkPending(ctx, central.PendingUpdate{ID: id, At: at.Add(time.Second), Reason: "no answer", Prefix: "AEPS-NR-", NextEnquiry: at.Add(24 * time.Hour)})
	}
	if err == nil && state.Final() {
		_, err = h.db.Finish(ctx, central.FinalOutcome{ID: id, To: state, At: at.Add(1250 * time.Millisecond), Reason: "the bank says so", Answer: central.BankAnswer{Code: "00", RRN: fmt.Sprintf("6325100%05d", n)}, HTTP: 200, Reply: []byte("{}")})
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestCallbacks: an endpoint with a secret, the delivery log, and sending again.
func TestCallbacks(t *testing.T) {
	h := newSystem(t)
	ravi := h.enter(t, "operator")
	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if received.Add(1) == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	here := "/console/merchants/" + shop
	has(t, ravi.post(here+"/endpoint", http.StatusUnprocessableEntity, "url", "ftp://x.example/y"), "Nothing was changed")
	ravi.post(here+"/endpoint", http.StatusSeeOther, "url", receiver.URL+"/hook?token=verysecret")
	page := ravi.get(here, http.StatusOK)
	has(t, page, receiver.URL, "without one no callbacks are sent")
	hasNot(t, page, "verysecret")
	page = ravi.post(here+"/secrets", http.StatusOK)
	minted := regexp.MustCompile(`<code class="key">(whsec_[^<]+)</code>`).FindStringSubmatch(page)
	if minted == nil {
		t.Fatalf("no secret is shown: %s", page)
	}
	page = ravi.get(here, http.StatusOK)
	hasNot(t, page, minted[1])
	secretAt := regexp.MustCompile(`action="(` + here + `/secrets/[^/"]+/revoke)"`).FindStringSubmatch(page)
	if secretAt == nil {
		t.Fatalf("no secret to revoke: %s", page)
	}

	id := h.operation(t, 1, time.Now().Add(-time.Minute), op.Succeeded, true, "990326")
	at := "/console/callbacks/" + string(id)
	page = ravi.until(at, "HTTP 500")
	has(t, page, "waiting", "Operation", string(id))
	ravi.post(at+"/replay", http.StatusSeeOther)
	page = ravi.until(at, ">delivered</span>")
	has(t, page, "again", "delivered")
	has(t, ravi.get("/console/callbacks?state=delivered&merchant="+shop, http.StatusOK), string(id))
	hasNot(t, ravi.get("/console/callbacks?state=given-up", http.StatusOK), string(id))
	ravi.post(here+"/replay", http.StatusUnprocessableEntity, "since", "soon")
	ravi.post(here+"/replay", http.StatusSeeOther, "since", time.Now().Add(-time.Hour).In(ist.Zone()).Format("2006-01-02T15:04"))
	ravi.until(at, ">delivered</span>")
	ravi.get("/console/callbacks/none", http.StatusNotFound)

	has(t, ravi.post(secretAt[1], http.StatusOK), "Revoke this secret?")
	ravi.post("/console/merchants/"+newcomer+strings.TrimPrefix(secretAt[1], here), http.StatusNotFound, "confirmed", "yes")
	ravi.post(secretAt[1], http.StatusSeeOther, "confirmed", "yes")
	has(t, ravi.post(here+"/endpoint", http.StatusOK, "url", ""), "End the callbacks of this merchant?")
	ravi.post(here+"/endpoint", http.StatusSeeOther, "url", "", "confirmed", "yes")
	has(t, ravi.get(here, http.StatusOK), "Callback URL</dt><dd>not set", ", ended ")
	text := h.log.String() + strings.Join(append(h.auditEntries(t, "callback.endpoint"), h.auditEntries(t, "callback.secret.mint")...), "\n")
	for _, secret := range []string{"verysecret", minted[1]} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the log or in the audit log", secret)
		}
	}
	if !strings.Contains(text, "→"+receiver.URL) {
		t.Errorf("the audit log does not name the endpoint: %s", text)
	}
}

// TestUnmatchedPayments: what has no merchant or no order is there for people to look at,
// and nothing else.
func TestUnmatchedPayments(t *testing.T) {
	h := newSystem(t)
	ravi := h.enter(t, "viewer")
	has(t, ravi.get("/console/payments", http.StatusOK), "No payment.")
	lakshmi, err := h.db.Merchant(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	vpa := strings.ToLower(lakshmi.MID) + "@galla"
	if lakshmi.VPA != "" {
		vpa = lakshmi.VPA
	}
	var paid []string
	for _, p := range []simbank.UPIPayment{
		{Payee: "nobody@galla", Amount: 1250}, {Payee: vpa, TR: "never-made", Amount: 700}, {Payee: vpa, Amount: 900},
	} {
		p.PayerName, p.PayerVPA = "Asha Kulkarni", "asha@okbank"
		done, err := h.bank.PayUPI(t.Context(), p, simbank.Notice{})
		if err != nil {
			t.Fatal(err)
		}
		paid = append(paid, done.ID)
	}
	ravi.until("/console/payments", paid[1])
	page := ravi.until("/console/payments", paid[0])
	has(t, page, "no merchant has this VPA", "the merchant made no QR code with this tr", "12.50", "never-made", shop)
	hasNot(t, page, paid[2])
	operation := regexp.MustCompile(`/console/operations/([0-9a-f-]{36})">` + paid[0]).FindStringSubmatch(page)
	if operation == nil {
		t.Fatalf("no link to the operation: %s", page)
	}
	has(t, ravi.get("/console/operations/"+operation[1], http.StatusOK), paid[0], "UPI payment", "succeeded")
	has(t, ravi.get("/console/payments?before=2000-01-01T00:00:00Z", http.StatusOK), "No payment.")
	ravi.get("/console/payments?before=yesterday", http.StatusUnprocessableEntity)
}

// TestFigures: the day's charts have all its hours, its operations and those of a week
// before, and the float has the network's balance and all days.
func TestFigures(t *testing.T) {
	h := newSystem(t)
	ravi := h.enter(t, "operator")
	yesterday := time.Now().In(ist.Zone()).AddDate(0, 0, -1)
	noon := time.Date(yesterday.Year(), yesterday.Month(), yesterday.Day(), 12, 0, 0, 0, yesterday.Location())
	for i := range 5 {
		h.operation(t, i+1, noon.Add(time.Duration(i)*40*time.Minute), op.Succeeded, false, "990326")
	}
	h.operation(t, 6, noon, op.Failed, false, "990326")
	h.operation(t, 7, noon, op.Pending, true, "999999")
	h.operation(t, 8, noon.AddDate(0, 0, -7).Add(3*time.Hour), op.Succeeded, false, "990326")
	page := ravi.get("/console/day?day="+noon.Format(time.DateOnly), http.StatusOK)
	has(t, page, "<h1>"+noon.Format("Monday, 2 January 2006")+"</h1>", `<svg id="outcomes"`, `<svg id="amounts"`, `<svg id="speeds"`, "₹2,500.00", "83.3 %", `<rect class="failed"`, `<rect class="open"`, "1.3 s", "Cash withdrawal", "IIN 999999",
		`<td class="nowrap">12–13</td><td class="num">2</td><td class="num">1</td><td class="num">1</td>`,
		"<title>12–13: 2 succeeded, 1 open, 1 failed, 0 refused; a week before 0 in all</title>", "<title>15–16: ₹0.00; a week before ₹500.00</title>", "Median", "95th percentile")
	hasNot(t, page, `<td class="nowrap">11–12</td>`, `<td class="nowrap">16–17</td>`)
	if n := strings.Count(page, "<g><title>"); n != 2*24+2 {
		t.Errorf("the charts have %d values, not one of each hour and bank", n)
	}
	if n := strings.Count(page, `<line class="before"`); n != 2*2 {
		t.Errorf("the lines of the week before have %d pieces, not two up and down in each chart", n)
	}
	has(t, ravi.get("/console/day?day=2020-01-01", http.StatusOK), "No operations on this day")
	ravi.get("/console/day?day=yesterday", http.StatusUnprocessableEntity)

	ravi.post("/console/float", http.StatusUnprocessableEntity, "aggregator", "nobody")
	ravi.post("/console/float", http.StatusSeeOther, "aggregator", "a0000000-0000-4000-8000-000000000001")
	page = ravi.until("/console/float", "sandbox-operator")
	has(t, page, `<svg id="float"`, "₹10,00,000.00", ">₹10 lakh</text>", ": no reading</title>")
	if n := strings.Count(page, "<g><title>"); n != 7*4 {
		t.Errorf("the float's chart has %d periods", n)
	}
}
