package aeps

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
)

// refusedForm: an amount over the limit is said as it is typed; a form that the counter
// refuses keeps the Aadhaar number, masked, until the page is left.
func refusedForm(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	srv := serve(t, f)
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitFor(`document.querySelector(".tiles") && document.readyState === "complete"`)
	fill := func() {
		b.Press("1")
		b.WaitForFocus("#aadhaar")
		b.Press(uitest.CustomerAadhaar)
		b.WaitForFocus("#customer")
		b.Press("Ramesh 999941057058" + kb.Enter) // a number that was typed into the wrong field
		b.WaitForFocus("#iin")
		b.Press("sbi" + kb.Enter)
		b.WaitForFocus("#amount")
	}
	fill()
	b.WaitFor(`document.querySelector("#amount-limit").innerText.includes("10,000")`)
	b.Press("1", "0", "0", "0")
	b.WaitFor(`!document.querySelector("#amount").closest(".field").matches(".bad")`)
	b.Press("1")
	b.WaitFor(`document.querySelector("#amount").closest(".field").matches(".bad") && document.querySelector("#amount-note").innerText.includes("10,000")`)
	b.Check("over-the-limit")
	b.Press(kb.Enter) // sends nothing
	b.WaitFor(`document.querySelector("#consent").closest(".field").matches(".bad")`)
	b.WaitForFocus("#amount")
	if f.begun() != 0 {
		t.Error("an amount over the limit was sent")
	}
	uitest.Eval[any](b, `document.activeElement.select()`)
	b.Press("500" + kb.Enter)
	b.WaitForFocus("#consent")
	b.Press(" " + kb.Enter)
	b.WaitFor(`document.querySelector(".alert") && document.querySelector("#customer").closest(".field").matches(".bad")`)
	b.WaitForFocus("#customer")
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058" && !document.querySelector("#aadhaar").closest(".field").matches(".bad")`)
	uitest.Eval[any](b, `document.activeElement.select()`)
	b.Press("Ramesh")
	b.WaitFor(uitest.NoAadhaar)
	b.Check("refused")
	b.Press(kb.Enter)
	waitForCase(b, "capturing", outcome.ToneWait)
	f.mu.Lock()
	d := f.drafts[len(f.drafts)-1]
	f.mu.Unlock()
	if d.Aadhaar.Reveal() != uitest.CustomerAadhaar || d.Amount != 500*money.Rupee || d.Customer != "Ramesh" {
		t.Errorf("the corrected form gave %+v", d)
	}

	// Who leaves the page leaves the number.
	b.Navigate("/")
	b.WaitFor(`document.querySelector(".tiles") && document.readyState === "complete"`)
	fill()
	b.Press("500" + kb.Enter + " " + kb.Enter)
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058" && document.querySelector(".alert")`)
	b.Press(kb.Escape)
	b.WaitFor(`document.querySelector(".tiles")`)
	b.Press("2")
	b.WaitForFocus("#aadhaar")
	b.WaitFor(`document.querySelector("#aadhaar").value === "" && ` + uitest.NoAadhaar)
}

// keptAMinute: the number that a refused form keeps is gone after a minute, unless it is
// touched, and the field asks for it again.
func keptAMinute(t *testing.T, chromium context.Context) {
	t.Parallel()
	srv := serve(t, newFake())
	b := uitest.Open(t, chromium, srv.URL, 1366, 768)
	b.HoldClock()
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitFor(`document.querySelector(".tiles") && document.readyState === "complete"`)
	b.Press("2")
	b.WaitForFocus("#aadhaar")
	b.Press(uitest.CustomerAadhaar)
	b.WaitForFocus("#customer")
	b.Press("Ramesh 999941057058" + kb.Enter) // the counter refuses a number as a name
	b.WaitForFocus("#iin")
	b.Press("sbi" + kb.Enter)
	b.WaitForFocus("#consent")
	b.Press(" " + kb.Enter)
	const masked = `document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`
	b.WaitFor(`document.querySelector(".alert") && ` + masked)
	b.AdvanceClock(time.Minute - time.Millisecond)
	b.WaitFor(masked + ` && ` + uitest.NoAadhaar)
	b.AdvanceClock(time.Millisecond)
	b.WaitFor(`document.querySelector("#aadhaar").value === "" && document.querySelector("#aadhaar-note").innerText.includes("XXXXXXXX7058 again")`)
	b.Check("gone")
	uitest.Eval[any](b, `document.querySelector("#aadhaar").focus()`)
	b.WaitFor(`document.querySelector("#aadhaar").value === "" && ` + uitest.NoAadhaar)
}
