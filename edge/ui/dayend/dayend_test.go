package dayend_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/printing/receipt"
	"galla/edge/ui/dayend"
	"galla/edge/ui/uitest"
	"galla/shared/ist"
	"galla/shared/op"
)

// counter is a counter over the queue of a shop.
type counter struct {
	*uitest.Counter
	shop *testShop
}

func (d counter) Operation(id op.ID) (edge.View, error) {
	r, err := d.shop.queue.Get(id)
	return edge.View{Record: r}, err
}

// serve serves the pages of a shop.
func serve(t *testing.T, s *testShop, print func(context.Context, receipt.Receipt) error) *uitest.Server {
	t.Helper()
	pages, err := dayend.New(s.book, counter{uitest.NewCounter(), s}, dayend.Config{Print: print, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return uitest.Serve(t, counter{uitest.NewCounter(), s}, pages)
}

func openPages(t *testing.T, s *testShop) *uitest.Client {
	t.Helper()
	v := serve(t, s, nil).NewClient(t)
	v.Login()
	return v
}

var seen = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)

// compare sends a count of ₹500 notes for comparison, and returns the page and the
// fingerprint of what it shows.
func compare(v *uitest.Client, day ist.Day, notes string) (page, print string) {
	v.T.Helper()
	page = v.Post("/day-end/count?day="+string(day), http.StatusOK, "do", "check", "n50000", notes)
	m := seen.FindStringSubmatch(page)
	if m == nil {
		v.T.Fatalf("no comparison:\n%s", page)
	}
	return page, m[1]
}

// TestDay walks a day: counted in the morning, compared, a difference explained, closed
// once, and then shown as stored.
func TestDay(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	uitest.Contains(t, v.Get("/day-end", http.StatusOK), "was not counted", "₹0.00", "reported no commission")
	if to := v.Post("/day-end/opening?day=2026-11-21", http.StatusSeeOther, "n50000", "4", "n200", "5"); to != "/day-end?day=2026-11-21" {
		t.Fatal(to)
	}
	s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Succeeded, november(21, 10, 1), `{"statusCode":"00","data":{"commission":1.5}}`)
	s.addOperation(op.Transfer, november(21, 11, 0), 1000_00, op.Succeeded, never, `{"statusCode":"00","data":{"transactionId":"T1","charge":10,"commission":4}}`)
	uitest.NotContains(t, v.Get("/day-end?day=2026-11-21", http.StatusOK), "UPI received")
	s.addOperation(op.PaymentReceived, november(21, 12, 0), 12_50, op.Succeeded, never, `{"statusCode":"00","data":{"id":"AXI1"}}`)
	page := v.Get("/day-end?day=2026-11-21", http.StatusOK)
	uitest.Contains(t, page, "UPI received: ₹12.50 in 1 payment. It is in the bank account, not in the drawer.", "was counted", "₹2,010.00", "₹500.00", "₹1,010.00"[:0]+"₹2,520.00", "₹5.50", "As reported by the bank", "2 operations, ₹1,500", `<svg id="hours"`)
	page, print := compare(v, today, "5")
	uitest.Contains(t, page, "Short by ₹20.00", "Reason for the difference")
	closing := func(status int, fields ...string) string {
		return v.Post("/day-end/count?day=2026-11-21", status, append([]string{"do", "close", "n50000", "5", "seen", print}, fields...)...)
	}
	uitest.Contains(t, closing(http.StatusUnprocessableEntity), "Enter the reason")
	uitest.Contains(t, closing(http.StatusConflict, "n50000", "6", "reason", "tea"), "Something changed") // not the compared count
	if _, ok, _ := s.book.Closed(today); ok {
		t.Fatal("the day was closed by a count that nobody compared")
	}
	if to := closing(http.StatusSeeOther, "reason", "tea for customers"); to != "/day-end?day=2026-11-21" {
		t.Fatal(to)
	}
	kept := v.Get("/day-end?day=2026-11-21", http.StatusOK)
	uitest.Contains(t, kept, "Closed", "Short by ₹20.00", "tea for customers", "Fatima", "data-print")
	uitest.NotContains(t, kept, "do-count", "do-opening", "On the receipt printer")
	// Nothing changes it: neither a second closing, nor another opening, nor later events.
	closing(http.StatusSeeOther, "reason", "another")
	uitest.Contains(t, v.Post("/day-end/opening?day=2026-11-21", http.StatusConflict, "n50000", "9"), "can&#39;t be changed")
	v.GetRedirect("/day-end/count?day=2026-11-21")
	s.addOperation(op.Withdrawal, november(21, 19, 0), 700_00, op.Succeeded, november(21, 19, 1), "")
	kept = v.Get("/day-end?day=2026-11-21", http.StatusOK)
	uitest.Contains(t, kept, "₹2,520.00", "tea for customers")
	uitest.Contains(t, v.Get("/day-end/month?day=2026-11-21", http.StatusOK), `href="/day-end?day=2026-11-21"`, "₹2,500.00", `<svg id="days"`)
	s.now = november(22, 9, 0)
	uitest.Contains(t, v.Get("/day-end", http.StatusOK), "from the last closing", "₹2,500.00")
	uitest.Contains(t, v.Post("/day-end/count?day=2026-11-22", http.StatusUnprocessableEntity, "n50000", "five"), "A whole number up to 9,999", `value="five"`)
}

