package dmt

import (
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
	"galla/shared/secret"
)

// atIdentity takes a new sender to the page of the customer's identity.
func atIdentity(t *testing.T, c *counter) (w *walker, page string) {
	t.Helper()
	c.reply(op.CustomerDetail, `{"statusCode":"01","message":"Customer not found"}`)
	w = login(t, c, &memoryCache{})
	page = w.do(w.find("9876543210"), "go", "name", "Asha Patil", "city", "Pune", "state", "Maharashtra")
	page = w.do(page, "go", "otp", "1234")
	heading(t, page, "New sender: Aadhaar and fingerprint")
	return w, page
}

// proven are the fields of the customer's identity.
var proven = []string{"aadhaar", uitest.CustomerAadhaar, "consent", "yes"}

// TestTheFingerFollowsTheNumber: the finger is asked for as soon as the bank has checked
// the number, and a number that the bank refuses takes no finger.
func TestTheFingerFollowsTheNumber(t *testing.T) {
	c := newCounter()
	c.fingers = true
	w, page := atIdentity(t, c)
	c.reply(op.CustomerVerifyUID, `{"statusCode":"52","message":"AADHAAR MISMATCH"}`)
	page = w.do(page, "go", proven...)
	heading(t, page, "New sender: Aadhaar and fingerprint")
	uitest.Contains(t, page, "The Aadhaar number does not match this customer.", "data-again=")
	if c.times(op.CustomerUpdateBio) != 0 {
		t.Error("a finger was asked for")
	}
	c.reply(op.CustomerVerifyUID, `{"statusCode":"00"}`)
	c.holdCalls(true)
	page = w.do(page, "go", proven...)
	uitest.Contains(t, page, "Waiting for the bank", "data-awaits-aadhaar")
	c.holdCalls(false)
	c.end(op.CustomerVerifyUID, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	uitest.Contains(t, w.Get(w.at, 200), `data-state="capturing"`, "data-awaits-aadhaar")
	q := c.asked[len(c.asked)-1]
	if q.Route != op.CustomerUpdateBio || q.Aadhaar.Reveal() != uitest.CustomerAadhaar || q.Consent != "AEPS-EN-1" {
		t.Errorf("%s with consent %q", q.Route, q.Consent)
	}
}

// TestALateAnswerAsksForTheNumberAgain: the number waits a minute for the bank's answer. The
// form after that goes on with the finger.
func TestALateAnswerAsksForTheNumberAgain(t *testing.T) {
	c := newCounter()
	c.fingers = true
	w, page := atIdentity(t, c)
	c.holdCalls(true)
	w.do(page, "go", proven...)
	c.holdCalls(false)
	c.pages[0].proofs.take(op.ID(w.at[len("/dmt/"):])) // as after a minute
	c.end(op.CustomerVerifyUID, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	page = w.Get(w.at, 200)
	heading(t, page, "New sender: Aadhaar and fingerprint")
	if c.times(op.CustomerUpdateBio) != 0 {
		t.Error("a finger was asked for without a number")
	}
	uitest.Contains(t, w.do(page, "go", proven...), `data-state="capturing"`)
	c.once(t, op.CustomerVerifyUID, op.CustomerUpdateBio)
}

// TestAFormThatCanNotBeginStays: what was filled in stays, except the number.
func TestAFormThatCanNotBeginStays(t *testing.T) {
	c := newCounter()
	w, page := atIdentity(t, c)
	c.refuse = map[op.RouteID]error{op.CustomerVerifyUID: &edge.PreconditionError{Code: edge.PreconditionClock}}
	page = w.Post(w.at+"/go", 409, append([]string{"turn", turn(page), "customer-language", "hi"}, proven...)...)
	uitest.Contains(t, page, `class="alert"`, `name="consent" type="checkbox" value="yes" required checked`, `<option value="hi" lang="hi" selected>`, "Enter the number ending in XXXXXXXX7058 again")
	c.refuse = nil
	heading(t, w.do(page, "go", proven...), "Who is the money for?")
}

// TestProofsEnd: a proof is taken once, and waits for a minute.
func TestProofsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		number, err := secret.ParseAadhaar(uitest.CustomerAadhaar)
		if err != nil {
			t.Fatal(err)
		}
		s := newProofs()
		s.keep("a", credentials{aadhaar: number})
		time.Sleep(proofFor / 2)
		s.keep("a", credentials{aadhaar: number, consent: "AEPS-EN-1"}) // its minute begins again
		time.Sleep(proofFor - time.Second)
		if p, ok := s.take("a"); !ok || p.consent == "" {
			t.Error("it was gone within the minute")
		}
		if _, ok := s.take("a"); ok {
			t.Error("it was given twice")
		}
		s.keep("a", credentials{aadhaar: number})
		time.Sleep(proofFor + time.Second)
		if _, ok := s.take("a"); ok || len(s.byID) != 0 {
			t.Error("it was there after a minute")
		}
	})
}
