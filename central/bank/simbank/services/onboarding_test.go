package services

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/bank/network"
	"galla/shared/secret"
)

// bubble runs a test on virtual time with a bank of its own.
func bubble(t *testing.T, cfg Config, test func(*testing.T, *bank)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, openBank(t, cfg)) })
}

func TestCustomerOnboarding(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		b.refused("76", network.RefusedNotFound, "customer", network.CustomerDetail, particulars(network.Particulars{Mobile: mobile}))
		ref := b.enrol(mobile, customerApproved)
		got := b.ok("referenceid name mobile_no email_id city state kyc_verified aadhaar_masked", network.CustomerDetail, particulars(network.Particulars{Mobile: mobile}))
		for key, want := range map[string]any{
			"referenceid": ref, "name": "Shivshankar Choudhury", "mobile_no": mobile, "email_id": "s@example.in", "city": "Pune",
			"state": "Maharashtra", "kyc_verified": true, "aadhaar_masked": "XXXXXXXX7058",
		} {
			if got[key] != want {
				t.Errorf("%s = %v, want %v", key, got[key], want)
			}
		}
		// Steps may be repeated after the end, and change nothing.
		again := b.ok("referenceid", network.CustomerOnboarding, particulars(network.Particulars{Name: "Somebody Else", Mobile: mobile, City: "X", State: "Y"}))
		if again["referenceid"] != ref {
			t.Errorf("the same mobile number again: %v, want %s", again, ref)
		}
		b.ok("status", network.CustomerUID, enrolled(ref), b.holder(shivshankar))
		b.ok("status", network.CustomerBiometric, enrolled(ref), b.holder(shivshankar), b.finger(shivshankar))
		b.ok("referenceid status", network.CustomerSubmit, enrolled(ref))
		b.refused("05", "", "ANOTHER AADHAAR", network.CustomerUID, enrolled(ref), b.holder(kumar))
		if got := b.ok("referenceid name mobile_no email_id city state kyc_verified aadhaar_masked", network.CustomerDetail,
			particulars(network.Particulars{Mobile: mobile})); got["name"] != "Shivshankar Choudhury" {
			t.Errorf("a finished customer was changed: %v", got)
		}
	})
}

func TestCustomerOrder(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		for _, kind := range []network.Kind{network.CustomerOTP, network.CustomerOTPCheck, network.CustomerUID, network.CustomerBiometric, network.CustomerSubmit, network.CustomerStatus} {
			b.refused("76", network.RefusedNotFound, "no such", kind, enrolled("8f14e45f-ceea-4671-a000-000000000000"))
			b.refused("76", network.RefusedNotFound, "no such", kind)
		}
		ref := b.enrol(mobile, customerStarted)
		b.refused("12", network.RefusedOrder, "validate_otp has to be done first", network.CustomerUID, enrolled(ref), b.holder(shivshankar))
		b.refused("12", network.RefusedOrder, "verify_UID has to be done first", network.CustomerBiometric, enrolled(ref), b.holder(shivshankar), b.finger(shivshankar))
		b.refused("12", network.RefusedOrder, "updatebiodetail has to be done first", network.CustomerSubmit, enrolled(ref))
		b.refused("12", network.RefusedOrder, "submit has to be done first", network.RemitterRegister, particulars(network.Particulars{Mobile: mobile}))
		b.refused("12", network.RefusedOrder, "submit has to be done first", network.RemitterRegister, particulars(network.Particulars{Sender: ref}))
		b.refused("76", network.RefusedNotFound, "", network.CustomerDetail, particulars(network.Particulars{Mobile: mobile}))
		b.enrol(mobile, customerOTPChecked)
		b.refused("12", network.RefusedOrder, "verify_UID has to be done first", network.CustomerBiometric, enrolled(ref), b.holder(shivshankar), b.finger(shivshankar))
		for _, p := range []network.Particulars{
			{Mobile: mobile, City: "Pune", State: "MH"}, {Name: "A", City: "Pune", State: "MH"}, {Name: "A", Mobile: "12345", City: "Pune", State: "MH"},
			{Name: "A", Mobile: mobile, State: "MH"}, {Name: "A", Mobile: mobile, City: "Pune"}, {Name: strings.Repeat("a", 101), Mobile: mobile, City: "Pune", State: "MH"}, {Name: "A\nB", Mobile: mobile, City: "Pune", State: "MH"},
		} {
			b.refused("30", "", "FORMAT ERROR", network.CustomerOnboarding, particulars(p))
		}
	})
}

