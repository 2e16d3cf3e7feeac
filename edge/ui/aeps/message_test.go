package aeps

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

func TestReadMobile(t *testing.T) {
	for typed, want := range map[string]string{
		"9876504321": "9876504321", " 98765 04321 ": "9876504321", "98765-04321": "9876504321", "+919876504321": "9876504321", "+91 98765 04321": "9876504321",
		"919876504321": "9876504321", "09876504321": "9876504321", "6000000000": "6000000000",
		"5876504321": "", "987650432": "", "98765043211": "", "98765x4321": "", "": "", "+1 9876504321": "", "999941057058": "", "९८७६५०४३२१": "",
	} {
		if got := readMobile(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}

// TestReceiptMessage sends a receipt by the form, and reads what became of it.
func TestReceiptMessage(t *testing.T) {
	v := unlocked(t)
	id := v.f.add(cashOp(paid))
	at := "/op/" + string(id) + "/receipt"
	uitest.Contains(t, v.Get(at, http.StatusOK), `href="`+at+`?sms=1"`)
	if page := v.Get(at, http.StatusOK); strings.Contains(page, `name="mobile"`) {
		t.Error("the form is open before it is asked for")
	}
	page := v.Get(at+"?sms=1", http.StatusOK)
	uitest.Contains(t, page, `name="mobile"`, "The customer wants the receipt on this number", "In English: shop, amount, result and reference; no balance.")
	if strings.Contains(page, "checked") {
		t.Error("the customer's choice is made beforehand")
	}

	for _, fields := range [][]string{{"mobile", "98765", "wants", "yes"}, {"mobile", "9876504399"}, {}} {
		page := v.Post(at, http.StatusUnprocessableEntity, fields...)
		uitest.Contains(t, page, `name="mobile"`, `aria-invalid="true"`)
	}
	if n := len(v.f.drafts); n != 0 {
		t.Fatalf("%d messages were started by wrong forms", n)
	}
	if to := v.Post(at, http.StatusSeeOther, "form", "f1", "mobile", "98765 04321", "wants", "yes"); to != at {
		t.Errorf("it leads to %s", to)
	}
	v.Post(at, http.StatusSeeOther, "form", "f1", "mobile", "98765 04321", "wants", "yes") // a double click
	if len(v.f.drafts) != 1 {
		t.Fatalf("%d messages, want 1", len(v.f.drafts))
	}
	q := v.f.drafts[0]
	if f, err := api.ParseFields(q.Fields); err != nil || q.Route != op.ReceiptMessage || f.Text("id") != string(id) || f.Text("mobile") != "9876504321" || f.Text("language") != "en" || q.Title != "XXXXXX4321" || q.UserID != edge.AgentID {
		t.Errorf("request %+v: %s", q, q.Fields)
	}

	message := v.f.latest(t)
	if to := v.GetRedirect("/op/" + string(message)); to != at {
		t.Errorf("the message's own page is %s", to)
	}
	for _, c := range []struct {
		change func(*edge.View)
		says   string
	}{
		{func(v *edge.View) { v.State = op.Sent }, "Sending to XXXXXX4321…"},
		{func(v *edge.View) { v.State = op.Unknown }, "Sending to XXXXXX4321…"},
		{func(v *edge.View) { v.State, v.HTTP = op.Pending, 502 }, "XXXXXX4321: bank has not answered whether it was sent"},
		{func(v *edge.View) { v.State, v.HTTP = op.Succeeded, 200 }, "Sent to XXXXXX4321<"},
		{func(v *edge.View) { v.State, v.HTTP, v.Result.Code = op.Failed, 200, "30" }, "Not sent to XXXXXX4321: the bank&#39;s SMS service declined it."},
		{func(v *edge.View) { v.State, v.HTTP, v.Result.Code = op.Failed, 200, "91" }, "Not sent to XXXXXX4321. You can try again."},
		{func(v *edge.View) { v.State, v.HTTP, v.Result.Code = op.Failed, 422, "" }, "at most 3 times, and for 30 days."},
		{func(v *edge.View) { v.State, v.HTTP = op.NotSent, 0 }, "Not sent to XXXXXX4321. You can try again."},
		{func(v *edge.View) { v.State, v.HTTP = op.Expired, 0 }, "Not sent to XXXXXX4321. You can try again."},
	} {
		v.f.move(message, c.change)
		uitest.Contains(t, v.Get(at, http.StatusOK), c.says)
	}
	v.f.move(message, func(v *edge.View) { v.State = op.Succeeded })
	if home := v.Get("/", http.StatusOK); strings.Contains(home, "4321") {
		t.Error("the home page lists a message")
	}
	if strings.Contains(v.Transcript.String(), "9876504321") {
		t.Error("the number is in a page or a log")
	}
}

// TestReceiptMessageOffline: the form gives way to a clear word, and a press that comes all
// the same starts nothing.
func TestReceiptMessageOffline(t *testing.T) {
	v := unlocked(t)
	at := "/op/" + string(v.f.add(cashOp(paid))) + "/receipt"
	v.f.change(func(s *edge.Status) { s.Link.Online = false })
	page := v.Get(at+"?sms=1", http.StatusOK)
	if uitest.Contains(t, page, "No SMS can be sent now."); strings.Contains(page, `name="mobile"`) {
		t.Error("the form is open")
	}
	uitest.Contains(t, v.Post(at, http.StatusConflict, "mobile", "9876504321", "wants", "yes"), "The counter is offline.")
	if len(v.f.drafts) != 0 {
		t.Error("a message was started")
	}
}

// TestWhatMaySend: only what the bank answered for a customer, for 30 days; the sender's own
// number is there where it is part of the transfer.
func TestWhatMaySend(t *testing.T) {
	v := unlocked(t)
	for name, c := range map[string]struct {
		change func(*edge.View)
		may    bool
	}{
		"paid":      {paid, true},
		"declined":  {func(v *edge.View) { v.State, v.HTTP, v.Result.Code = op.Failed, 200, "51" }, true},
		"reversed":  {func(v *edge.View) { v.State, v.HTTP, v.Result.Code = op.Reversed, 200, "22" }, true},
		"a payment": {func(v *edge.View) { paid(v); v.Route = op.PaymentReceived }, true},
		"pending":   {func(v *edge.View) { v.State = op.Pending }, false},
		"a step":    {func(v *edge.View) { paid(v); v.Route = op.BeneficiaryAdd }, false},
		"old":       {func(v *edge.View) { paid(v); v.CreatedAt = fakeNow.Add(-messageWithin) }, false},
		"young":     {func(v *edge.View) { paid(v); v.CreatedAt = fakeNow.Add(time.Minute - messageWithin) }, true},
		"remembered": {func(v *edge.View) {
			paid(v)
			v.Route, v.KnownAt = op.Balance, fakeNow
		}, false},
	} {
		at := "/op/" + string(v.f.add(cashOp(c.change))) + "/receipt"
		page := v.Get(at+"?sms=1", http.StatusOK)
		if may := strings.Contains(page, `name="mobile"`) && strings.Contains(page, "Send by SMS"); may != c.may {
			t.Errorf("%s: it may be sent: %v", name, may)
		}
		status := map[bool]int{true: http.StatusSeeOther, false: http.StatusConflict}[c.may]
		v.Post(at, status, "form", name, "mobile", "9876504321", "wants", "yes")
	}
	transfer := v.f.add(cashOp(func(v *edge.View) { paid(v); v.Route, v.Mobile = op.Transfer, "9812345678" }))
	uitest.Contains(t, v.Get("/op/"+string(transfer)+"/receipt?sms=1", http.StatusOK), `value="9812345678"`)
	waits := v.f.add(cashOp(func(v *edge.View) { v.State = op.Sent }))
	if to := v.Post("/op/"+string(waits)+"/receipt", http.StatusSeeOther, "mobile", "9876504321", "wants", "yes"); to != "/op/"+string(waits) {
		t.Errorf("without a receipt it leads to %s", to)
	}
}

// receiptMessages: a receipt is sent by keyboard, its outcome comes by itself, and the page
// is right in both sizes and colours.
func receiptMessages(t *testing.T, chromium context.Context) {
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		f := newFake()
		at := "/op/" + string(f.add(cashOp(paid))) + "/receipt"
		b := unlockedAt(t, chromium, serve(t, f).URL, size[0], size[1], at)
		b.Press("m")
		b.WaitForFocus("#mobile")
		b.Screenshot("receipt-sms")
		b.Press("98765" + kb.Enter)
		b.WaitFor(`document.querySelector("#mobile").closest(".field").matches(".bad")`)
		b.Press("04321" + kb.Enter)
		b.WaitForFocus("#wants")
		b.Press(" ")
		b.TabTo("#sms button.main")
		b.Press(kb.Enter)
		b.WaitFor(`document.readyState === "complete" && location.search === "" && document.querySelector("#sms-lines .warn")?.innerText.includes("Sending to XXXXXX4321")`)
		b.Screenshot("receipt-sms-sending")
		f.move(f.latest(t), func(v *edge.View) { v.State, v.HTTP = op.Succeeded, 200 })
		b.WaitFor(`document.querySelector("#sms-lines .ok")?.innerText === "Sent to XXXXXX4321"`)
		b.Screenshot("receipt-sms-sent")
		if n := b.PrintedPages(80); n != 1 || len(f.drafts) != 1 {
			t.Errorf("%d pages on paper, %d messages", n, len(f.drafts))
		}
		b.SetDark(true)
		b.Navigate(at + "?sms=1")
		b.WaitForFocus("#mobile")
		b.Screenshot("receipt-sms-dark")
		b.SetDark(false)
		f.change(func(s *edge.Status) { s.Link.Online = false })
		b.Navigate(at + "?sms=1")
		b.WaitFor(`document.querySelector(".sms .alert")`)
		b.Screenshot("receipt-sms-offline")
	}
}
