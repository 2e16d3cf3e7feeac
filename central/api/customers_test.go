package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/shared/op"
)

// TestDeletingNeedsTheCustomer: a merchant that has passed no OTP or finger step with a
// customer looks up and adds, and does not delete; each of the three steps lets it.
func TestDeletingNeedsTheCustomer(t *testing.T) {
	remove := fmt.Sprintf(`{"senderId":%q,"receiver_account_no":"001234567890","receiverIfscCode":"SBIN0001234"}`, senderID)
	lookup := func(b *fixture) {
		b.executor.answer.Data = []byte(fmt.Sprintf(`{"referenceid":%q,"senderId":%q}`, enrolled, senderID))
		b.call(merchant1, op.CustomerDetail, `{"mobile_number":"9000000011"}`)
		b.call(merchant1, op.RemitterDetails, `{"sender_mobilenumber":"9000000011"}`)
		b.executor.answer.Data = nil
	}
	for name, c := range map[string]struct {
		before func(b *fixture)
		by     central.Principal
		want   string
	}{
		"another merchant": {func(*fixture) {}, merchant1, "05"},
		"who looked only":  {lookup, merchant1, "05"},
		"a step of another": {func(b *fixture) {
			lookup(b)
			b.call(central.Principal{Role: op.Merchant, Merchant: m2}, op.CustomerValidateOTP, otpStep)
		}, merchant1, "05"},
		"an OTP that failed": {func(b *fixture) {
			lookup(b)
			b.executor.state = op.Failed
			b.call(merchant1, op.CustomerValidateOTP, otpStep)
			b.executor.state = op.Succeeded
		}, merchant1, "05"},
		"an OTP":                    {func(b *fixture) { lookup(b); b.call(merchant1, op.CustomerValidateOTP, otpStep) }, merchant1, "00"},
		"an OTP, before the lookup": {func(b *fixture) { b.call(merchant1, op.CustomerValidateOTP, otpStep); lookup(b) }, merchant1, "00"},
		"an OTP at a counter":       {func(b *fixture) { lookup(b); b.call(terminal1, op.CustomerValidateOTP, otpStep) }, merchant1, "00"},
		"a finger": {func(b *fixture) {
			lookup(b)
			b.call(merchant1, op.CustomerUpdateBio, fmt.Sprintf(`{"referenceid":%q,"aadhaarno":%q,"PidData":%s}`, enrolled, aadhaar, quoted(pid)))
		}, merchant1, "00"},
		"an OTP, and a registration by the onboarding's id": {func(b *fixture) {
			b.executor.answer.Data = []byte(fmt.Sprintf(`{"referenceid":%q,"senderid":%q}`, senderID[:35]+"9", senderID))
			b.call(merchant1, op.CustomerDetail, `{"mobile_number":"9000000011"}`)
			b.call(merchant1, op.CustomerValidateOTP, strings.Replace(otpStep, enrolled, senderID[:35]+"9", 1))
			b.call(merchant1, op.RemitterRegister, fmt.Sprintf(`{"senderId":%q}`, senderID[:35]+"9"))
			b.executor.answer.Data = nil
		}, merchant1, "00"},
		"its vendor": {func(b *fixture) { lookup(b); b.call(merchant1, op.CustomerValidateOTP, otpStep) }, vendor1, "00"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.store.fakeCustomers = fakeCustomers{}
			c.before(b)
			body := remove
			if c.by.Role == op.Vendor {
				body = strings.Replace(remove, "{", `{"merchantId":"`+string(m1)+`",`, 1)
			}
			before := b.executor.count
			r := b.call(c.by, op.BeneficiaryDelete, body)
			status := http.StatusOK
			if c.want == "05" {
				status = http.StatusUnprocessableEntity
			}
			said := expect(t, r, status, c.want)
			if c.want == "05" && (b.executor.count != before || !strings.Contains(said.Message, "validate_otp")) {
				t.Errorf("%d reached the bank: %s", b.executor.count-before, r.Body)
			}
		})
	}
}