// TestUnfinished: a day is closed over unfinished operations by name only, and not over a
// newer one.
func TestUnfinished(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	first := s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Pending, never, "")
	paid := s.addOperation(op.Withdrawal, november(21, 11, 0), 700_00, op.Succeeded, never, "")
	v.Get("/day-end", http.StatusOK)
	page, print := compare(v, today, "")
	uitest.Contains(t, page, "Unfinished", string(first), "Was cash given?", string(paid))
	fields := []string{"do", "close", "reason", "no opening", "seen", print}
	uitest.Contains(t, page, "cannot be closed yet")
	uitest.NotContains(t, page, `value="close"`)
	uitest.Contains(t, v.Post("/day-end/count?day=2026-11-21", http.StatusConflict, append(fields, "ack", "yes")...), "cannot be closed yet", string(paid))
	s.answer(paid, november(21, 11, 1))
	uitest.Contains(t, v.Post("/day-end/count?day=2026-11-21", http.StatusUnprocessableEntity, fields...), "Check the unfinished operations first")
	second := s.addOperation(op.Withdrawal, november(21, 12, 0), 900_00, op.Accepted, never, "")
	page = v.Post("/day-end/count?day=2026-11-21", http.StatusConflict, append(fields, "ack", "yes")...)
	uitest.Contains(t, page, "Something changed", string(second))
	_, print = compare(v, today, "")
	v.Post("/day-end/count?day=2026-11-21", http.StatusSeeOther, "do", "close", "reason", "no opening", "seen", print, "ack", "yes")
	uitest.Contains(t, v.Get("/day-end?day=2026-11-21", http.StatusOK), "No result when the day was closed", string(first), string(second))
}

