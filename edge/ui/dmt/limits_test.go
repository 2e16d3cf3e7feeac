package dmt

import (
	"fmt"
	"testing"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// senderWith is a reply with a sender's limits.
func senderWith(left, day, monthLeft, month int) string {
	return fmt.Sprintf(`{"statusCode":"00","data":{"senderId":"5b8f","AviableLimit":%d,"AviabledayLimit":%d,"AviableMonthLimit":%d,"monthLimit":%d,"beneficiarydetail":[`+
		`{"beneficiaryid":7,"beneficiaryname":"Mohan Lal","bank":"SBI","ifscode":"SBIN0001234","accountnumber":600100200311,"beneficiarystatus":1}]}}`, left, day, monthLeft, month)
}

// TestLimitsOfATransfer: the page knows the tightest of the limits of one transfer, of the
// sender's day and of the sender's month, and so does the form.
func TestLimitsOfATransfer(t *testing.T) {
	each := edge.Bounds{Min: 1_00, Max: 5_000_00, Step: 1_00}
	for name, x := range map[string]struct {
		bounds                      edge.Bounds
		left, day, monthLeft, month int
		most                        string // the field's; empty: none
		beside, over                string
		amount                      string // one over the limit
	}{
		"of one transfer":     {each, 20_000, 25_000, 15_000, 25_000, "5000", "up to ₹5,000", "Enter an amount from ₹1.00 to ₹5,000.00.", "5001"},
		"of the day":          {each, 3_000, 25_000, 15_000, 25_000, "3000", "up to ₹3,000", "This sender can send ₹1 to ₹3,000 more today.", "3001"},
		"of the month":        {each, 3_000, 25_000, 250, 25_000, "250", "up to ₹250", "This sender can send ₹1 to ₹250 more this month.", "251"},
		"of both":             {each, 250, 250, 250, 25_000, "250", "up to ₹250", "This sender can send ₹1 to ₹250 more this month.", "251"},
		"nothing today":       {each, 0, 25_000, 15_000, 25_000, "0", "up to ₹0", "This sender has reached today&#39;s limit.", "1"},
		"nothing this month":  {each, 100, 25_000, 0, 25_000, "0", "up to ₹0", "This sender has reached this month&#39;s limit.", "1"},
		"no month":            {each, 3_000, 25_000, 0, 0, "3000", "up to ₹3,000", "more today", "3001"},
		"of the sender alone": {edge.Bounds{Min: 1_00}, 20_000, 25_000, 0, 0, "20000", "up to ₹20,000", "more today", "20001"},
		"unknown":             {edge.Bounds{Min: 1_00}, 0, 0, 0, 0, "", "", "Enter an amount of at least ₹1.00.", "0.50"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounter()
			c.bounds = &x.bounds
			c.reply(op.RemitterDetails, senderWith(x.left, x.day, x.monthLeft, x.month))
			w := login(t, c, &memoryCache{})
			page := w.do(w.find("9876543210"), "pay", "payee", "7")
			if x.most == "" {
				uitest.NotContains(t, page, "data-most")
			} else {
				uitest.Contains(t, page, `data-most="`+x.most+`"`, x.beside)
			}
			uitest.Contains(t, page, "data-outside=")
			uitest.Contains(t, w.Post(w.at+"/go", 422, "turn", turn(page), "amount", x.amount), x.over)
			if c.times(op.TransferCharges) != 0 {
				t.Error("the charges of an amount over the limit were asked for")
			}
		})
	}
}
