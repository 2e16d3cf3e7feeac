package dmt

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "dmt", Files: files}, "dmt.problem.precluded", "dmt.fact.ifsc")
}

func TestEveryStepLeadsSomewhere(t *testing.T) {
	for s, r := range rules {
		if _, ok := op.Find(r.route); !ok && s != ConfirmHolder {
			t.Errorf("%s asks for %q, which is no route", s, r.route)
		}
		for _, to := range []Step{r.next, r.ifAbsent, r.back} {
			if _, asks := rules[to]; to != "" && !asks && to != Sender && to != Sent && to != Refunded {
				t.Errorf("%s leads to %q, which is no step", s, to)
			}
		}
	}
}

func TestAKnownSenderSendsMoney(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page := w.find("98765 43210")
	heading(t, page, "Who is the money for?")
	uitest.Contains(t, page, "₹5,000.00 used, ₹20,000.00 left", "₹10,000.00 used, ₹15,000.00 left", "Mohan Lal", "…0311")
	uitest.NotContains(t, w.Get(w.at+"?q=mohan", 200), "Sita Devi")
	uitest.Contains(t, w.Get(w.at+"?q=nobody", 200), "No beneficiary found.")

	page = w.do(w.Get(w.at, 200), "pay", "payee", "8")
	heading(t, page, "Who is the money for?") // cannot be used
	page = w.do(page, "pay", "payee", "7")
	heading(t, page, "How much?")
	uitest.Contains(t, w.Post(w.at+"/go", 422, "turn", turn(page), "amount", "5001"), "5,000")
	page = w.do(page, "go", "amount", "500")
	heading(t, page, "Check the charges")
	uitest.Contains(t, page, "₹12.50", "₹512.50")
	page = w.do(page, "go")
	heading(t, page, "OTP")
	otp := page
	page = w.do(otp, "go", "otp", "123456")
	uitest.Contains(t, page, "/op/")
	w.do(otp, "go", "otp", "123456") // the same form again, from another tab
	if n := c.times(op.Transfer); n != 1 {
		t.Errorf("%d transfers", n)
	}
	q := c.asked[len(c.asked)-1]
	want := `{"BeneficiaryId":7,"account_holder_name":"Mohan Lal","amount":500,"receiverIfscCode":"SBIN0001234","receiverMobilenumber":"9000000002","receiver_account_no":"600100200311","remarks":"","senderId":"5b8f"}`
	if string(q.Fields) != want {
		t.Errorf("%s", q.Fields)
	}

	c.returns(q.ID)
	page = w.do(w.Get(w.at, 200), "refund")
	heading(t, page, "Refund")
	page = w.do(page, "go")
	w.do(page, "go", "otp", "1234")
	if q := c.asked[len(c.asked)-1]; q.Route != op.Refund || !strings.Contains(string(q.Fields), `"transactionId":"T1"`) {
		t.Errorf("%s %s", q.Route, q.Fields)
	}
}

// A beneficiary is deleted after a confirmation, once, and the list is requested again;
// going back deletes nothing, and a refusal is shown.
func TestABeneficiaryIsDeleted(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page := w.find("9876543210")
	page = w.do(page, "drop", "payee", "7")
	uitest.Contains(t, page, "Delete this beneficiary?", "<dd>Mohan Lal</dd>")
	page = w.do(page, "back")
	heading(t, page, "Who is the money for?")
	if n := c.times(op.BeneficiaryDelete); n != 0 {
		t.Fatalf("going back deleted %d beneficiaries", n)
	}
	sure := w.do(page, "drop", "payee", "7")
	c.reply(op.RemitterDetails, noPayees)
	page = w.do(sure, "go")
	heading(t, page, "Who is the money for?")
	uitest.NotContains(t, page, "Mohan Lal")
	w.do(sure, "go") // the same form again, from another tab
	c.once(t, op.BeneficiaryDelete)
	i := slices.IndexFunc(c.asked, func(q edge.Request) bool { return q.Route == op.BeneficiaryDelete })
	if q := c.asked[i]; !strings.Contains(string(q.Fields), `"receiver_account_no":"600100200311","senderId":"5b8f"`) || q.Title != "Mohan Lal" {
		t.Errorf("it asked to delete %s, called %q", q.Fields, q.Title)
	}

	other := newCounter()
	w = login(t, other, &memoryCache{})
	page = w.do(w.find("9876543210"), "drop", "payee", "7")
	other.reply(op.BeneficiaryDelete, `{"statusCode":"01","message":"Beneficiary not found"}`)
	uitest.Contains(t, w.do(page, "go"), `class="alert"`, "Mohan Lal")
}

