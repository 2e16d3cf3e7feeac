package aeps

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"html"
	"html/template"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/outcome"
	"galla/edge/printing/receipt"
	"galla/edge/queue"
	"galla/edge/ui/customer"

	"galla/edge/i18n"
	"galla/edge/ui/history"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// everyPlace serves the counter's pages, its history and the customer's screen over one
// fake, with real receipts.
func everyPlace(t *testing.T) (*visitor, *i18n.Bundle) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	f := newFake()
	q, _, err := queue.Open(queue.Config{
		Path: filepath.Join(t.TempDir(), "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	days, err := cashbook.New(q, cashbook.Config{Now: time.Now, Offset: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	past, err := history.New(f, days, log)
	if err != nil {
		t.Fatal(err)
	}
	front, err := customer.New(f, customer.Config{
		QRImage: func(edge.View) (template.HTML, money.Paise, bool) { return "", 0, false }, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	book, err := i18n.Load(receipt.Catalogue(), outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	cfg := testConfig()
	cfg.Receipt = func(r edge.Record, _ *i18n.Localizer) ReceiptView {
		return ReceiptView{Receipt: receipt.New(r, receipt.Shop{Merchant: "Lakshmi Kirana Store"}, book.Localizer("en"))}
	}
	s, err := compose(f, cfg, past, front)
	if err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, s.Handler())
	t.Cleanup(srv.Close)
	t.Cleanup(s.Close)
	v := &visitor{f: f, s: s, Client: uitest.NewClient(t, srv.URL, srv.Client().Transport)}
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	return v, book
}

// everyOutcome is each route that moves money or asks about it, in each state, with each
// code that matters there and each fact of the cash.
func everyOutcome() (out []edge.View) {
	var all []string
	for _, family := range []outcome.Family{outcome.FamilyBank, outcome.FamilyTransfer, outcome.FamilyCentral} {
		for _, c := range outcome.Codes(family) {
			if !slices.Contains(all, c.Code) {
				all = append(all, c.Code)
			}
		}
	}
	all = append(all, "", "ZZ")
	for _, route := range []op.RouteID{op.Withdrawal, op.Balance, op.MiniStatement, op.Purchase, op.Transfer, op.Refund} {
		for _, state := range []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent} {
			some := []string{"00", "68", "55", "ZZ"}
			if state == op.Failed {
				some = all
			}
			for _, code := range some {
				v := cashOp(func(v *edge.View) { v.Route, v.State, v.UserID = route, state, edge.AgentID })
				v.HTTP, v.Result.Code, v.Result.StatusCode = http.StatusOK, code, code
				out = append(out, v)
				if route == op.Refund {
					v.Consent = edge.RefundCashAfter
					out = append(out, v)
				}
				if route == op.Transfer {
					v.CashKept, v.Charge = true, 25*money.Rupee
					out = append(out, v)
				}
				if v.Cash() == edge.CashReversed {
					v.CashBy = "Fatima"
					out = append(out, v)
				}
				if v.Cash() == edge.CashDue {
					v.CashBy = "Fatima"
					out = append(out, v)
					v.CashGivenAt = fakeNow
					out = append(out, v)
					if route == op.Transfer { // it paid for the next attempt
						v.CashUsedBy = "01a205b8-53bc-7995-a943-74046f469a72"
						out = append(out, v)
					}
				}
				if v.Cash() == edge.CashRefund {
					back := v
					v.CashBy, v.CashGivenAt, back.RefundedAt = "Fatima", fakeNow, fakeNow
					out = append(out, v, back)
				}
			}
		}
	}
	return out
}

var (
	adviceOf = regexp.MustCompile(`data-advice="([^"]*)"`)
	slipKey  = regexp.MustCompile(`\bslip\.[a-z]`)
	tags     = regexp.MustCompile(`(?s)<(script|style|nav|header|select)\b.*?</(script|style|nav|header|select)>|<[^>]*>`)
)

// textOf is the visible text of a page.
func textOf(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(main, " "))), " ")
}

