//go:build linux

package e2e

import (
	"strings"
	"time"
)

// checkDMT takes a new sender from the mobile number to a refund.
func (g *gallery) checkDMT() {
	const mobile, account, ifsc = "9000000005", "600100200311", "HDFC0000123"
	g.check("dmt", "/dmt")
	g.check("dmt-errors", "/dmt", pressMain, sawNotes)
	_, page := g.mustGet(g.agent.get("/dmt"))
	at, _ := g.mustGet(g.submit(page, "/dmt", "mobile", mobile))
	page = g.waitForFlow(at)
	g.check("dmt-new-name", at)
	page = g.step(at, page, "go", "name", "Anisha Jay Kapoor", "city", "Pune", "state", "Maharashtra")
	g.check("dmt-new-otp", at)
	page = g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	g.check("dmt-new-identity", at)
	g.placeFinger(kapoor)
	page = g.step(at, page, "go", "aadhaar", kapoor, "consent", "yes")
	g.check("dmt-sender-empty", at)
	page = g.step(at, page, "add")
	g.check("dmt-payee", at)
	page = g.step(at, page, "go", "receiver_account_no", account, "again", account, "receiverIfscCode", ifsc, "receivername", "Meena Joshi")
	if strings.Contains(page, `data-step="confirm-holder"`) { // the bank has another name for the account
		g.check("dmt-holder", at)
		page = g.step(at, page, "holder")
	}
	g.check("dmt-sender", at)
	page = g.step(at, page, "pay")
	g.check("dmt-amount", at)
	page = g.step(at, page, "go", "amount", "250")
	g.check("dmt-confirm", at)
	page = g.step(at, page, "go")
	g.check("dmt-otp", at)
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	page = g.waitForTransfer(at)
	g.check("dmt-sent", at)

	// One that the bank gives back is refunded (sandbox.md, section 5.2).
	g.step(at, page, "sender")
	page = g.waitForFlow(at)
	page = g.step(at, page, "pay")
	page = g.step(at, page, "go", "amount", "250.93")
	page = g.step(at, page, "go")
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	page = g.waitForTransfer(at)
	if !strings.Contains(page, "do-refund") {
		g.t.Fatalf("the transfer did not come back: %s", opTitle.FindString(page))
	}
	g.check("dmt-returned", at)
	g.step(at, page, "refund")
	page = g.waitForFlow(at)
	g.check("dmt-refund", at)
	page = g.step(at, page, "go")
	g.check("dmt-refund-otp", at)
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	g.check("dmt-refunded", at)
	g.check("dmt-open", "/dmt")
}

// waitForTransfer waits for the end of a transfer, and gives its page.
func (g *gallery) waitForTransfer(at string) (page string) {
	waitUntil(g.t, "the transfer ended", time.Minute, func() bool {
		page = g.waitForFlow(at)
		return !strings.Contains(page, `data-state="pending"`)
	})
	return page
}
