package dmt

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// How many keys a transfer may take, from the tile of the first page to its result: for a
// known sender to a known beneficiary, of an amount that has a quick key, with an OTP of six
// digits; and the same for a sender and a beneficiary who are new, with the names below.
const (
	maxKeysKnown = 23
	maxKeysNew   = 115
)

// keyCounter counts the keys that an agent presses.
type keyCounter struct {
	*tab
	keys int
}

// openCounted opens the section as its tile does, by one key.
func openCounted(t *testing.T, chromium context.Context, c *counter) *keyCounter {
	t.Helper()
	return &keyCounter{openTab(t, chromium, c, &memoryCache{}, 1366, 768, "en"), 1}
}

func (k *keyCounter) press(text string) {
	k.T.Helper()
	k.Press(text)
	k.keys += len([]rune(text))
}

// ends checks the number of keys.
func (k *keyCounter) ends(most int) {
	k.T.Helper()
	k.T.Logf("%d keys", k.keys)
	if k.keys > most {
		k.T.Errorf("to the result of the transfer %d keys were pressed, at most %d are allowed", k.keys, most)
	}
	k.c.once(k.T, op.Transfer)
}

// sends goes on from the list of beneficiaries.
func (k *keyCounter) sends() {
	k.T.Helper()
	k.waitForStep(Sender)
	k.press("1")
	k.waitForStep(Amount)
	k.WaitForFocus("#amount")
	k.press("a")
	k.WaitForFocus("#do-go")
	k.press(kb.Enter)
	k.waitForStep(Confirm)
	k.WaitForFocus("#do-go")
	k.press(kb.Enter)
	k.waitForStep(OTP)
	k.WaitForFocus("#otp")
	k.press("482913" + kb.Enter)
	k.waitForStep(Sent)
}

func keysOfKnownSender(t *testing.T, chromium context.Context) {
	t.Parallel()
	k := openCounted(t, chromium, newCounter())
	k.press("9876543210" + kb.Enter)
	k.sends()
	k.ends(maxKeysKnown)
}

func keysOfNewSender(t *testing.T, chromium context.Context) {
	t.Parallel()
	c := newCounter()
	c.fingers = true
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	c.replies[op.RemitterDetails] = noPayees
	k := openCounted(t, chromium, c)
	k.press("9876543210" + kb.Enter)
	k.waitForStep(Name)
	k.WaitForFocus("#name")
	k.press("Ramesh" + kb.Enter + "Pune" + kb.Enter + "Maharashtra" + kb.Enter)
	k.waitForStep(Code)
	k.WaitForFocus("#otp")
	k.press("4829" + kb.Enter)
	k.waitForStep(Aadhaar)
	k.WaitForFocus("#aadhaar")
	k.press(uitest.CustomerAadhaar)
	k.WaitForFocus("#consent")
	k.press(" " + kb.Enter)
	k.WaitFor(`document.querySelector(".dmt-now")?.dataset.state === "capturing"`)
	c.end(op.CustomerUpdateBio, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	k.waitForStep(Sender)
	k.press("a")
	k.waitForStep(Payee)
	k.WaitForFocus("#receiver_account_no")
	c.reply(op.RemitterDetails, details)
	k.press("600100200311" + kb.Enter + "600100200311" + kb.Enter + "SBIN0001234" + kb.Enter + "Mohan Lal" + kb.Enter)
	k.sends()
	k.ends(maxKeysNew)
}