// TestFingerOfCustomer: the finger is examined as AEPS does it.
func TestFingerOfCustomer(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		ref := b.enrol(mobile, customerOTPChecked)
		b.refused("52", "", "AADHAAR", network.CustomerUID, enrolled(ref), b.holder(unknown))
		b.refused("52", "", "AADHAAR", network.CustomerUID, enrolled(ref))
		b.ok("status", network.CustomerUID, enrolled(ref), b.holder(shivshankar))
		bio := func(code string, changes ...with) {
			t.Helper()
			b.refused(code, "", "", network.CustomerBiometric, append([]with{enrolled(ref), b.holder(shivshankar)}, changes...)...)
		}
		bio("U3", b.finger(kumar))
		bio("30")
		bio("30", func(x *network.Transaction) { x.PidData = secret.NewPidData("<PidData/>") })
		bio("52", b.finger(kumar), b.holder(kumar))
		old := b.finger(shivshankar)
		time.Sleep(21 * time.Minute)
		bio("OQ", old)
		pid := b.finger(shivshankar)
		b.ok("status", network.CustomerBiometric, enrolled(ref), b.holder(shivshankar), pid)
		bio("V2", pid)
		// Another number before the submission has to show its finger.
		b.ok("status", network.CustomerUID, enrolled(ref), b.holder(kumar))
		b.refused("12", network.RefusedOrder, "updatebiodetail", network.CustomerSubmit, enrolled(ref))
		b.ok("status", network.CustomerBiometric, enrolled(ref), b.holder(kumar), b.finger(kumar))
		b.ok("referenceid status", network.CustomerSubmit, enrolled(ref))
	})
}

func TestAgentOnboarding(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		state := func(want string) {
			t.Helper()
			if got := b.ok("status agentId", network.AgentStatus); got["status"] != want || got["agentId"] != merchant {
				t.Errorf("agent %v, want %s", got, want)
			}
		}
		pan := particulars(network.Particulars{PAN: "ABCDE1234F", Name: "Ganesh Rao", BirthDate: "1980-02-29"})
		begin := particulars(network.Particulars{Name: "Ganesh Rao", Mobile: mobile, Shop: "Ganesh Telecom"})
		finger := b.finger(shivshankar)
		state("NOT_STARTED")
		b.refused("76", network.RefusedNotFound, "agent", network.AgentDetail)
		for _, kind := range []network.Kind{network.AgentOTP, network.AgentOTPCheck} {
			b.refused("12", network.RefusedOrder, "onboarding has to be done first", kind)
		}
		request := b.ok("otpreqid agentId status", network.AgentOnboarding, begin)["otpreqid"].(string)
		state("OTP_SENT")
		b.refused("12", network.RefusedOrder, "validate_otp has to be done first", network.AgentPAN, pan)
		b.refused("12", network.RefusedOrder, "verify_pan has to be done first", network.AgentUID, b.holder(shivshankar))
		b.refused("12", network.RefusedOrder, "update_UID has to be done first", network.AgentBiometric, b.holder(shivshankar), finger)
		b.refused("12", network.RefusedOrder, "updatebiodetail has to be done first", network.AgentSubmit)
		b.refused("55", network.RefusedOTP, "INVALID OTP", network.AgentOTPCheck, particulars(network.Particulars{OTPRequest: request}), otpIs(other(b.otp(mobile))))
		newer := b.ok("otpreqid", network.AgentOTP, particulars(network.Particulars{Mobile: mobile}))["otpreqid"].(string)
		b.refused("55", network.RefusedOTP, "INVALID OTP", network.AgentOTPCheck, particulars(network.Particulars{OTPRequest: request}), otpIs(b.otp(mobile)))
		b.ok("status", network.AgentOTPCheck, particulars(network.Particulars{OTPRequest: newer}), otpIs(b.otp(mobile)))
		state("OTP_VERIFIED")
		for _, p := range []network.Particulars{
			{PAN: "ABCDE12345", Name: "G", BirthDate: "1980-01-01"}, {PAN: "ABCDE1234F", BirthDate: "1980-01-01"},
			{PAN: "ABCDE1234F", Name: "G", BirthDate: "1980-02-30"}, {PAN: "ABCDE1234F", Name: "G", BirthDate: "2999-01-01"}, {Name: "G", BirthDate: "1980-01-01"},
		} {
			b.refused("30", "", "FORMAT ERROR", network.AgentPAN, particulars(p))
		}
		if got := b.ok("status pan name", network.AgentPAN, pan); got["pan"] != "ABCXXXXX4F" || got["name"] != "Ganesh Rao" || got["status"] != "PAN_VERIFIED" {
			t.Errorf("PAN: %v", got)
		}
		b.refused("52", "", "AADHAAR", network.AgentUID, b.holder(unknown))
		if got := b.ok("status aadhaar_masked", network.AgentUID, b.holder(shivshankar)); got["aadhaar_masked"] != "XXXXXXXX7058" {
			t.Errorf("UID: %v", got)
		}
		b.refused("U3", "", "BIOMETRIC", network.AgentBiometric, b.holder(shivshankar), b.finger(kumar))
		b.ok("status", network.AgentBiometric, b.holder(shivshankar), finger)
		b.refused("V2", "", "TWICE", network.AgentBiometric, b.holder(shivshankar), finger)
		b.ok("status aadhaar_masked", network.AgentUID, b.holder(kumar))
		state("UID_UPDATED")
		b.ok("status", network.AgentBiometric, b.holder(kumar), b.finger(kumar))
		if got := b.ok("status agentId", network.AgentSubmit, particulars(network.Particulars{Agent: "APP-2"})); got["status"] != "APPROVED" {
			t.Errorf("submit: %v", got)
		}
		state("APPROVED")
		// Repeated from the beginning, an approved agent stays approved.
		b.ok("otpreqid agentId status", network.AgentOnboarding, begin)
		b.ok("status agentId", network.AgentSubmit, particulars(network.Particulars{Agent: "APP-2"}))
		b.refused("05", "", "ANOTHER AADHAAR", network.AgentUID, b.holder(shivshankar))
		state("APPROVED")
		got := b.ok("agentId name mobile shopName status", network.AgentDetail, by(lakshmi), particulars(network.Particulars{Agent: merchant}))
		if got["agentId"] != merchant || got["shopName"] != "Ganesh Telecom" || got["mobile"] != mobile || got["status"] != "APPROVED" {
			t.Errorf("detail: %v", got)
		}
	})
}