func TestANewSenderIsOnboardedInTheInterfacesOrder(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	c.replies[op.RemitterDetails] = `{"statusCode":"01","message":"sender not found"}`
	w := login(t, c, s)
	page := w.find("9876543210")
	heading(t, page, "New sender: name and place")
	page = w.do(page, "go", "name", "Asha Patil", "city", "Pune", "state", "Maharashtra")
	heading(t, page, "New sender: enter OTP")
	page = w.do(page, "go", "otp", "1234")
	heading(t, page, "New sender: Aadhaar and fingerprint")
	w.Post(w.at+"/go", 422, "turn", turn(page), "aadhaar", "999941057059", "consent", "yes")
	refused := w.Post(w.at+"/go", 422, "turn", turn(page), "aadhaar", uitest.CustomerAadhaar)
	uitest.Contains(t, refused, `data-again="Enter the number ending in XXXXXXXX7058 again: it is not saved."`)
	c.fingers = true
	page = w.do(page, "go", "aadhaar", uitest.CustomerAadhaar, "consent", "yes")
	uitest.Contains(t, page, `data-state="capturing"`, "I give my Aadhaar number")
	for _, v := range s.values {
		if strings.Contains(string(v), uitest.CustomerAadhaar) {
			t.Error("the Aadhaar number is kept")
		}
	}
	c.before = func(q edge.Request) {
		if q.Route == op.RemitterRegister {
			c.replies[op.RemitterDetails] = details
		}
	}
	c.end(op.CustomerUpdateBio, func(v *edge.View) { v.State, v.Stage = op.Succeeded, edge.StageNone })
	heading(t, w.Get(w.at, 200), "Who is the money for?")
	var asked []op.RouteID
	for _, q := range c.asked {
		asked = append(asked, q.Route)
	}
	want := []op.RouteID{
		op.CustomerDetail, op.CustomerOnboarding, op.CustomerRequestOTP, op.CustomerValidateOTP, op.CustomerVerifyUID, op.CustomerUpdateBio,
		op.CustomerSubmit, op.RemitterDetails, op.RemitterRegister, op.RemitterDetails,
	}
	if !slices.Equal(asked, want) {
		t.Errorf("%v", asked)
	}
}

// TestAFingerNobodyWaitsForIsAbandoned, by its button and with its customer.
func TestAFingerNobodyWaitsForIsAbandoned(t *testing.T) {
	for _, act := range []string{"abandon", "forget"} {
		t.Run(act, func(t *testing.T) {
			c := newCounter()
			c.fingers = true
			w, page := atIdentity(t, c)
			page = w.do(page, "go", "aadhaar", uitest.CustomerAadhaar, "consent", "yes", "customer-language", "bn")
			uitest.Contains(t, page, "do-abandon")
			q := c.asked[len(c.asked)-1]
			if q.Consent != "AEPS-BN-1" {
				t.Errorf("the customer consented to %q", q.Consent)
			}
			w.Post(w.at+"/"+act, 303)
			if v := c.known[q.ID]; v.State != op.Expired {
				t.Errorf("it is %s", v.State)
			}
			if act == "forget" {
				w.Get(w.at, 404)
				return
			}
			uitest.Contains(t, w.Get(w.at, 200), "It was not sent to the bank", "New sender: Aadhaar and fingerprint")
		})
	}
}

func TestVerification(t *testing.T) {
	for status, want := range map[string]string{"1": "Who is the money for?", "0": "New beneficiary", "-1": "Account not confirmed by the bank", "91": "Account not confirmed by the bank"} {
		t.Run(status, func(t *testing.T) {
			c := newCounter()
			c.replies[op.AccountVerification] = `{"statusCode":"00","data":{"status":` + status + `}}`
			w := login(t, c, &memoryCache{})
			page := w.do(w.find("9876543210"), "add")
			page = w.do(page, "go", "receiver_account_no", "600100200311", "again", "600100200311", "receiverIfscCode", "sbin0001234", "receivername", "Mohan")
			heading(t, page, want)
			if n := c.times(op.BeneficiaryAdd); (n == 1) != (status == "1") {
				t.Errorf("added %d times", n)
			}
			if strings.Contains(want, "confirmed") {
				uitest.Contains(t, page, `data-wait-left="30"`)
				w.do(page, "go") // too early
				if n := c.times(op.AccountVerification); n != 1 {
					t.Errorf("asked %d times", n)
				}
			}
		})
	}
}

// TestWhoseAccountItIs: an account that the bank has under another name is added only
// after a confirmation, and then under the bank's name.
func TestWhoseAccountItIs(t *testing.T) {
	c := newCounter()
	c.replies[op.AccountVerification] = `{"statusCode":"00","data":{"status":1,"account_holder_name":"MOHAN  LAL"}}`
	w := login(t, c, &memoryCache{})
	add := func(name string) string {
		return w.do(w.do(w.Get(w.at, 200), "add"), "go", "receiver_account_no", "600100200311", "again", "600100200311", "receiverIfscCode", "SBIN0001234", "receivername", name)
	}
	w.find("9876543210")
	heading(t, add("Mohan Lal"), "Who is the money for?")
	page := add("Sohan Lal")
	heading(t, page, "Whose account is it?")
	uitest.Contains(t, page, "Sohan Lal", "MOHAN  LAL")
	if n := c.times(op.BeneficiaryAdd); n != 1 {
		t.Errorf("added %d times", n)
	}
	page = w.do(page, "back")
	heading(t, page, "New beneficiary")
	uitest.Contains(t, page, `value="Sohan Lal"`)
	page = w.do(page, "go", "receiver_account_no", "600100200311", "again", "600100200311", "receiverIfscCode", "SBIN0001234", "receivername", "Sohan Lal")
	heading(t, w.do(page, "holder"), "Who is the money for?")
	for _, q := range slices.Backward(c.asked) {
		if q.Route == op.BeneficiaryAdd {
			if !strings.Contains(string(q.Fields), `"receivername":"MOHAN  LAL"`) {
				t.Errorf("%s", q.Fields)
			}
			break
		}
	}
}

