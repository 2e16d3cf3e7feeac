package dmt

import (
	"strings"
	"testing"

	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// TestBankAndCode: a new beneficiary's code is checked for its form, an unknown one is only
// remarked on, and the bank is seen before the account is saved.
func TestBankAndCode(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page := w.do(w.find("9876543210"), "add")
	uitest.Contains(t, page, `id="bank"`, "From the passbook")
	send := func(bank, code string) string {
		t.Helper()
		return w.Post(w.at+"/go", 422, "turn", turn(page), "receiver_account_no", "600100200311", "again", "600100200312", "bank", bank, "receiverIfscCode", code, "receivername", "Mohan")
	}
	uitest.Contains(t, send("", "sbin0000001"), "State Bank of India, branch code 000001")
	uitest.Contains(t, send("", "SBIN0ZZ9ZZ9"), "State Bank of India: branch ZZ9ZZ9 is not in the list of 24")
	uitest.Contains(t, send("", "ZZZZ0000001"), "No bank in the list")
	uitest.Contains(t, send("", "HDFC0CAACOB"), "Akhand Anand Co.op Bank, through HDFC Bank")
	uitest.Contains(t, send("", "SBIN1000001"), "An IFSC has 11 characters")
	if n := c.times(op.AccountVerification); n != 0 {
		t.Errorf("asked %d times with a wrong form", n)
	}
	c.reply(op.AccountVerification, `{"statusCode":"00","data":{"status":-1}}`)
	page = w.do(page, "go", "receiver_account_no", "600100200311", "again", "600100200311", "bank", "Akhand Anand Co.op Bank", "receiverIfscCode", "", "receivername", "Mohan")
	uitest.Contains(t, page, "HDFC0CAACOB", "Akhand Anand Co.op Bank")
}

func TestSuggestions(t *testing.T) {
	w := login(t, newCounter(), &memoryCache{})
	if got := w.Get("/dmt/banks?q=sbi", 200); !strings.HasPrefix(got, `[{"name":"State Bank of India","start":"SBIN0"}`) {
		t.Error(got)
	}
	if got := w.Get("/dmt/banks?q=", 200); got != "[]" {
		t.Error(got)
	}
	if got := w.Get("/dmt/ifsc?code=sbin0000001", 200); got != `{"text":"State Bank of India, branch code 000001","known":true,"wrong":false}` {
		t.Error(got)
	}
	uitest.Contains(t, w.Get("/dmt/ifsc?code=1", 200), `"wrong":true`)
	uitest.Contains(t, w.Get("/dmt/ifsc?code=SBIN0ZZ9ZZ9", 200), `"known":false,"wrong":false`)
	if n := len(states()); n != 36 {
		t.Errorf("%d states and union territories", n)
	}
}