const otpStep = `{"otp":"123456","otpreqid":"` + senderID + `","referenceid":"` + enrolled + `"}`

// TestLookupsAreCounted: what tells of a customer by a mobile number counts, under a
// keyed hash; over the limit it is 07, says when to come back, and asks nothing of the
// bank.
func TestLookupsAreCounted(t *testing.T) {
	person := `"name":"Asha","city":"Pune","state":"Maharashtra"`
	lookups := map[op.RouteID]string{
		op.CustomerDetail: `{"mobile_number":"9000000011"}`, op.RemitterDetails: `{"sender_mobilenumber":"9000000011"}`,
		op.RemitterRegister: `{"sender_mobilenumber":"9000000011"}`, op.CustomerOnboarding: `{"mobile_no":"9000000011",` + person + `}`,
	}
	b := newFixture(t)
	for route, body := range lookups {
		expect(t, b.call(merchant1, route, body), 200, "00")
	}
	expect(t, b.call(merchant1, op.CustomerDetail, `{"mobile_number":"9000000012"}`), 200, "00")
	expect(t, b.call(merchant1, op.RemitterRegister, fmt.Sprintf(`{"senderId":%q}`, senderID)), 200, "00")
	looked := map[accounts.CustomerKey]int{}
	for _, key := range b.store.looked {
		looked[key]++
	}
	if len(b.store.looked) != 6 || len(looked) != 3 {
		t.Errorf("%d lookups of %d customers, want 6 of 3", len(b.store.looked), len(looked))
	}
	for route, body := range lookups {
		b := newFixture(t)
		b.store.lookups = fmt.Errorf("count: %w", &accounts.LookupError{Limit: 60, Wait: 7 * time.Minute})
		r := b.call(merchant1, route, body)
		if expect(t, r, 429, "07"); r.RetryAfter != 7*time.Minute || b.executor.count+len(b.executor.consulted) != 0 {
			t.Errorf("%s: come back in %v; %d asked of the bank", route, r.RetryAfter, b.executor.count+len(b.executor.consulted))
		}
		if log := b.log.String(); !strings.Contains(log, string(m1)) || strings.Contains(log, "9000000011") {
			t.Errorf("%s: the log is %s", route, log)
		}
	}
	b.store.lookups = errors.New("the disk is full")
	expect(t, b.call(merchant1, op.CustomerDetail, `{"mobile_number":"9000000011"}`), 500, "500")
}

// TestRepeatsAreAnsweredWhateverHasChanged: at every route of money transfer that is an
// operation, the repeat of a success has the stored reply, byte for byte, though the
// merchant looks nobody up any more, its steps with the customer and its agents are
// gone and the limits refuse; it takes no place among the lookups. What only asks the
// bank has no record: under a known identity, too, it counts and is refused.
func TestRepeatsAreAnsweredWhateverHasChanged(t *testing.T) {
	const identity = "order-17"
	over := &accounts.LookupError{Limit: 60, Wait: 7 * time.Minute}
	for _, m := range moneyRoutes() {
		t.Run(m.name, func(t *testing.T) {
			b := newFixture(t)
			m.answered(b)
			route, _ := op.Find(m.id)
			body, err := json.Marshal(m.body(nil))
			if err != nil {
				t.Fatal(err)
			}
			sent := central.Request{Principal: m.by(), Route: route, RequestID: "req-1", Identity: identity, Body: body}
			if m.kind.IsConsultation() {
				b.store.operations[opID] = central.Operation{ID: opID, Caller: m.by().Caller(), Identity: identity, State: op.Succeeded}
				b.store.lookups = over
				r := b.Handle(t.Context(), sent)
				if looks := m.kind == central.KindCustomerDetail || m.kind == central.KindRemitterDetails; looks != (r.HTTP == 429) || looks != (len(b.store.looked) == 1) {
					t.Errorf("HTTP %d, %d lookups counted", r.HTTP, len(b.store.looked))
				}
				return
			}
			first := b.Handle(t.Context(), sent)
			expect(t, first, 200, "00")
			for _, o := range b.executor.known {
				o.Identity = identity
				b.store.operations[o.ID] = o
			}
			looked := len(b.store.looked)
			b.store.proofs, b.store.owners, b.store.lookups = nil, nil, over
			b.limits.refuse = errors.New("not today")
			again := b.Handle(t.Context(), sent)
			if again.HTTP != first.HTTP || string(again.Body) != string(first.Body) || !again.Replayed || b.executor.count != 1 {
				t.Errorf("the repeat has HTTP %d %s (replayed %t), %d asked of the bank", again.HTTP, again.Body, again.Replayed, b.executor.count)
			}
			if len(b.store.looked) != looked {
				t.Errorf("the repeat counts as %d lookups", len(b.store.looked)-looked)
			}
		})
	}
}