func TestARestartAsksAndNeverRepeats(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	w := login(t, c, s)
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	page = w.do(page, "go")
	c.holdAll = true
	page = w.do(page, "go", "otp", "123456")
	uitest.Contains(t, page, "Waiting for the bank")

	again := login(t, c, s) // a restart with the same disk
	uitest.Contains(t, again.Get("/dmt", 200), "Unfinished transfers", w.at)
	again.at = w.at
	uitest.Contains(t, again.Get(w.at, 200), "Waiting for the bank")
	c.mu.Lock()
	for id, v := range c.known {
		if v.Route == op.Transfer {
			v.State = op.Succeeded
			c.known[id] = v
		}
	}
	c.mu.Unlock()
	uitest.Contains(t, again.Get(w.at, 200), "/op/")
	if n := c.times(op.Transfer); n != 1 {
		t.Errorf("%d transfers", n)
	}
}

func TestACallThatNeverBeganIsAskedAgain(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	w := login(t, c, s)
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	w.do(page, "go", "amount", "500")
	c.mu.Lock()
	clear(c.known) // enquiries are in memory only
	c.mu.Unlock()
	again := login(t, c, s)
	again.at = w.at
	page = again.Get(w.at, 200)
	heading(t, page, "Check the charges")
	uitest.Contains(t, page, "₹512.50")
	heading(t, again.do(page, "back"), "How much?")
}

func TestWithTheLineDown(t *testing.T) {
	c := newCounter()
	c.down = true
	w := login(t, c, &memoryCache{})
	page := w.find("9876543210")
	uitest.Contains(t, page, "The counter is offline. These details are", "Mohan Lal")
	uitest.NotContains(t, page, "/pay", "do-add")
	heading(t, w.do(page, "pay", "payee", "7"), "Who is the money for?")
}

func TestARefusedTransferMayBeTriedAgainAsAnother(t *testing.T) {
	c := newCounter()
	c.replies[op.Transfer] = `{"statusCode":"M1","message":"OTP wrong"}`
	w := login(t, c, &memoryCache{})
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	page = w.do(page, "go")
	page = w.do(page, "go", "otp", "999999")
	uitest.NotContains(t, page, "do-refund")
	page = w.do(page, "retry")
	heading(t, page, "Check the charges")
	c.replies[op.Transfer] = `{"statusCode":"00","message":"Transaction pending","data":{"transactionId":"T2","amount":500,"status":"PENDING"}}`
	page = w.do(page, "go")
	page = w.do(page, "go", "otp", "123456")
	uitest.NotContains(t, page, "do-refund", "do-retry", "do-sender")
	w.do(page, "requery")
	w.do(page, "requery") // a double click
	if n := c.times(op.TransferRequery); n != 1 {
		t.Errorf("asked again %d times", n)
	}
}

func TestAFlowIsItsOperatorsAndEndsAfterADay(t *testing.T) {
	now := uitest.Now()
	s, err := openStore(&memoryCache{}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.save(flow{ID: "1", Operator: "Asha", OperatorID: "a"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.get("1", edge.User{ID: "b", Name: "Asha"}); ok {
		t.Error("another operator of the same name sees it")
	}
	asha := edge.User{ID: "a", Name: "Usha"} // renamed since
	if _, ok := s.get("1", asha); !ok {
		t.Error("it was lost with a rename")
	}
	now = now.Add(flowTTL)
	if _, ok := s.get("1", asha); ok {
		t.Error("it is kept for longer than a day")
	}
	for i := range maxFlows + 3 {
		if err := s.save(flow{ID: op.ID(rune('a' + i)), Operator: "Asha", OperatorID: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.list(asha)); n != maxFlows {
		t.Errorf("%d flows", n)
	}
}

func TestNothingIsAskedThatCanNotBeKept(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	w := login(t, c, s)
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	s.broken = errors.New("disk full")
	before := len(c.asked)
	w.Post(w.at+"/go", 500, "turn", turn(page), "amount", "500")
	if len(c.asked) != before {
		t.Error("asked without its identity on disk")
	}
}

func FuzzReadRemitter(f *testing.F) {
	f.Add([]byte(details))
	f.Add([]byte(`{"data":{"senderId":"x","AviableLimit":-1}}`))
	f.Fuzz(func(t *testing.T, reply []byte) {
		m, err := readRemitter(reply)
		if err == nil && (m.SenderID == "" || m.Left < 0 || len(m.Payees) > maxPayees) {
			t.Errorf("%+v", m)
		}
	})
}
