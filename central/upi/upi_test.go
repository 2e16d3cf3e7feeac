package upi

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/shared/money"
)

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "ab": "ab", "abc": "abc", "abcd": "abc", "अआइई": "अआइ"} {
		if got := cut(text, 3); got != want {
			t.Errorf("%q is cut to %q", text, got)
		}
	}
}

func TestLinks(t *testing.T) {
	p := Payment{Address: "shop@galla", Payee: "A & B Stores", Category: "5411", Order: "o-1", Amount: money.Rupee}
	if got, want := Link(p), "upi://pay?ver=01&mode=15&pa=shop@galla&pn=A%20%26%20B%20Stores&mc=5411&tr=o-1&tn=Order%20o-1&am=1.00&cu=INR"; got != want {
		t.Errorf("dynamic %s\nwant    %s", got, want)
	}
	p.Amount, p.Category = 0, ""
	if got, want := Link(p), "upi://pay?ver=01&mode=01&pa=shop@galla&pn=A%20%26%20B%20Stores&mc=0000&tn=Order%20o-1&cu=INR"; got != want {
		t.Errorf("static %s\nwant   %s", got, want)
	}
}

// TestALinkSaysWhatItWasGiven: whatever the texts are, they come back from the
// link's query as they were, and each parameter stands once.
func TestALinkSaysWhatItWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Payment{
			Address: rapid.StringMatching(`[a-z0-9.]{1,20}@[a-z]{2,10}`).Draw(t, "address"), Payee: Payee(rapid.String().Draw(t, "payee")),
			Order: rapid.StringMatching(`[A-Za-z0-9._-]{1,35}`).Draw(t, "order"), Amount: money.Paise(rapid.Int64Range(1, 1_000_000_000_00).Draw(t, "amount")),
		}
		u, err := url.Parse(Link(p))
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		for name, want := range map[string]string{"pa": p.Address, "pn": p.Payee, "tr": p.Order, "am": p.Amount.String(), "cu": "INR"} {
			if len(q[name]) != 1 || q.Get(name) != strings.ToValidUTF8(want, "") && q.Get(name) != want {
				t.Fatalf("%s is %q, want %q", name, q[name], want)
			}
		}
	})
}