// TestNothingSent: operations that were only created or queued are shown as such, and no
// day waits for them.
func TestNothingSent(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	begun := s.addOperation(op.Withdrawal, november(21, 10, 0), 500_00, op.Reserved, never, "")
	page := v.Get("/day-end", http.StatusOK)
	uitest.Contains(t, page, "Started, nothing sent · 1", "no money moved", string(begun), "Waiting for the fingerprint. Nothing was sent.")
	uitest.NotContains(t, page, "Unfinished", "not known yet", "The connection broke")
	page, print := compare(v, today, "")
	uitest.Contains(t, page, "Started, nothing sent · 1")
	uitest.NotContains(t, page, "Unfinished", `name="ack"`)
	waiting := s.addOperation(op.Withdrawal, november(21, 11, 0), 700_00, op.Queued, never, "")
	page = v.Get("/day-end", http.StatusOK)
	uitest.Contains(t, page, "Waiting to be sent · 1", "Nothing was sent yet", string(waiting))
	uitest.NotContains(t, page, "Unfinished", "not known yet", "The connection broke")
	fields := []string{"do", "close", "reason", "no opening", "seen"}
	uitest.Contains(t, v.Post("/day-end/count?day=2026-11-21", http.StatusConflict, append(fields, print)...), "Something changed", `name="ack"`)
	_, print = compare(v, today, "")
	v.Post("/day-end/count?day=2026-11-21", http.StatusUnprocessableEntity, append(fields, print)...)
	v.Post("/day-end/count?day=2026-11-21", http.StatusSeeOther, append(fields, print, "ack", "yes")...)
	page = v.Get("/day-end", http.StatusOK)
	uitest.Contains(t, page, "No result when the day was closed · 1", string(waiting))
	uitest.NotContains(t, page, string(begun))
}

// TestUnclosedDays: unclosed days are named on their page and counted in the menu.
func TestUnclosedDays(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	v.Get("/day-end", http.StatusOK)
	if _, err := s.book.Close("2026-11-18", "Fatima", nil, "", nil); err != nil {
		t.Fatal(err)
	}
	s.addOperation(op.Withdrawal, november(19, 11, 0), 700_00, op.Succeeded, november(19, 11, 1), "")
	uitest.Contains(t, v.Get("/day-end", http.StatusOK), "were not closed", `href="/day-end?day=2026-11-19"`)
	for _, odd := range []string{"?day=2099-01-01", "?day=x", ""} {
		uitest.Contains(t, v.Get("/day-end"+odd, http.StatusOK), "21 Nov 2026")
	}
}

// TestPrint: the closing is printed on the receipt printer, and a failure is shown; an
// open day is never printed as closed.
func TestPrint(t *testing.T) {
	s := newShop(t)
	var got []receipt.Receipt
	var fails error
	v := serve(t, s, func(_ context.Context, slip receipt.Receipt) error {
		got = append(got, slip)
		return fails
	}).NewClient(t)
	v.Login()
	v.Get("/day-end", http.StatusOK)
	v.Post("/day-end/print?day=2026-11-21", http.StatusSeeOther)
	if _, err := s.book.Close(today, "Fatima", count(500, 100), "found", nil); err != nil {
		t.Fatal(err)
	}
	uitest.Contains(t, v.Get("/day-end", http.StatusOK), "On the receipt printer")
	v.Post("/day-end/print?day=2026-11-21", http.StatusSeeOther)
	if len(got) != 1 || got[0].Title != "Cash of 21 Nov 2026" || !slices.Equal(got[0].Shop, []string{"Lakshmi Kirana Store"}) {
		t.Fatalf("printed %+v", got)
	}
	var text strings.Builder
	for _, row := range got[0].Rows {
		text.WriteString(row.Label + ": " + row.Value + "\n")
	}
	for _, want := range []string{"₹500 × 1: ₹500.00", "Counted: ₹600.00", "Difference: Over by ₹600.00", "Closed by: Fatima", "Reason: found"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the slip lacks %q:\n%s", want, text.String())
		}
	}
	fails = errors.New("paper out")
	uitest.Contains(t, v.Post("/day-end/print?day=2026-11-21", http.StatusBadGateway), "did not accept it")
}

// onPaper switches the page to print styles; "" to the screen's.
func onPaper(media string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media})
		return chromedp.Void{}, err
	}
}

