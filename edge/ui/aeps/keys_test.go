package aeps

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
)

// maxKeys is how many keys a withdrawal may take from the first page to GIVE CASH: of a
// customer who is new here, with a name of six letters, at the bank of the customer before,
// for an amount that has a quick key.
const maxKeys = 24

// fewKeys serves such a customer, and counts each key.
func fewKeys(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	f.add(cashOp(paid)) // the customer before
	srv := serve(t, f)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitFor(`document.querySelector(".tiles") && document.readyState === "complete"`)

	keys := 0
	press := func(which ...string) {
		t.Helper()
		b.Press(which...)
		keys += len(which)
	}
	press("1")
	b.WaitForFocus("#aadhaar")
	for _, digit := range uitest.CustomerAadhaar {
		press(string(digit))
	}
	b.WaitForFocus("#customer")
	press("R", "a", "m", "e", "s", "h", kb.Enter)
	b.WaitForFocus("#iin")
	b.WaitFor(`document.querySelector("#banks [aria-selected=true]")?.innerText.startsWith("State Bank of India")`)
	press(kb.Enter)
	b.WaitForFocus("#amount")
	press("c")
	b.WaitForFocus("#consent")
	b.WaitFor(`document.querySelector("#amount").value === "500"`)
	b.Check("keys-filled")
	press(" ", kb.Enter)
	waitForCase(b, "capturing", outcome.ToneWait)
	id := f.latest(t)
	f.move(id, paid)
	waitForCase(b, "succeeded", outcome.ToneGive)
	if keys > maxKeys {
		t.Errorf("from the first page to GIVE CASH %d keys were pressed, at most %d are allowed", keys, maxKeys)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.drafts[len(f.drafts)-1]
	if d.Aadhaar.Reveal() != uitest.CustomerAadhaar || d.Amount != 500*money.Rupee || d.IIN != "607094" || d.Customer != "Ramesh" || d.Consent == "" || f.captures[id] != 1 {
		t.Errorf("the form gave %+v, and asked for %d fingers", d, f.captures[id])
	}
}
