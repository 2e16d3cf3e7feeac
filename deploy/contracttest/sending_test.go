package contracttest

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge/send"
	"galla/edge/web/webtest"
)

// drawer is a session cache in memory.
type drawer struct{ values sync.Map }

func (d *drawer) Cached(name string) ([]byte, time.Time, bool, error) {
	v, ok := d.values.Load(name)
	b, _ := v.([]byte)
	return b, time.Time{}, ok, nil
}

func (d *drawer) Cache(name string, value []byte, _ time.Time) error {
	d.values.Store(name, value)
	return nil
}

// teller is an agent without scripts at the pages of sending money.
type teller struct {
	*webtest.Visitor
	t  *testing.T
	h  *house
	at string
}

// sits opens the room over a real counter.
func sits(t *testing.T, h *house, c *counter, kept *drawer) *teller {
	t.Helper()
	room, err := send.New(c.Counter, send.Config{Cache: kept, Now: time.Now, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	v := webtest.Serve(t, c.Counter, room).Visitor(t)
	v.Enter()
	v.Get("/send", 200)
	return &teller{Visitor: v, t: t, h: h}
}

var (
	stepOf   = regexp.MustCompile(`data-step="([^"]*)"`)
	stateOf  = regexp.MustCompile(`class="send-now" data-live data-state="([^"]*)"`)
	turnOf   = regexp.MustCompile(`name="turn" value="(\d+)"`)
	holderOf = regexp.MustCompile(`<dt>The bank says</dt><dd>([^<]*)</dd>`)
	payeeOf  = regexp.MustCompile(`name="payee" value="(\d+)"`)
)

func found(re *regexp.Regexp, page string) string {
	if m := re.FindStringSubmatch(page); m != nil {
		return m[1]
	}
	return ""
}

// here waits for a step, and for a state of what it shows, and gives the page.
func (v *teller) here(step, state string) string {
	v.t.Helper()
	page := ""
	eventually(v.t, fmt.Sprintf("%s %s", step, state), func() bool {
		page = v.Get(v.at, 200)
		return found(stepOf, page) == step && found(stateOf, page) == state
	})
	return page
}

// do takes a step of the flow from a page.
func (v *teller) do(page, act string, fields ...string) {
	v.t.Helper()
	v.Post(v.at+"/"+act, 303, append([]string{"turn", found(turnOf, page)}, fields...)...)
}

// wrong is an OTP that is not the right one.
func wrong(otp string) string {
	if otp == "0000" {
		return "1111"
	}
	return strings.Repeat("0", len(otp))
}

// TestThePagesOfSendingMoney walks the counter's pages over the running
// central, from a customer nobody knows to a refund: account numbers keep their
// leading zeros, a wrong OTP moves nothing, a restart repeats nothing, and
// a transfer that came back is refunded.
func TestThePagesOfSendingMoney(t *testing.T) {
	h := running
	c := newCounter(t, h)
	kept := &drawer{}
	v := sits(t, h, c, kept)
	const mobile, account, ifsc = "9000000031", "000123456811", "SBIN0001234"

	v.at = v.Post("/send", 303, "mobile", mobile)
	v.do(v.here("name", ""), "go", "name", "Shivshankar Choudhury", "city", "Pune", "state", "Maharashtra")
	page := v.here("code", "")
	v.do(page, "go", "otp", wrong(h.otp(t, mobile)))
	page = v.here("code", "")
	webtest.Has(t, page, "The one-time password is wrong")
	v.do(page, "go", "otp", h.otp(t, mobile))
	v.do(v.here("aadhaar", ""), "go", "aadhaar", choudhury)
	page = v.Get(v.at, 200)
	eventually(t, "the finger", func() bool { page = v.Get(v.at, 200); return found(stepOf, page) == "finger" })
	v.do(page, "go", "consent", "yes", "customer-language", "ta")
	v.here("finger", "ready")
	c.glass.lay(choudhury)
	v.Post(v.at+"/capture", 303)
	page = v.here("sender", "")
	webtest.Has(t, page, "Nobody yet", "₹0.00 used")

	v.do(page, "add")
	page = v.here("payee", "")
	v.do(page, "go", "receiver_account_no", "000123000000", "again", "000123000000", "receiverIfscCode", ifsc, "receivername", "Ravi")
	page = v.here("payee", "")
	webtest.Has(t, page, "The bank does not know this account")
	v.do(page, "go", "receiver_account_no", account, "again", account, "receiverIfscCode", ifsc, "receivername", "Ravi Kapoor")
	page = v.here("holder", "")
	holder := found(holderOf, page)
	if holder == "" || holder == "Ravi Kapoor" {
		t.Errorf("the bank says that the account is %q's", holder)
	}
	v.do(page, "holder")
	page = v.here("sender", "")
	webtest.Has(t, page, holder, "…6811")

	v.do(page, "pay", "payee", found(payeeOf, page))
	page = v.here("amount", "")
	webtest.Has(t, page, "<dd>"+account+"</dd>")
	v.do(page, "go", "amount", "1200")
	page = v.here("confirm", "")
	webtest.Has(t, page, "₹1,200.00", "The customer pays")
	v.do(page, "go")
	v.do(v.here("otp", ""), "go", "otp", wrong(h.otp(t, mobile)))
	page = v.here("sent", "otp")
	webtest.Has(t, page, "password was wrong", "Keep the cash")
	v.do(page, "retry")
	v.do(v.here("confirm", ""), "go")

	// The program ends, and begins anew in the middle.
	at := v.at
	v.here("otp", "")
	v = sits(t, h, c, kept)
	v.at = at
	v.do(v.here("otp", ""), "go", "otp", h.otp(t, mobile))
	page = v.here("sent", "succeeded")
	webtest.Has(t, page, "Money sent")
	webtest.HasNot(t, page, "do-refund") // the bank has paid it out
	checkTrial(t, h)

	// Another one comes back from the beneficiary's bank.
	v.do(page, "sender")
	page = v.here("sender", "")
	v.do(page, "pay", "payee", found(payeeOf, page))
	v.do(v.here("amount", ""), "go", "amount", "103.93")
	v.do(v.here("confirm", ""), "go")
	v.do(v.here("otp", ""), "go", "otp", h.otp(t, mobile))
	page = v.here("sent", "reversed")
	webtest.Has(t, page, "The transfer came back")
	v.refunded(page, mobile)

	v.do(v.here("refunded", "succeeded"), "sender")
	page = v.here("sender", "")
	v.do(page, "drop", "payee", found(payeeOf, page))
	v.do(v.here("drop", ""), "go")
	webtest.Has(t, v.here("sender", ""), "Nobody yet")
	checkTrial(t, h)
}

// refunded gives the cash back from the page of a transfer: a wrong OTP first, then
// the right one of another try, and the cash after the bank's word.
func (v *teller) refunded(page, mobile string) {
	v.t.Helper()
	v.do(page, "refund")
	v.do(v.here("refund-ask", ""), "go")
	v.do(v.here("refund-otp", ""), "go", "otp", wrong(v.h.otp(v.t, mobile)))
	v.do(v.here("refunded", "declined"), "retry")
	v.do(v.here("refund-ask", ""), "go")
	v.do(v.here("refund-otp", ""), "go", "otp", v.h.otp(v.t, mobile))
	webtest.Has(v.t, v.here("refunded", "succeeded"), "GIVE CASH ₹113.93") // with its charge
}