// TestChromium counts a drawer by keyboard in a real browser: the sum follows the typing,
// the server compares, and the closed day prints.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		s := newShop(t)
		if err := s.book.SetOpening(today, count(500, 500, 500, 200, 100), "Fatima"); err != nil {
			t.Fatal(err)
		}
		for h := range 9 {
			for n := range 1 + (h*5)%4 {
				s.addOperation(op.Withdrawal, november(21, 9+h, n), 100_00, op.Succeeded, november(21, 9+h, n+1), "")
			}
		}
		paid := s.addOperation(op.Withdrawal, november(21, 18, 30), 1500_00, op.Succeeded, never, "")
		s.addOperation(op.Transfer, november(21, 12, 0), 5000_00, op.Succeeded, never, `{"statusCode":"00","data":{"transactionId":"T1","charge":50}}`)
		s.addOperation(op.Withdrawal, november(20, 18, 0), 2500_00, op.Pending, never, "")
		s.addOperation(op.Withdrawal, november(20, 18, 10), 300_00, op.Reserved, never, "")
		s.addOperation(op.Withdrawal, november(20, 18, 20), 400_00, op.Queued, never, "")
		b := uitest.Open(t, chromium, serve(t, s, nil).Base, size.width, size.height)
		shot := b.Check
		if os.Getenv("GALLA_SHOTS") != "" {
			shot = b.Screenshot
		}
		b.Navigate("/enter?to=/day-end")
		b.WaitForHeading("Close the day")
		shot("day")
		b.Press("m")
		b.WaitForHeading("By day")
		shot("month")
		b.Press(kb.Escape)
		b.WaitForHeading("Close the day")
		b.Press("b")
		b.WaitForHeading("Opening cash")
		shot("opening")
		b.Press(kb.Escape)
		b.WaitForHeading("Close the day")
		b.Press("k")
		b.WaitForHeading("Count the drawer")
		b.WaitForFocus("#n50000")
		b.Press("5", kb.Enter, "3", kb.Enter, "1", "0")
		b.WaitFor(`document.querySelector("#dayend-total").innerText === "₹4,100"`)
		shot("count")
		b.TabTo(`button[value="check"]`)
		b.Press(kb.Enter)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("#dayend-review")?.innerText.includes("Over by ₹850.00")`)
		b.WaitFor(`document.querySelector("#dayend-unanswered") && !document.querySelector("button[value=close]")`)
		shot("asked")
		s.answer(paid, november(21, 18, 31))
		b.TabTo(`#dayend-review button[value="check"]`)
		b.Press(kb.Enter)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("button[value=close]")`)
		shot("review")
		b.WaitForFocus("#reason")
		b.Press("t", "e", "a")
		b.TabTo(`input[name="ack"]`)
		b.Press(" ")
		b.TabTo(`button[value="close"]`)
		b.Press(kb.Enter)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("#dayend")?.dataset.state === "closed"`)
		shot("closed")
		if pages := b.PrintedPages(210); pages != 1 {
			t.Errorf("the closing takes %d pages of A4", pages)
		}
		// On paper the chart keeps its bars, and buttons are gone.
		b.Do(onPaper("print"))
		b.WaitFor(`getComputedStyle(document.querySelector(".dayend-bar")).display !== "none" && !document.querySelector(".dayend-days").checkVisibility() && document.querySelector(".dayend-papers").checkVisibility()`)
		b.Do(onPaper(""))
		for _, code := range []string{"hi", "mr", "bn", "te", "ta"} {
			if size.width > 1000 { // narrow layouts are checked on narrow windows
				continue
			}
			uitest.Eval[bool](b, `(document.querySelector("#language").value = "`+code+`", document.querySelector(".language").requestSubmit(), true)`)
			b.WaitFor(`document.readyState === "complete" && document.documentElement.lang === "` + code + `" && document.querySelector("#dayend")`)
			shot(code + "-closed")
			b.Navigate("/day-end/count?day=2026-11-20")
			b.WaitForFocus("#n50000")
			uitest.Eval[bool](b, `(document.querySelector("button[value=check]").click(), true)`)
			b.WaitFor(`document.readyState === "complete" && document.querySelector("#dayend-review")`)
			shot(code + "-review")
			b.Navigate("/day-end?day=2026-11-21")
		}
	}
}