func TestAgentsOnboardedBefore(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		for mid, shop := range map[string]string{lakshmi: "Lakshmi Kirana Store", charminar: "Charminar General"} {
			if got := b.ok("agentId name mobile shopName status", network.AgentDetail, by(mid)); got["agentId"] != mid || got["shopName"] != shop || got["status"] != "APPROVED" {
				t.Errorf("%s: %v", mid, got)
			}
			if got := b.ok("agentId status", network.AgentStatus, by(mid)); got["status"] != "APPROVED" {
				t.Errorf("%s: %v", mid, got)
			}
		}
		b.reopen()
		b.scfg.Onboarded = []string{"GAL0000077"}
		b.reopen()
		b.ok("agentId name mobile shopName status", network.AgentDetail, by("GAL0000077"))
		b.ok("agentId name mobile shopName status", network.AgentDetail, by(lakshmi)) // it was, and stays
		for _, p := range []network.Particulars{{Mobile: mobile, Shop: "S"}, {Name: "A", Shop: "S"}, {Name: "A", Mobile: mobile}} {
			b.refused("30", "", "FORMAT ERROR", network.AgentOnboarding, particulars(p))
		}
	})
}

func TestCorrespondents(t *testing.T) {
	const aggregator, vendor, foreign = "a0000000-0000-4000-8000-000000000001", "b0000000-0000-4000-8000-000000000001", "b0000000-0000-4000-8000-000000000002"
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := network.Particulars{Name: "Sahyadri", Mobile: mobile, Email: "s@example.in", PAN: "ABCDE1234F", Address: "MG Road", City: "Pune", State: "MH", Pincode: "411001"}
		bc := b.ok("bcId status", network.BCRegister, by(aggregator), particulars(p))["bcId"].(string)
		if again := b.ok("bcId status", network.BCRegister, by(aggregator), particulars(p)); again["bcId"] != bc || again["status"] != "REGISTERED" {
			t.Errorf("again: %v", again)
		}
		if b.ok("bcId status", network.BCRegister, by(foreign), particulars(p))["bcId"] == bc {
			t.Error("two parties share one correspondent")
		}
		wrong := p
		wrong.PAN = "abcde1234f"
		b.refused("30", "", "PAN", network.BCRegister, by(aggregator), particulars(wrong))
		wrong = p
		wrong.Pincode = "4110"
		b.refused("30", "", "pincode", network.BCRegister, by(aggregator), particulars(wrong))

		a := p
		a.Shop, a.BC = "Shop", bc
		b.refused("30", "", "Aadhaar", network.BCAgentRegister, by(vendor), particulars(a))
		agent := b.ok("agentId status", network.BCAgentRegister, by(vendor), particulars(a), b.holder(kumar))["agentId"].(string)
		if again := b.ok("agentId status", network.BCAgentRegister, by(vendor), particulars(a), b.holder(kumar)); again["agentId"] != agent {
			t.Errorf("again: %v", again)
		}
		lost := a
		lost.BC = agent
		b.refused("76", network.RefusedNotFound, "correspondent", network.BCAgentRegister, by(vendor), particulars(lost), b.holder(kumar))
		is := particulars(network.Particulars{Agent: agent})
		for _, mid := range []string{vendor, aggregator} {
			if got := b.ok("status", network.BCStatus, by(mid), is); got["status"] != "REGISTERED" {
				t.Errorf("%s: %v", mid, got)
			}
		}
		b.refused("76", network.RefusedNotFound, "agent", network.BCAgentInitialize, by(foreign), is)
		b.refused("76", network.RefusedNotFound, "agent", network.BCStatus, by(foreign), is)
		b.refused("76", network.RefusedNotFound, "correspondent", network.BCStatus, by(vendor), particulars(network.Particulars{BC: bc}))
		b.refused("76", network.RefusedNotFound, "agent", network.BCStatus, by(vendor))
		b.ok("status", network.BCStatus, by(aggregator), particulars(network.Particulars{BC: bc}))
		for range 2 {
			if got := b.ok("agentId status", network.BCAgentInitialize, by(aggregator), is); got["status"] != "ACTIVE" || got["agentId"] != agent {
				t.Errorf("initialize: %v", got)
			}
		}
		if got := b.ok("status", network.BCStatus, by(vendor), is); got["status"] != "ACTIVE" {
			t.Errorf("active: %v", got)
		}
	})
}
