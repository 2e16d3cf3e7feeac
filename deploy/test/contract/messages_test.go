package contract

import (
	"regexp"
	"strings"
	"testing"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

// sendReceipt sends an operation's receipt as an SMS, and gives what became of it.
func (c *counter) sendReceipt(of op.ID, mobile, language string) edge.View {
	c.t.Helper()
	return c.ask(op.ReceiptMessage, fields{"id": string(of), "mobile": mobile, "language": language}, nil)
}

// withdraws gives a withdrawal of 100 rupees at the counter that succeeded.
func (c *counter) withdraws() op.ID {
	c.t.Helper()
	aadhaar, err := secret.ParseAadhaar(agarwal)
	if err != nil {
		c.t.Fatal(err)
	}
	if !c.Status().Session.Active {
		c.transact(op.ReqAuth, aadhaar)
	}
	c.transact(op.Withdrawal, aadhaar)
	list, err := c.Recent("", 1)
	if err != nil || len(list) != 1 || list[0].State != op.Succeeded {
		c.t.Fatalf("the withdrawal: %+v, %v", list, err)
	}
	return list[0].ID
}

// receiptsIn are the receipts in a phone's inbox.
func (h *system) receiptsIn(t *testing.T, mobile string) (texts []string) {
	t.Helper()
	for _, m := range h.inbox(t, mobile) {
		if strings.Contains(m.Text, "Lakshmi Kirana Store") {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// TestReceiptMessages: a receipt comes to the inbox with what the central has on record, once
// for each number, whoever presses and however often; three are the limit.
func TestReceiptMessages(t *testing.T) {
	h := running
	c, other := newCounter(t, h), newCounter(t, h)
	of := c.withdraws()
	const number = "9555500001"
	for i, press := range []func() edge.View{
		func() edge.View { return c.sendReceipt(of, number, "en") },
		func() edge.View { return c.sendReceipt(of, number, "en") },
		func() edge.View { return c.sendReceipt(of, number, "hi") },
		func() edge.View { return other.sendReceipt(of, number, "ta") },
	} {
		v := press()
		if v.State != op.Succeeded || v.ReplyValue("mobile") != "XXXXXX0001" || strings.Contains(string(v.Reply), number) {
			t.Errorf("press %d: %s %s", i+1, v.State, v.Reply)
		}
		got := h.receiptsIn(t, number)
		want := regexp.MustCompile(`^Lakshmi Kirana Store: Cash withdrawal of Rs 100\.00: successful\. Aadhaar XXXX` + agarwal[8:] + `\. Ref \d{12}\. \d\d-\d\d-\d{4} \d\d:\d\d$`)
		if len(got) != 1 || !want.MatchString(got[0]) {
			t.Fatalf("after press %d the inbox has %q", i+1, got)
		}
	}
	if got := c.MessagesOf(of); len(got) != 3 || len(other.MessagesOf(of)) != 1 {
		t.Errorf("%d messages here", len(got))
	}

	for i, next := range []string{"9555500002", "9555500003", "9555500004"} {
		v := c.sendReceipt(of, next, "hi")
		if sent := v.State == op.Succeeded; sent != (i < 2) || len(h.receiptsIn(t, next)) != map[bool]int{true: 1}[i < 2] {
			t.Errorf("number %d: %s %s, inbox %q", i+2, v.State, v.Reply, h.receiptsIn(t, next))
		}
		if i == 2 && (v.HTTP != 422 || v.Result.StatusCode != "05") {
			t.Errorf("the fourth number: HTTP %d %s", v.HTTP, v.Reply)
		}
	}
	if got := h.receiptsIn(t, "9555500002"); len(got) == 1 && !strings.Contains(got[0], "नकद निकासी") {
		t.Errorf("the customer's language is Hindi: %s", got[0])
	}

	for name, f := range map[string]fields{
		"no number":    {"id": string(of), "mobile": "5555500001", "language": "en"},
		"no language":  {"id": string(of), "mobile": number, "language": "fr"},
		"no operation": {"id": "0190b000-0000-7000-8000-0000000000ff", "mobile": number, "language": "en"},
	} {
		if v := c.ask(op.ReceiptMessage, f, nil); v.State != op.Failed || v.HTTP < 400 || v.HTTP >= 500 {
			t.Errorf("%s: %s, HTTP %d %s", name, v.State, v.HTTP, v.Reply)
		}
	}
	checkTrial(t, h)
}

// TestReceiptMessagesOnTheUplinkOnly: no program reaches the route.
func TestReceiptMessagesOnTheUplinkOnly(t *testing.T) {
	h := running
	const path = "/operations/0190b000-0000-7000-8000-0000000000ff/message"
	body := fields{"mobile": "9555500001", "language": "en"}
	for _, client := range []string{m1, v1, agg} {
		if a := h.call(t, client, "POST", path, body); a.http != 404 && a.http != 405 || a.body["statusCode"] != "04" {
			t.Errorf("%s: HTTP %d %s", client, a.http, a.raw)
		}
	}
}
