package ui_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/ui"
	"galla/edge/ui/uitest"
	"galla/shared/money"
)

// pieceSection is a section that shows every shared piece.
func pieceSection() *section {
	r := &section{name: "gallery", files: files("templates/all.html", `{{define "main"}}{{$d := .Data}}
<div class="head">{{template "back" .}}<h1>{{.Title}}</h1></div>{{template "alert" .}}
{{template "steps" $d.Steps}}{{template "ready" $d.Ready}}
<form method="post" action="/gallery" class="columns" novalidate data-check data-busy>{{template "once" .}}
<div class="card">{{range $d.Fields}}{{template "field" .}}{{end}}</div>
<div class="card">{{template "choice" $d.Choice}}{{template "meter" $d.Full}}{{template "meter" $d.Half}}
<button class="main wide" id="send">{{t "app.home"}}</button></div></form>
<div class="flow">{{template "table" $d.Table}}{{template "table" $d.None}}
{{template "banner" $d.Banner}}<section class="card">{{template "facts" $d.Facts}}</section>
<ul class="rows"><li>{{template "row" $d.Row}}</li></ul></div>{{end}}`)}
	r.add = func(kit *ui.Kit) (map[string]ui.Handler, map[string]http.HandlerFunc) {
		return map[string]ui.Handler{"GET /gallery": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
			kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "gallery/all", Title: "Everything", Back: "/", Alert: "Something is wrong.", Data: pieces(ses)})
		}}, nil
	}
	return r
}

func pieces(ses *ui.Session) any {
	w := ses.Words()
	type row struct{ Href, Tone, Icon, What, Who, Note, Sum, Time, Word, Advice string }
	wide := ui.Table{Caption: "Entries", Heads: []ui.Head{{Text: "When"}, {Text: "What"}, {Text: "How much", Num: true}}, Empty: "There are none."}
	none := wide
	none.Caption = "Entries of another day"
	for range 3 {
		wide.Rows = append(wide.Rows, []ui.Cell{{Text: "21 Nov 2026, 10:14:00"}, {Text: strings.Repeat("A long narration ", 4), Href: "/x"}, {Text: "₹1,23,456.00", Num: true, Tone: "bad"}})
	}
	wide.Foot = []ui.Cell{{Text: "All"}, {}, {Text: "₹3,70,368.00", Num: true}}
	return map[string]any{
		"Steps": ui.Steps(1, "Mobile", "OTP", "Aadhaar", "Finger"),
		"Ready": ui.Readiness(w, uitest.NewCounter().Status()),
		"Fields": []ui.Field{
			{Name: "name", Label: "Name", Hint: "As on the card", Value: `<b>"x`, Missing: "Enter the name.", Focus: true},
			{Name: "mobile", Kind: ui.Mobile, Label: "Mobile", Hint: "Ten digits", Missing: "Enter the mobile number.", MinDigits: 10, Wrong: "A mobile number has ten digits."},
			{Name: "amount", Kind: ui.Amount, Label: "Amount", Hint: "In rupees", Missing: "Enter the amount.", Wrong: "Digits, please.", Spelling: w.NumberTextsJSON(),
				Keys: ui.Keys("500", 100*money.Rupee, 500*money.Rupee, 1_000*money.Rupee, 10_000*money.Rupee), KeysLabel: "Quick amounts"},
			{Name: "otp", Kind: ui.OTP, Label: "OTP", Hint: "From the message", Value: "123456", Missing: "Enter the OTP."},
			{Name: "pin", Kind: ui.PIN, Label: "PIN", Value: "1234", Error: "Wrong PIN."},
			{Name: "q", Kind: ui.Search, Label: "Search", Value: "7058"},
			{Name: "account", Kind: ui.Digits, Label: "Account", Value: "123"},
		},
		"Choice": ui.Choice{Name: "mode", Label: "How", Hint: "The bank decides", Options: []ui.Option{{Value: "imps", Text: "IMPS", Note: "at once", Chosen: true}, {Value: "neft", Text: "NEFT"}}},
		"Full":   ui.Meter{Label: "Month", Text: "₹25,000 of ₹25,000", Part: 30, Whole: 25}, "Half": ui.Meter{Label: "Day", Text: "₹10,000 of ₹20,000", Part: 1, Whole: 2},
		"Table": wide, "None": none,
		"Banner": ui.Banner{Tone: "give", Icon: "give", Group: "cash", Subject: "Cash withdrawal", Title: "GIVE CASH ₹500", Lead: "The bank has paid.", Reason: "Why."},
		"Facts":  []ui.Fact{{Label: "Bank", Value: "State Bank of India"}},
		"Row":    row{"/op/1", "stop", "stop", "Cash withdrawal", "Shivshankar", "XXXXXXXX7058", "₹500.00", "10:14", "Declined.", "cash-declined"},
	}
}

