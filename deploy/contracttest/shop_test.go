package contracttest

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/customer"
	"galla/edge/shop"
	"galla/edge/web/webtest"
	"galla/shared/op"
	"galla/shared/secret"
)

// front is the shop's pages over a real counter, and an agent at them.
func front(t *testing.T, c *counter) *webtest.Visitor {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	shops, err := shop.New(c.Counter, c.queue, shop.Config{Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	screen, err := customer.New(c.Counter, customer.Config{Picture: shops.Picture, Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	v := webtest.Serve(t, c.Counter, shops, screen).Visitor(t)
	v.Enter()
	v.Get("/shop/aeps", http.StatusOK)
	return v
}

// TestTheShopIsOnboarded walks a shop through the wizard's pages, from nothing to
// what the network approves, over a real line, central and bank, with a restart
// of the pages in the middle; then it asks for its codes.
func TestTheShopIsOnboarded(t *testing.T) {
	h := &house{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	if err := h.open(ctx, &ended, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	c := counterOf(t, h, m2, pandey)
	v := front(t, c)
	take := func(step, next string, given ...string) {
		t.Helper()
		v.Post("/shop/aeps/"+step, http.StatusSeeOther, append(given, "form", t.Name()+step+next)...)
		if next == "finger" && step == "finger" {
			v.Get("/shop/aeps", http.StatusOK)
			v.Post("/shop/aeps/capture", http.StatusSeeOther)
			next = "submit"
		}
		var page string
		eventually(t, step+" leads to "+next, func() bool {
			page = v.Get("/shop/aeps", http.StatusOK)
			if next == "" {
				return strings.Contains(page, "All steps are done")
			}
			return strings.Contains(page, `id="shop-form" method="post" action="/shop/aeps/`+next+`"`)
		})
	}
	take("status", "begin")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "not begun")
	// A step before its time: the central names the one that is missing, and it
	// is the one that is open.
	take("submit", "begin")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "First do: Begin")
	take("begin", "mobile")
	take("mobile", "otp")
	take("otp", "otp", "otp", "0000")
	take("resend", "otp")
	v = front(t, c)
	take("otp", "pan", "otp", h.otp(t, "9800000002"))
	take("pan", "aadhaar", "pan", "ABCPE1234F", "name", "Ganesh", "dob", "29-02-1980")
	take("aadhaar", "finger")
	c.glass.lay(pandey)
	take("finger", "finger")
	take("submit", "")
	take("status", "")
	webtest.Has(t, v.Get("/shop/aeps", http.StatusOK), "approved: the shop may serve customers")
	if s := h.call(t, m2, "GET", "/aeps/statusCheck", nil).is(200, "00").data(); s["status"] != "APPROVED" {
		t.Errorf("the network says %v", s)
	}
	codes(t, c, v)
	withdrawal(t, c, v)
}

// withdrawal is the new shop's first one, as its customer sees it.
func withdrawal(t *testing.T, c *counter, v *webtest.Visitor) {
	t.Helper()
	run := func(begin func() (edge.View, error), finger string, asked ...string) edge.View {
		t.Helper()
		made, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		webtest.Has(t, v.Get("/customer", http.StatusOK), asked...)
		c.glass.lay(finger)
		if err := c.Capture(made.ID); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		made, err = c.Await(ctx, made.ID)
		if err != nil || made.State != op.Succeeded {
			t.Fatalf("%s: %v %s %s %s", made.Route, err, made.State, made.Reason, made.Reply)
		}
		return made
	}
	run(func() (edge.View, error) {
		return c.Authenticate(context.Background(), edge.Operator{ID: edge.AgentID, Name: "Fatima"})
	}, pandey)
	eventually(t, "the counter knows of the day's session", func() bool { return c.Status().Session.Active })
	aadhaar, err := secret.ParseAadhaar(choudhury)
	if err != nil {
		t.Fatal(err)
	}
	done := run(func() (edge.View, error) {
		return c.Begin(context.Background(), edge.Draft{Route: op.Withdrawal, Amount: 300_00, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: iins[choudhury], Consent: "AEPS-EN-1", Operator: "Fatima", OperatorID: edge.AgentID})
	}, choudhury, "Do you agree?", "₹300", "three hundred rupees", "I give my Aadhaar number")
	page := v.Get("/customer", http.StatusOK)
	webtest.Has(t, page, "Take your cash", "₹300", "band give")
	webtest.HasNot(t, page, "7058", "Shivshankar", done.Result.RRN, "Do you agree?")
	if done.Result.Balance == nil {
		t.Fatal("the bank told no balance")
	}
	v.Get("/customer/desk", http.StatusOK)
	v.Post("/customer/desk/balance", http.StatusSeeOther, "id", string(done.ID), "show", "yes")
	webtest.Has(t, v.Get("/customer", http.StatusOK), "Your balance")
}

// codes asks for a code of an amount, which the customer's screen shows too,
// and for the printed one, which outlives the pages.
func codes(t *testing.T, c *counter, v *webtest.Visitor) {
	t.Helper()
	v.Get("/qr", http.StatusOK)
	path := v.Post("/qr", http.StatusSeeOther, "amount", "1250.50", "form", "code")
	eventually(t, "the code is shown", func() bool {
		return strings.Contains(v.Get(path, http.StatusOK), `class="qr"`)
	})
	webtest.Has(t, v.Get(path, http.StatusOK), "₹1,250.50", "not told when a payment arrives")
	webtest.Has(t, v.Get("/customer", http.StatusOK), "₹1,250.50", `class="qr"`, "Scan and pay")
	id, err := op.ParseID(strings.TrimPrefix(path, "/qr/"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Operation(id)
	if err != nil || made.State != op.Succeeded || !strings.Contains(made.Value("upiLink"), "am=1250.50") {
		t.Errorf("the operation: %v %s %s", err, made.State, made.Value("upiLink"))
	}
	v.Get("/qr/poster", http.StatusOK)
	v.Post("/qr/poster", http.StatusSeeOther, "form", "poster")
	v = front(t, c)
	webtest.Has(t, v.Get("/qr/poster?paper=a5", http.StatusOK), `class="qr"`, made.Value("vpa"), fmt.Sprintf("must show this name: %s", made.Value("payeeName")))
}
