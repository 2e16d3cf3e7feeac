package contract

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
	"galla/edge/ui/customer"
	"galla/edge/ui/onboarding"
	"galla/edge/ui/uitest"
	"galla/edge/ui/upi"
	"galla/shared/op"
	"galla/shared/secret"
)

// front is the shop's pages over a real counter, and their agent.
func front(t *testing.T, c *counter) *uitest.Client {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	shop, err := onboarding.New(c.Counter, c.queue, log)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := upi.New(c.Counter, c.queue, upi.Config{Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	screen, err := customer.New(c.Counter, customer.Config{QRImage: codes.QRImage, Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.Serve(t, c.Counter, shop, codes, screen).NewClient(t)
	v.Login()
	v.Get("/onboarding", http.StatusOK)
	return v
}

// TestTheShopIsOnboarded walks a shop through the onboarding's pages, from nothing to
// the network's approval, over a real connection, central and bank, with a restart of
// the pages in the middle; then it asks for its QR codes.
func TestTheShopIsOnboarded(t *testing.T) {
	h := &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	dir := t.TempDir() // removed after everything has ended
	t.Cleanup(func() { cancel(); ended.Wait() })
	if err := h.open(ctx, &ended, dir); err != nil {
		t.Fatal(err)
	}
	c := counterOf(t, h, m2, pandey)
	v := front(t, c)
	take := func(step, next string, given ...string) {
		t.Helper()
		v.Post("/onboarding/"+step, http.StatusSeeOther, append(given, "form", t.Name()+step+next)...)
		if next == "finger" && step == "finger" {
			v.Get("/onboarding", http.StatusOK)
			v.Post("/onboarding/capture", http.StatusSeeOther)
			next = "submit"
		}
		var page string
		eventually(t, step+" leads to "+next, func() bool {
			page = v.Get("/onboarding", http.StatusOK)
			if next == "" {
				return strings.Contains(page, "All steps are done")
			}
			return strings.Contains(page, `id="onboarding-form" method="post" action="/onboarding/`+next+`"`)
		})
	}
	take("status", "begin")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "not started")
	// A step before its turn: the central names the missing one, and that one is open.
	take("submit", "begin")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "First do: Start")
	take("begin", "mobile")
	take("mobile", "otp")
	take("otp", "otp", "otp", "0000")
	take("resend", "otp")
	v = front(t, c)
	take("otp", "pan", "otp", h.otp(t, "9800000002"))
	take("pan", "aadhaar", "pan", "ABCPE1234F", "name", "Ganesh", "dob", "29-02-1980")
	take("aadhaar", "finger")
	c.glass.placeFinger(pandey)
	take("finger", "finger")
	take("submit", "")
	take("status", "")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "approved: the shop can serve customers")
	if s := h.call(t, m2, "GET", "/aeps/statusCheck", nil).is(200, "00").data(); s["status"] != "APPROVED" {
		t.Errorf("the network says %v", s)
	}
	codes(t, c, v)
	withdrawal(t, c, v)
}

// withdrawal is the new shop's first one, as its customer sees it.
func withdrawal(t *testing.T, c *counter, v *uitest.Client) {
	t.Helper()
	run := func(begin func() (edge.View, error), finger string, asked ...string) edge.View {
		t.Helper()
		made, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		uitest.Contains(t, v.Get("/customer", http.StatusOK), asked...)
		c.glass.placeFinger(finger)
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
		return c.Start(edge.Request{Route: op.ReqAuth, User: "Fatima", UserID: edge.AgentID})
	}, pandey)
	eventually(t, "the counter knows of the day's session", func() bool { return c.Status().Session.Active })
	aadhaar, err := secret.ParseAadhaar(choudhury)
	if err != nil {
		t.Fatal(err)
	}
	done := run(func() (edge.View, error) {
		return c.Start(edge.Request{Route: op.Withdrawal, Amount: 300_00, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: iins[choudhury], Consent: "AEPS-EN-1", User: "Fatima", UserID: edge.AgentID})
	}, choudhury, "Do you agree?", "₹300", "three hundred rupees", "I give my Aadhaar number")
	page := v.Get("/customer", http.StatusOK)
	uitest.Contains(t, page, "Take your cash", "₹300", "banner give")
	uitest.NotContains(t, page, "7058", "Shivshankar", done.Result.RRN, "Do you agree?")
	if done.Result.Balance == nil {
		t.Fatal("the bank gave no balance")
	}
	v.Get("/customer/setup", http.StatusOK)
	v.Post("/customer/setup/balance", http.StatusSeeOther, "id", string(done.ID), "show", "yes")
	uitest.Contains(t, v.Get("/customer", http.StatusOK), "Your balance")
}

// codes asks for a QR code of an amount, which the customer's screen shows too, and for
// the printed one, which outlives the pages.
func codes(t *testing.T, c *counter, v *uitest.Client) {
	t.Helper()
	v.Get("/upi", http.StatusOK)
	path := v.Post("/upi", http.StatusSeeOther, "amount", "1250.50", "form", "code")
	eventually(t, "the code is shown", func() bool {
		return strings.Contains(v.Get(path, http.StatusOK), `class="qr"`)
	})
	uitest.Contains(t, v.Get(path, http.StatusOK), "₹1,250.50", "this page shows PAID")
	uitest.Contains(t, v.Get("/customer", http.StatusOK), "₹1,250.50", `class="qr"`, "Scan and pay")
	id, err := op.ParseID(strings.TrimPrefix(path, "/upi/"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Operation(id)
	if err != nil || made.State != op.Succeeded || !strings.Contains(made.ReplyValue("upiLink"), "am=1250.50") {
		t.Errorf("the operation: %v %s %s", err, made.State, made.ReplyValue("upiLink"))
	}
	v.Get("/upi/poster", http.StatusOK)
	v.Post("/upi/poster", http.StatusSeeOther, "form", "poster")
	v = front(t, c)
	uitest.Contains(t, v.Get("/upi/poster?paper=a5", http.StatusOK), `class="qr"`, made.ReplyValue("vpa"), fmt.Sprintf("must show this name: %s", made.ReplyValue("payeeName")))
}