// distinct returns one of the views that give one advice: of one route and state, with the
// same cash, title and lead. Their pages differ in the code and its meaning alone.
func distinct(words *i18n.Localizer, st edge.Status, views []edge.View) []edge.View {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(views), func(v edge.View) bool {
		d := outcome.Describe(words, v, st)
		key := fmt.Sprint(v.Route, v.State, v.Cash(), v.CashBy, v.CashGivenAt, v.CashUsedBy, v.RefundedAt, v.Consent, v.CashKept, d.Case, d.Advice, d.Title, d.Lead)
		was := seen[key]
		seen[key] = true
		return was
	})
}

// TestOneAdviceEverywhere walks routes, states and codes: the slip gives one advice, that of
// the operation, and its words agree with it. For each that reads differently, the real
// pages give the same one: the operation's page, the first page, the history, the receipt
// and the customer's screen.
func TestOneAdviceEverywhere(t *testing.T) {
	v, book := everyPlace(t)
	english := book.Localizer(i18n.English)
	all := everyOutcome()
	advices := map[string]string{} // the text of each advice on the pages
	for _, view := range all {
		st := v.f.Status()
		one := outcome.Describe(english, view, st)
		if view.Route == op.Withdrawal || view.Route == op.Transfer { // these two give opposite advice about cash
			advices[one.Lead] = one.Advice
		}
	}
	looked := map[string]int{}
	for _, view := range all {
		why := outcome.Describe(english, view, v.f.Status()).Why
		for lead := range advices {
			if len(lead) > 25 && strings.Contains(why, lead) {
				t.Errorf("%s %s %s: the reason %q gives an advice", view.Route, view.State, view.Result.Code, why)
			}
		}
		if !view.State.Final() && view.State != op.Pending {
			continue
		}
		looked["slip"]++
		want := outcome.Describe(english, view, v.f.Status())
		at, slip := string(view.Route)+" "+string(view.State)+" "+view.Result.Code, receipt.New(view.Record, receipt.Shop{}, english)
		if slip.Advice != want.Advice || slip.Status == "" || slipKey.MatchString(slip.Status+strings.Join(slip.Notes, " ")) {
			t.Errorf("%s: the slip has %q, want %q: %q %q", at, slip.Advice, want.Advice, slip.Status, slip.Notes)
		}
		checkSlipAgrees(t, at, view, want, slip)
	}
	pages := distinct(english, v.f.Status(), all)
	for _, view := range pages {
		v.f.mu.Lock()
		clear(v.f.ops)
		v.f.order = nil
		v.f.mu.Unlock()
		id := v.f.add(view)
		shown, err := v.f.Operation(id)
		if err != nil {
			t.Fatal(err)
		}
		want := outcome.Describe(english, shown, v.f.Status())
		at := string(view.Route) + " " + string(view.State) + " " + view.Result.Code
		same := func(place, page string) {
			t.Helper()
			looked[place]++
			found := adviceOf.FindAllStringSubmatch(page, -1)
			if len(found) != 1 || found[0][1] != want.Advice {
				t.Errorf("%s: the %s has the advices %q, want %q", at, place, found, want.Advice)
			}
		}
		page := v.Get("/op/"+string(id), http.StatusOK)
		same("page", page)
		text := textOf(page)
		if want.Case != "problem" && strings.Count(text, strings.Join(strings.Fields(want.Lead), " ")) != 1 {
			t.Errorf("%s: the page does not say %q once: %s", at, want.Lead, text)
		}
		rest := strings.ReplaceAll(text, strings.Join(strings.Fields(want.Lead), " "), "")
		for lead, name := range advices {
			if name != want.Advice && len(lead) > 25 && strings.Contains(rest, lead) {
				t.Errorf("%s: the page says %q beside its own advice", at, lead)
			}
		}
		home := v.Get("/", http.StatusOK)
		same("first page", home)
		if shown.State.Final() {
			same("history", v.Get("/operations", http.StatusOK))
		}
		if allowedActions(shown).Receipt {
			same("receipt", v.Get("/op/"+string(id)+"/receipt", http.StatusOK))
		}
		if _, known := outcome.KindNamed(want.Kind.Name); known {
			front := v.Get("/customer", http.StatusOK)
			same("customer's screen", front)
			customerScreenSays(t, at, textOf(front), shown)
		}
	}
	t.Logf("%d outcomes, %d on pages: %v", len(all), len(pages), looked)
	if len(all) < 700 || len(pages) < 200 || len(looked) != 6 {
		t.Errorf("%d outcomes, %d on pages, at %v are not all", len(all), len(pages), looked)
	}
}
