package contract

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge/ui/dmt"
	"galla/edge/ui/uitest"
)

// memoryStore is a session cache in memory.
type memoryStore struct{ values sync.Map }

func (d *memoryStore) GetCache(name string) ([]byte, time.Time, bool, error) {
	v, ok := d.values.Load(name)
	b, _ := v.([]byte)
	return b, time.Time{}, ok, nil
}

func (d *memoryStore) PutCache(name string, value []byte, _ time.Time) error {
	d.values.Store(name, value)
	return nil
}

// dmtPages is an agent without scripts at the pages of money transfer.
type dmtPages struct {
	*uitest.Client
	t  *testing.T
	h  *system
	at string
}

// openPages opens the pages over a real counter.
func openPages(t *testing.T, h *system, c *counter, kept *memoryStore) *dmtPages {
	t.Helper()
	pages, err := dmt.New(c.Counter, dmt.Config{Cache: kept, Now: time.Now, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.Serve(t, c.Counter, pages).NewClient(t)
	v.Login()
	v.Get("/dmt", 200)
	return &dmtPages{Client: v, t: t, h: h}
}

var (
	stepOf   = regexp.MustCompile(`data-step="([^"]*)"`)
	stateOf  = regexp.MustCompile(`class="dmt-now" data-live data-state="([^"]*)"`)
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

// here waits for a step, and for a state on its page, and gives the page.
func (v *dmtPages) here(step, state string) string {
	v.t.Helper()
	page := ""
	eventually(v.t, fmt.Sprintf("%s %s", step, state), func() bool {
		page = v.Get(v.at, 200)
		return found(stepOf, page) == step && found(stateOf, page) == state
	})
	return page
}

// run takes a step of the flow from a page.
func (v *dmtPages) run(page, act string, fields ...string) {
	v.t.Helper()
	v.Post(v.at+"/"+act, 303, append([]string{"turn", found(turnOf, page)}, fields...)...)
}

// wrong is an incorrect OTP.
func wrong(otp string) string {
	if otp == "0000" {
		return "1111"
	}
	return strings.Repeat("0", len(otp))
}

// TestThePagesOfMoneyTransfer walks the counter's pages over the running central, from
// an unknown customer to a refund: account numbers keep their leading zeros, a wrong
// OTP moves nothing, a restart repeats nothing, and a returned transfer is refunded.
func TestThePagesOfMoneyTransfer(t *testing.T) {
	h := running
	c := newCounter(t, h)
	kept := &memoryStore{}
	v := openPages(t, h, c, kept)
	const mobile, account, ifsc = "9000000031", "000123456811", "SBIN0001234"

	v.at = v.Post("/dmt", 303, "mobile", mobile)
	v.run(v.here("name", ""), "go", "name", "Shivshankar Choudhury", "city", "Pune", "state", "Maharashtra")
	page := v.here("code", "")
	v.run(page, "go", "otp", wrong(h.otp(t, mobile)))
	page = v.here("code", "")
	uitest.Contains(t, page, "Wrong or expired OTP", "2 tries left")
	v.run(page, "go", "otp", h.otp(t, mobile))
	c.glass.placeFinger(choudhury)
	v.run(v.here("aadhaar", ""), "go", "aadhaar", choudhury, "consent", "yes", "customer-language", "ta")
	page = v.here("sender", "")
	uitest.Contains(t, page, "No beneficiaries yet", "₹0.00 used")

	v.run(page, "add")
	page = v.here("payee", "")
	v.run(page, "go", "receiver_account_no", "000123000000", "again", "000123000000", "receiverIfscCode", ifsc, "receivername", "Ravi")
	page = v.here("payee", "")
	uitest.Contains(t, page, "The bank does not have this account")
	v.run(page, "go", "receiver_account_no", account, "again", account, "receiverIfscCode", ifsc, "receivername", "Ravi Kapoor")
	page = v.here("confirm-holder", "")
	holder := found(holderOf, page)
	if holder == "" || holder == "Ravi Kapoor" {
		t.Errorf("the bank says that the account is %q's", holder)
	}
	v.run(page, "holder")
	page = v.here("sender", "")
	uitest.Contains(t, page, holder, "…6811")

	v.run(page, "pay", "payee", found(payeeOf, page))
	page = v.here("amount", "")
	uitest.Contains(t, page, "<dd>"+account+"</dd>")
	v.run(page, "go", "amount", "1200")
	page = v.here("confirm", "")
	uitest.Contains(t, page, "₹1,200.00", "Customer pays")
	v.run(page, "go")
	v.run(v.here("otp", ""), "go", "otp", wrong(h.otp(t, mobile)))
	page = v.here("otp", "")
	uitest.Contains(t, page, "Wrong or expired OTP", "Keep the cash", "2 tries left")
	v.run(page, "resend")

	// The program ends, and starts again in the middle.
	at := v.at
	v.here("otp", "")
	v = openPages(t, h, c, kept)
	v.at = at
	v.run(v.here("otp", ""), "go", "otp", h.otp(t, mobile))
	page = v.here("sent", "succeeded")
	uitest.Contains(t, page, "Money sent")
	uitest.NotContains(t, page, "do-refund") // the bank has paid it out
	checkTrial(t, h)

	// Another one is returned by the beneficiary's bank.
	v.run(page, "sender")
	page = v.here("sender", "")
	v.run(page, "pay", "payee", found(payeeOf, page))
	v.run(v.here("amount", ""), "go", "amount", "103.93")
	v.run(v.here("confirm", ""), "go")
	v.run(v.here("otp", ""), "go", "otp", h.otp(t, mobile))
	page = v.here("sent", "reversed")
	uitest.Contains(t, page, "The transfer came back")
	v.refunded(page, mobile)

	v.run(v.here("refunded", "succeeded"), "sender")
	page = v.here("sender", "")
	v.run(page, "drop", "payee", found(payeeOf, page))
	v.run(v.here("delete-payee", ""), "go")
	uitest.Contains(t, v.here("sender", ""), "No beneficiaries yet")
	checkTrial(t, h)
}

// refunded gives the cash back from the page of a transfer: a wrong OTP first, then the
// right one of another attempt, and the cash after the bank's answer.
func (v *dmtPages) refunded(page, mobile string) {
	v.t.Helper()
	v.run(page, "refund")
	v.run(v.here("refund-ask", ""), "go")
	v.run(v.here("refund-otp", ""), "go", "otp", wrong(v.h.otp(v.t, mobile)))
	page = v.here("refund-otp", "")
	uitest.Contains(v.t, page, "Wrong or expired OTP", "Do not give cash")
	v.run(page, "resend")
	v.run(v.here("refund-otp", ""), "go", "otp", v.h.otp(v.t, mobile))
	uitest.Contains(v.t, v.here("refunded", "succeeded"), "GIVE CASH ₹113.93") // with its charge
}
