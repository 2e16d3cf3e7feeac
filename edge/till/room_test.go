package till_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/till"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

// desk is a counter over the queue of a shop.
type desk struct {
	*webtest.Counter
	shop *shop
}

func (d desk) Operation(id op.ID) (edge.View, error) {
	r, err := d.shop.queue.Get(id)
	return edge.View{Record: r}, err
}

// house serves the pages of a shop.
func house(t *testing.T, s *shop, print func(context.Context, till.Slip) error) *webtest.House {
	t.Helper()
	room, err := till.NewRoom(s.till, desk{webtest.NewCounter(), s}, till.RoomConfig{Print: print, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return webtest.Serve(t, desk{webtest.NewCounter(), s}, room)
}

func entered(t *testing.T, s *shop) *webtest.Visitor {
	t.Helper()
	v := house(t, s, nil).Visitor(t)
	v.Enter()
	return v
}

var seen = regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`)

// count sends the count of ₹500 notes for comparison, and gives the page and the
// fingerprint of what it showed.
func compare(v *webtest.Visitor, day till.Day, notes string) (page, print string) {
	v.T.Helper()
	page = v.Post("/till/count?day="+string(day), http.StatusOK, "do", "check", "n50000", notes)
	m := seen.FindStringSubmatch(page)
	if m == nil {
		v.T.Fatalf("no comparison:\n%s", page)
	}
	return page, m[1]
}

// TestDay walks a day: counted in the morning, compared, a difference explained,
// closed once and for all, and shown from then on as it was kept.
func TestDay(t *testing.T) {
	s := newShop(t)
	v := entered(t, s)
	webtest.Has(t, v.Get("/till", http.StatusOK), "was not counted", "₹0.00", "told no commission")
	if to := v.Post("/till/opening?day=2026-11-21", http.StatusSeeOther, "n50000", "4", "n200", "5"); to != "/till?day=2026-11-21" {
		t.Fatal(to)
	}
	s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Succeeded, ist(21, 10, 1), `{"statusCode":"00","data":{"commission":1.5}}`)
	s.did(op.Transfer, ist(21, 11, 0), 1000_00, op.Succeeded, never, `{"statusCode":"00","data":{"transactionId":"T1","charge":10,"commission":4}}`)
	page := v.Get("/till?day=2026-11-21", http.StatusOK)
	webtest.Has(t, page, "was counted", "₹2,010.00", "₹500.00", "₹1,010.00"[:0]+"₹2,520.00", "₹5.50", "As told by the bank", "2 operations, ₹1,500", `<svg id="hours"`)
	page, print := compare(v, today, "5")
	webtest.Has(t, page, "₹20.00 is missing", "Why does it differ?")
	closing := func(status int, fields ...string) string {
		return v.Post("/till/count?day=2026-11-21", status, append([]string{"do", "close", "n50000", "5", "seen", print}, fields...)...)
	}
	webtest.Has(t, closing(http.StatusUnprocessableEntity), "Say why")
	webtest.Has(t, closing(http.StatusConflict, "n50000", "6", "reason", "tea"), "Something changed") // another count than was compared
	if _, ok, _ := s.till.Closed(today); ok {
		t.Fatal("the day was closed by a count that nobody compared")
	}
	if to := closing(http.StatusSeeOther, "reason", "tea for customers"); to != "/till?day=2026-11-21" {
		t.Fatal(to)
	}
	kept := v.Get("/till?day=2026-11-21", http.StatusOK)
	webtest.Has(t, kept, "Closed", "₹20.00 is missing", "tea for customers", "Fatima", "data-print")
	webtest.HasNot(t, kept, "do-count", "do-opening", "On the receipt printer")
	// Nothing alters it: neither a second closing, nor another opening, nor what
	// happens later.
	closing(http.StatusSeeOther, "reason", "another")
	webtest.Has(t, v.Post("/till/opening?day=2026-11-21", http.StatusConflict, "n50000", "9"), "can&#39;t be changed")
	v.Leads("/till/count?day=2026-11-21")
	s.did(op.Withdrawal, ist(21, 19, 0), 700_00, op.Succeeded, ist(21, 19, 1), "")
	kept = v.Get("/till?day=2026-11-21", http.StatusOK)
	webtest.Has(t, kept, "₹2,520.00", "tea for customers")
	webtest.Has(t, v.Get("/till/month?day=2026-11-21", http.StatusOK), `href="/till?day=2026-11-21"`, "₹2,500.00", `<svg id="days"`)
	s.now = ist(22, 9, 0)
	webtest.Has(t, v.Get("/till", http.StatusOK), "taken from the last closing", "₹2,500.00")
	webtest.Has(t, v.Post("/till/count?day=2026-11-22", http.StatusUnprocessableEntity, "n50000", "five"), "A whole number up to 9,999", `value="five"`)
}

// TestUnsettled: a day is closed over open operations by name only, and not over
// one that came since.
func TestUnsettled(t *testing.T) {
	s := newShop(t)
	v := entered(t, s)
	first := s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Pending, never, "")
	paid := s.did(op.Withdrawal, ist(21, 11, 0), 700_00, op.Succeeded, never, "")
	v.Get("/till", http.StatusOK)
	page, print := compare(v, today, "")
	webtest.Has(t, page, "Not settled", string(first), "Was cash given?", string(paid))
	fields := []string{"do", "close", "reason", "no opening", "seen", print}
	webtest.Has(t, page, "can&#39;t be closed yet")
	webtest.HasNot(t, page, `value="close"`)
	webtest.Has(t, v.Post("/till/count?day=2026-11-21", http.StatusConflict, append(fields, "ack", "yes")...), "can&#39;t be closed yet", string(paid))
	s.answer(paid, ist(21, 11, 1))
	webtest.Has(t, v.Post("/till/count?day=2026-11-21", http.StatusUnprocessableEntity, fields...), "Look at the open operations first")
	second := s.did(op.Withdrawal, ist(21, 12, 0), 900_00, op.Accepted, never, "")
	page = v.Post("/till/count?day=2026-11-21", http.StatusConflict, append(fields, "ack", "yes")...)
	webtest.Has(t, page, "Something changed", string(second))
	_, print = compare(v, today, "")
	v.Post("/till/count?day=2026-11-21", http.StatusSeeOther, "do", "close", "reason", "no opening", "seen", print, "ack", "yes")
	webtest.Has(t, v.Get("/till?day=2026-11-21", http.StatusOK), "Without an outcome when the day was closed", string(first), string(second))
}

// TestNothingSent: what was only begun, and what waits for the line, is told as
// what it is, and no day waits for an answer to what nobody asked.
func TestNothingSent(t *testing.T) {
	s := newShop(t)
	v := entered(t, s)
	begun := s.did(op.Withdrawal, ist(21, 10, 0), 500_00, op.Reserved, never, "")
	page := v.Get("/till", http.StatusOK)
	webtest.Has(t, page, "Begun, nothing sent · 1", "no money moved", string(begun), "Waits for the finger. Nothing was sent.")
	webtest.HasNot(t, page, "Not settled", "not known yet", "The line broke")
	page, print := compare(v, today, "")
	webtest.Has(t, page, "Begun, nothing sent · 1")
	webtest.HasNot(t, page, "Not settled", `name="ack"`)
	waiting := s.did(op.Withdrawal, ist(21, 11, 0), 700_00, op.Queued, never, "")
	page = v.Get("/till", http.StatusOK)
	webtest.Has(t, page, "Waiting to be sent · 1", "Nothing was sent yet", string(waiting))
	webtest.HasNot(t, page, "Not settled", "not known yet", "The line broke")
	fields := []string{"do", "close", "reason", "no opening", "seen"}
	webtest.Has(t, v.Post("/till/count?day=2026-11-21", http.StatusConflict, append(fields, print)...), "Something changed", `name="ack"`)
	_, print = compare(v, today, "")
	v.Post("/till/count?day=2026-11-21", http.StatusUnprocessableEntity, append(fields, print)...)
	v.Post("/till/count?day=2026-11-21", http.StatusSeeOther, append(fields, print, "ack", "yes")...)
	page = v.Get("/till", http.StatusOK)
	webtest.Has(t, page, "Without an outcome when the day was closed · 1", string(waiting))
	webtest.HasNot(t, page, string(begun))
}

// TestLeftOpen: days that nobody closed are named, on their page and at the
// entrance.
func TestLeftOpen(t *testing.T) {
	s := newShop(t)
	v := entered(t, s)
	v.Get("/till", http.StatusOK)
	if _, err := s.till.Close("2026-11-18", "Fatima", nil, "", nil); err != nil {
		t.Fatal(err)
	}
	s.did(op.Withdrawal, ist(19, 11, 0), 700_00, op.Succeeded, ist(19, 11, 1), "")
	webtest.Has(t, v.Get("/till", http.StatusOK), "were not closed", `href="/till?day=2026-11-19"`)
	for _, odd := range []string{"?day=2099-01-01", "?day=x", ""} {
		webtest.Has(t, v.Get("/till"+odd, http.StatusOK), "21 Nov 2026")
	}
}

// TestPrint: the closing goes to the receipt printer, and a printer that fails
// is told; an open day is never printed as closed.
func TestPrint(t *testing.T) {
	s := newShop(t)
	var got []till.Slip
	var fails error
	v := house(t, s, func(_ context.Context, slip till.Slip) error {
		got = append(got, slip)
		return fails
	}).Visitor(t)
	v.Enter()
	v.Get("/till", http.StatusOK)
	v.Post("/till/print?day=2026-11-21", http.StatusSeeOther)
	if _, err := s.till.Close(today, "Fatima", count(500, 100), "found", nil); err != nil {
		t.Fatal(err)
	}
	webtest.Has(t, v.Get("/till", http.StatusOK), "On the receipt printer")
	v.Post("/till/print?day=2026-11-21", http.StatusSeeOther)
	if len(got) != 1 || got[0].Title != "Cash of 21 Nov 2026" || got[0].Shop != "Lakshmi Kirana Store" {
		t.Fatalf("printed %+v", got)
	}
	var text strings.Builder
	for _, row := range got[0].Rows {
		text.WriteString(row.Label + ": " + row.Value + "\n")
	}
	for _, want := range []string{"₹500 × 1: ₹500.00", "Counted: ₹600.00", "Difference: ₹600.00 too much", "Closed by: Fatima", "Reason: found"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the slip lacks %q:\n%s", want, text.String())
		}
	}
	fails = errors.New("paper out")
	webtest.Has(t, v.Post("/till/print?day=2026-11-21", http.StatusBadGateway), "did not take it")
}

// TestTexts: every language has every text of this room.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(till.Catalogue()) {
		t.Error(fault)
	}
}

// onPaper lets the page look as on paper; "" as on the screen.
func onPaper(media string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media})
		return chromedp.Void{}, err
	}
}

// TestBrowser counts a drawer by keyboard in a real browser: the sum follows
// what is typed, the server compares, and the closed day prints.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range []struct{ width, height int64 }{{1366, 768}, {360, 740}} {
		s := newShop(t)
		if err := s.till.SetOpening(today, count(500, 500, 500, 200, 100), "Fatima"); err != nil {
			t.Fatal(err)
		}
		for h := range 9 {
			for n := range 1 + (h*5)%4 {
				s.did(op.Withdrawal, ist(21, 9+h, n), 100_00, op.Succeeded, ist(21, 9+h, n+1), "")
			}
		}
		paid := s.did(op.Withdrawal, ist(21, 18, 30), 1500_00, op.Succeeded, never, "")
		s.did(op.Transfer, ist(21, 12, 0), 5000_00, op.Succeeded, never, `{"statusCode":"00","data":{"transactionId":"T1","charge":50}}`)
		s.did(op.Withdrawal, ist(20, 18, 0), 2500_00, op.Pending, never, "")
		s.did(op.Withdrawal, ist(20, 18, 10), 300_00, op.Reserved, never, "")
		s.did(op.Withdrawal, ist(20, 18, 20), 400_00, op.Queued, never, "")
		b := webtest.Open(t, chromium, house(t, s, nil).Base, size.width, size.height)
		shot := b.Look
		if os.Getenv("GALLA_SHOTS") != "" {
			shot = b.Shot
		}
		b.Go("/enter?to=/till")
		b.Reads("Day's end")
		shot("day")
		b.Press("m")
		b.Reads("The month by the day")
		shot("month")
		b.Press(kb.Escape)
		b.Reads("Day's end")
		b.Press("b")
		b.Reads("Cash in the morning")
		shot("opening")
		b.Press(kb.Escape)
		b.Reads("Day's end")
		b.Press("k")
		b.Reads("Count the drawer")
		b.Focused("#n50000")
		b.Press("5", kb.Enter, "3", kb.Enter, "1", "0")
		b.Sees(`document.querySelector("#till-total").innerText === "₹4,100"`)
		shot("count")
		b.Tab(`button[value="check"]`)
		b.Press(kb.Enter)
		b.Sees(`document.readyState === "complete" && document.querySelector("#till-review")?.innerText.includes("₹850.00 too much")`)
		b.Sees(`document.querySelector("#till-unsure") && !document.querySelector("button[value=close]")`)
		shot("asked")
		s.answer(paid, ist(21, 18, 31))
		b.Tab(`#till-review button[value="check"]`)
		b.Press(kb.Enter)
		b.Sees(`document.readyState === "complete" && document.querySelector("button[value=close]")`)
		shot("review")
		b.Focused("#reason")
		b.Press("t", "e", "a")
		b.Tab(`input[name="ack"]`)
		b.Press(" ")
		b.Tab(`button[value="close"]`)
		b.Press(kb.Enter)
		b.Sees(`document.readyState === "complete" && document.querySelector("#till")?.dataset.state === "closed"`)
		shot("closed")
		if pages := b.Prints(210); pages != 1 {
			t.Errorf("the closing takes %d pages of A4", pages)
		}
		// On paper the chart keeps its bars, and what is pressed is gone.
		b.Do(onPaper("print"))
		b.Sees(`getComputedStyle(document.querySelector(".till-bar")).display !== "none" && !document.querySelector(".till-days").checkVisibility() && document.querySelector(".till-papers").checkVisibility()`)
		b.Do(onPaper(""))
		for _, code := range []string{"hi", "mr", "bn", "te", "ta"} {
			if size.width > 1000 { // what is narrow is judged where it is narrow
				continue
			}
			webtest.Eval[bool](b, `(document.querySelector("#language").value = "`+code+`", document.querySelector(".tongue").requestSubmit(), true)`)
			b.Sees(`document.readyState === "complete" && document.documentElement.lang === "` + code + `" && document.querySelector("#till")`)
			shot(code + "-closed")
			b.Go("/till/count?day=2026-11-20")
			b.Focused("#n50000")
			webtest.Eval[bool](b, `(document.querySelector("button[value=check]").click(), true)`)
			b.Sees(`document.readyState === "complete" && document.querySelector("#till-review")`)
			shot(code + "-review")
			b.Go("/till?day=2026-11-21")
		}
	}
}
