package upi

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

const link = "upi://pay?ver=01&mode=15&pa=lakshmi@okbank&pn=Lakshmi%20Kirana%20Store&tr=abc&am=500.00&cu=INR&tn=Order%20abc"

func qrReply(link, amount string) string {
	return `{"statusCode":"00","data":{"type":"DYNAMIC","upiLink":"` + link + `","order_id":"abc","amount":` + amount + `,"vpa":"lakshmi@okbank","payeeName":"Lakshmi Kirana Store"}}`
}

// TestCode: a code of an amount is shown large, and one with a different link is not
// shown.
func TestCode(t *testing.T) {
	for name, c := range map[string]struct {
		link, amount string
		want, not    string
	}{
		"good":         {link, "500.00", "₹500", "Do not use"},
		"other amount": {strings.Replace(link, "500.00", "5.00", 1), "500.00", "Do not use this QR", `class="qr"`},
		"both amounts": {strings.Replace(link, "500.00", "5.00", 1), "5.00", "Do not use this QR", `class="qr"`},
		"other payee":  {strings.Replace(link, "lakshmi@", "mallory@", 1), "500.00", "Do not use this QR", `class="qr"`},
		"two payees":   {link + "&pa=mallory@okbank", "500.00", "Do not use this QR", `class="qr"`},
		"no link":      {"https://pay.example/?pa=a@b", "500.00", "Do not use this QR", `class="qr"`},
		"dollars":      {strings.Replace(link, "INR", "USD", 1), "500.00", "Do not use this QR", `class="qr"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := uitest.NewOperations()
			f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(c.link, c.amount) })
			v := open(t, f, uitest.NewCache())
			page := v.Get(v.Post("/upi", http.StatusSeeOther, "amount", "500", "form", "a"), http.StatusOK)
			uitest.Contains(t, page, c.want)
			uitest.NotContains(t, page, c.not)
		})
	}
}

// TestAmountOverTheLimit: the form says what is allowed, and an amount over it makes no code.
func TestAmountOverTheLimit(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	if page := v.Get("/upi", http.StatusOK); !strings.Contains(page, "₹1,00,000") {
		t.Error("the form does not say what is allowed")
	}
	page := v.Post("/upi", http.StatusUnprocessableEntity, "amount", "100000.01")
	if !strings.Contains(page, "₹1,00,000") || len(f.Requests()) != 0 {
		t.Errorf("%d codes for an amount over the limit", len(f.Requests()))
	}
}

// TestCodeAfterARestart: a shown code is still shown; one whose answer a restart removed
// is unknown, and a changed cache is refused.
func TestCodeAfterARestart(t *testing.T) {
	f, m := uitest.NewOperations(), uitest.NewCache()
	f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	v := open(t, f, m)
	path := v.Post("/upi", http.StatusSeeOther, "amount", "500", "form", "a")
	uitest.Contains(t, v.Get(path, http.StatusOK), `class="qr"`)
	f.Answer(func(edge.Request) (op.State, string) { return op.Accepted, "" })
	late := v.Post("/upi", http.StatusSeeOther, "amount", "70", "form", "b")
	f.Forget()
	v = open(t, f, m)
	uitest.Contains(t, v.Get(path, http.StatusOK), `class="qr"`, "₹500", "lakshmi@okbank", "this page shows PAID")
	v.Get(late, http.StatusNotFound)
	stored, at, _, err := m.GetCache(codesCacheKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.PutCache(codesCacheKey, []byte(strings.Replace(string(stored), "lakshmi@okbank&", "mallory@okbank&", 1)), at); err != nil {
		t.Fatal(err)
	}
	v = open(t, f, m)
	v.Get(path, http.StatusNotFound)
}

// TestSavedCodes: the newest codes are stored, within the limit.
func TestSavedCodes(t *testing.T) {
	f, m := uitest.NewOperations(), uitest.NewCache()
	f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(link, "500.00") })
	v := open(t, f, m)
	var first, last string
	for i := range maxSavedCodes + 1 {
		last = v.Post("/upi", http.StatusSeeOther, "amount", "500", "form", string(rune('a'+i)))
		v.Get(last, http.StatusOK)
		if first == "" {
			first = last
		}
	}
	f.Forget()
	v = open(t, f, m)
	v.Get(first, http.StatusNotFound)
	v.Get(last, http.StatusOK)
}

// TestPoster: the printed code is fetched once and printed offline.
func TestPoster(t *testing.T) {
	f, m := uitest.NewOperations(), uitest.NewCache()
	static := strings.Replace(link, "&am=500.00", "", 1)
	f.Answer(func(edge.Request) (op.State, string) { return op.Succeeded, qrReply(static, "0") })
	v := open(t, f, m)
	uitest.Contains(t, v.Get("/upi/poster", http.StatusOK), "The QR is not here yet")
	v.Post("/upi/poster", http.StatusSeeOther, "form", "a")
	f.Refuse(&edge.PreconditionError{Code: edge.PreconditionLink})
	v = open(t, f, m)
	uitest.Contains(t, v.Get("/upi/poster?paper=a5", http.StatusOK), "lakshmi@okbank", `class="qr"`, "upi-poster a5", "Payments with it appear here")
	uitest.Contains(t, v.Post("/upi/poster", http.StatusConflict, "form", "b"), "The counter is offline.", `class="qr"`)
}

// TestAmounts: a typed and a chosen amount that differ are refused.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		typed, quick, wrong string
		want                money.Paise
	}{
		{"500", "", "", 500 * money.Rupee}, {"", "200", "", 200 * money.Rupee}, {"1,250.50", "", "", 125050},
		{"500", "200", "upi.both", 0}, {"", "", "upi.missing", 0}, {"0", "", "upi.number", 0}, {"-5", "", "upi.number", 0}, {"1.234", "", "upi.number", 0},
	} {
		if got, wrong := readAmount(c.typed, c.quick); got != c.want || wrong != c.wrong {
			t.Errorf("%q %q: %d %q", c.typed, c.quick, got, wrong)
		}
	}
}

// FuzzLink: no link with two payees, no payee, or another scheme is accepted.
func FuzzLink(f *testing.F) {
	f.Add(link)
	f.Add("upi://pay?pa=a@b&PA=c@d")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readLink(text)
		if err != nil {
			return
		}
		if !strings.Contains(c.VPA, "@") || c.Amount < 0 || !strings.HasPrefix(strings.ToLower(text), "upi:") {
			t.Errorf("%q was read as %+v", text, c)
		}
	})
}

// FuzzCodes: the cache's value gives codes that may be shown, or an error.
func FuzzCodes(f *testing.F) {
	f.Add([]byte(`[{"id":"x","link":"upi://pay?pa=a@b&am=1.00","vpa":"a@b","amount":100}]`))
	f.Add([]byte(`[{"link":"upi://pay?pa=a@b&am=1.00","vpa":"c@d","amount":100}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, _ := readCodes(b)
		for _, c := range all {
			if read, err := readLink(c.Link); err != nil || read.VPA != c.VPA || read.Amount != c.Amount {
				t.Errorf("%q would be shown as %+v", c.Link, c.upiCode)
			}
		}
	})
}

// open serves the section over a counter and a cache, and logs in.
func open(t *testing.T, f *uitest.Operations, c *uitest.Cache) *uitest.Client {
	t.Helper()
	s, err := New(f, c, Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.Serve(t, f, s).NewClient(t)
	v.Login()
	v.Get("/upi", http.StatusOK)
	return v
}

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "upi", Files: files}, "upi.poster.a4", "upi.poster.a5")
}