func TestPieces(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), pieceSection())
	v := h.NewClient(t)
	v.Login()
	page := v.Get("/gallery", http.StatusOK)
	uitest.Contains(t, page, "&lt;b&gt;&#34;x", "There are none.", `aria-current="step"`, `role="alert"`, "Something is wrong.", `value="500" checked`)
	uitest.NotContains(t, page, `value="123456"`, `value="1234"`, " style=") // secrets are never sent back
	for _, c := range []struct {
		m     ui.Meter
		width int64
		tone  string
	}{
		{ui.Meter{Part: 0, Whole: 0}, 0, "ok"}, {ui.Meter{Part: -5, Whole: 10}, 0, "ok"}, {ui.Meter{Part: 79, Whole: 100}, 790, "ok"},
		{ui.Meter{Part: 80, Whole: 100}, 800, "warn"}, {ui.Meter{Part: 101, Whole: 100}, 1000, "bad"},
	} {
		if c.m.Width() != c.width || c.m.Tone() != c.tone {
			t.Errorf("%+v is %d wide and %s, want %d and %s", c.m, c.m.Width(), c.m.Tone(), c.width, c.tone)
		}
	}
}

// TestChromiumPieces checks every piece at both sizes, and twice as large, and submits the
// form with its errors.
func TestChromiumPieces(t *testing.T) {
	chromium := uitest.Chromium(t)
	h := uitest.Serve(t, uitest.NewCounter(), pieceSection())
	b := uitest.Open(t, chromium, h.Base, 1366, 768)
	b.Navigate("/enter?to=/gallery")
	for _, size := range [][2]int64{{1366, 768}, {683, 384}, {360, 740}} { // 683 is 1366 at 200 % zoom
		b.Resize(size[0], size[1])
		b.Navigate("/gallery")
		b.WaitForHeading("Everything")
		b.WaitForFocus("#name")
		b.Check("pieces")
		small := uitest.Eval[[]string](b, `[...document.querySelectorAll("main button, main .button, main input:not([type=hidden]), main select, main .quick span, main .options span, .back")].filter(e => e.getBoundingClientRect().height < 42 && e.type !== "radio").map(e => e.outerHTML.slice(0, 80) + e.getBoundingClientRect().height)`)
		if len(small) > 0 {
			t.Errorf("%s: too small to hit: %q", b.Size, small)
		}
		uitest.Eval[any](b, `document.querySelectorAll("main form").forEach(f => f.setAttribute("aria-busy", "true"))`)
		b.Check("pieces while they are sent")
		uitest.Eval[any](b, `document.querySelectorAll("main form").forEach(f => f.removeAttribute("aria-busy"))`)
		b.TabTo("#mobile")
		b.Press("9", "8", "7", kb.Enter)
		b.WaitFor(`document.querySelector("#mobile-note").innerText === "A mobile number has ten digits."`)
		b.WaitFor(`document.querySelector("#otp-note").innerText === "Enter the OTP."`)
		b.Check("pieces with errors")
		b.WaitFor(`document.querySelector("#amount").value === "500" && document.querySelector("#amount-note").innerText.includes("five hundred rupees")`)
	}
	b.WaitFor(`document.getAnimations().length > 0`) // the running step
	b.ReduceMotion()
	b.WaitFor(`document.getAnimations().length === 0`)
	// A notification makes the open page refresh.
	b.Navigate("/gallery")
	b.WaitForHeading("Everything")
	uitest.Eval[any](b, `window.looks = 0; const old = window.fetch; window.fetch = (...a) => { window.looks++; return old(...a); }`)
	h.Kit.Notify()
	b.WaitFor(`window.looks > 0`)
}

// TestLongFacts: a value whose words fit half of a phone's width shares its row.
func TestLongFacts(t *testing.T) {
	for value, long := range map[string]bool{
		"": false, "XXXXXXXX7058": false, "22 Nov 2026, 02:54:35": false, "Shivshankar Choudhury": false, "State Bank of India": false,
		"GL2611225E7ZM5T947": true, "Order 01a20002c12f7d22a011ed6dec174": true,
		"नाही: जुळते": false, "இல்லை: பொருந்துகிறது": true,
	} {
		if got := (ui.Fact{Value: value}).Long(); got != long {
			t.Errorf("%q is long: %t, want %t", value, got, long)
		}
	}
}

// TestChromiumSlowLoading: on a slow computer a page's bytes arrive in parts; nothing
// visible moves when the rest arrives.
func TestChromiumSlowLoading(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), pieceSection())
	srv := uitest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		h.Kit.Handler().ServeHTTP(whole, r)
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		w.Header().Del("Content-Length")
		w.WriteHeader(whole.Code)
		body := whole.Body.String()
		for _, before := range []string{`<form class="tongue"`, `</main>`} {
			part, rest, found := strings.Cut(body, before)
			if !found {
				continue
			}
			_, _ = io.WriteString(w, part) // the browser may have gone
			_ = http.NewResponseController(w).Flush()
			time.Sleep(800 * time.Millisecond)
			body = before + rest
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	b := uitest.Open(t, uitest.Chromium(t), srv.URL, 1366, 768)
	b.Navigate("/enter?to=/gallery")
	b.WaitForHeading("Everything")
	for _, fault := range b.Faults() {
		if strings.HasPrefix(fault, "it jumped") {
			t.Error(fault)
		}
	}
}