// TestCorrespondentsBelongToAParty: business correspondents and agents are used by who
// registered them, a vendor of the aggregator registers agents under its
// correspondents, and the aggregator sees its vendors' agents. All others get the
// reply of an unknown id.
func TestCorrespondentsBelongToAParty(t *testing.T) {
	other := central.Principal{Role: op.Aggregator, Aggregator: "a0000000-0000-4000-8000-000000000002"}
	foreign := central.Principal{Role: op.Vendor, Vendor: v2}
	person := `"name":"Asha","mobile_no":"9000000011","email_id":"a@example.in","pan":"ABCPN1234F","address":"1 Road","city":"Pune","state":"Maharashtra","pincode":"411001"`
	register := `{"bcId":"BC0001",` + person + `,"aadhaarno":"` + aadhaar + `","shopName":"Shop"}`
	for i, c := range []struct {
		by    central.Principal
		route op.RouteID
		body  string
		owner string // of AG0001; BC0001 is aggregator 1's
		may   bool
	}{
		{aggregator1, op.BCAgentRegister, register, "", true},
		{vendor1, op.BCAgentRegister, register, "", true}, // of aggregator 1
		{other, op.BCAgentRegister, register, "", false},
		{aggregator1, op.BCAgentInitialize, `{"agentId":"AG0001"}`, aggregator1.Party(), true},
		{vendor1, op.BCAgentInitialize, `{"agentId":"AG0001"}`, vendor1.Party(), true},
		{aggregator1, op.BCAgentInitialize, `{"agentId":"AG0001"}`, vendor1.Party(), true},
		{vendor1, op.BCAgentInitialize, `{"agentId":"AG0001"}`, aggregator1.Party(), false},
		{vendor1, op.BCAgentInitialize, `{"agentId":"AG0001"}`, foreign.Party(), false},
		{other, op.BCAgentInitialize, `{"agentId":"AG0001"}`, vendor1.Party(), false},
		{aggregator1, op.BCStatus, `{"bcId":"BC0001"}`, "", true},
		{other, op.BCStatus, `{"bcId":"BC0001"}`, "", false},
		{aggregator1, op.BCStatus, `{"agentId":"AG0001"}`, vendor1.Party(), true},
		{other, op.BCStatus, `{"agentId":"AG0001"}`, aggregator1.Party(), false},
		{other, op.BCStatus, `{"agentId":"AG0001","bcId":"BC0001"}`, vendor1.Party(), false},
	} {
		b := newFixture(t)
		b.store.owners = map[string]string{"bc BC0001": aggregator1.Party(), "agent AG0001": c.owner}
		r := b.call(c.by, c.route, c.body)
		if c.may {
			expect(t, r, 200, "00")
			continue
		}
		expect(t, r, 404, "04")
		absent := b.call(c.by, c.route, strings.NewReplacer("AG0001", "AG0002", "BC0001", "BC0002").Replace(c.body))
		if string(absent.Body) != string(r.Body) || absent.HTTP != r.HTTP {
			t.Errorf("case %d: another's reply is %s, an unknown one's %s", i, r.Body, absent.Body)
		}
		if b.executor.count+len(b.executor.consulted) != 0 {
			t.Errorf("case %d: the bank was asked", i)
		}
	}
}
