package dmt

import (
	"fmt"

	"galla/central"
	"galla/central/form"
)

// Fields that several routes have.
const (
	enrolmentField    = "referenceid"
	senderField       = "senderId"
	senderMobileField = "sender_mobilenumber"
	accountField      = "receiver_account_no"
	ifscField         = "receiverIfscCode"
	amountField       = "amount"
	refField          = "refId"
	otpField          = "otp"
	aadhaarField      = "aadhaarno"
	bcField           = "bcId"
	agentField        = "agentId"
)

// maxBeneficiary is the largest number that every JSON reader holds exactly.
const maxBeneficiary = 1<<53 - 1

// receiverEmail stands in for a receiver's address that is not given to
// accountVerification. Nothing can be delivered to it (RFC 2606).
const receiverEmail = "receiver@galla.invalid"

func nothing(*form.Reader, *central.BankRequest) {}

// either takes one of two optional texts that name the same thing, the first
// where both are there. Where neither is, both fields are noted as missing; a
// field that is wrong in itself is told alone.
func either(in *form.Reader, noted int, firstField string, first *string, secondField string, second *string) {
	if *first != "" {
		*second = ""
		return
	}
	if *second == "" && in.Failures() == noted {
		message := fmt.Sprintf("is required, or one of [%s %s] in its place", firstField, secondField)
		in.Fail(firstField, "required", message)
		in.Fail(secondField, "required", message)
	}
}

// Section 4.3.

func customerDetail(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Mobile = in.MobileText("mobile_number", form.Must)
}

func customerOnboarding(in *form.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Name:   in.Name("name", form.Must, form.MaxName),
		Mobile: in.MobileText("mobile_no", form.Must),
		City:   in.Name("city", form.Must, form.MaxName),
		State:  in.Name("state", form.Must, form.MaxName),
		Email:  in.Email("email_id", form.May),
	}
}

// enrolment names a customer's onboarding, which every later step needs.
func enrolment(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Enrolment = in.ID(enrolmentField, form.Must)
}

func customerOTPCheck(in *form.Reader, r *central.BankRequest) {
	r.OTP = in.OTP(otpField)
	r.Particulars.OTPRequest = in.ID("otpreqid", form.Must)
	enrolment(in, r)
}

func customerUID(in *form.Reader, r *central.BankRequest) {
	r.Aadhaar = in.Aadhaar(aadhaarField, form.Must)
	enrolment(in, r)
}

func customerBiometric(in *form.Reader, r *central.BankRequest) {
	r.PidData = in.PidData("PidData")
	customerUID(in, r)
}

// Section 4.4.

// remitterRegister: where both fields are sent, senderId says it, since it
// names one person. A field mobilenumber is not read.
func remitterRegister(in *form.Reader, r *central.BankRequest) {
	noted, p := in.Failures(), &r.Particulars
	p.Mobile = in.Mobile(senderMobileField, form.May)
	p.Sender = in.UUID(senderField, form.May)
	either(in, noted, senderField, &p.Sender, senderMobileField, &p.Mobile)
}

func remitterDetails(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Mobile = in.Mobile(senderMobileField, form.Must)
}

// accountVerification: the statuses 1, 0, -1 and 91 (section 3.3) are the
// network's, and so is the rule that an ambiguous one is asked again after 30
// seconds: each call is a verification of its own.
func accountVerification(in *form.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Account:        in.AccountText(accountField, form.Must),
		IFSC:           in.IFSC(ifscField, form.Must),
		Sender:         in.UUID(senderField, form.May),
		Mobile:         in.Mobile(senderMobileField, form.May),
		Receiver:       in.Name("receivername", form.May, form.MaxName),
		ReceiverMobile: in.Mobile("receivermobilenumber", form.May),
		ReceiverEmail:  in.Email("receiveremailid", form.May),
	}
	if r.Particulars.ReceiverEmail == "" {
		r.Particulars.ReceiverEmail = receiverEmail
	}
}

func beneficiaryAdd(in *form.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Sender:         in.UUID(senderField, form.Must),
		Receiver:       in.Name("receivername", form.Must, form.MaxName),
		IFSC:           in.IFSC(ifscField, form.Must),
		Account:        in.Account(accountField, form.Must),
		ReceiverMobile: in.Mobile("receivermobilenumber", form.May),
		ReceiverEmail:  in.Email("receiveremailid", form.May),
		Address:        in.Name("address", form.May, form.MaxAddress),
		City:           in.Name("city", form.May, form.MaxName),
		State:          in.Name("state", form.May, form.MaxName),
		Branch:         in.Name("branch_contact", form.May, form.MaxName),
	}
}

// beneficiary names a beneficiary by whose and which account it is.
func beneficiary(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Sender = in.UUID(senderField, form.Must)
	r.Particulars.Account = in.Account(accountField, form.Must)
	r.Particulars.IFSC = in.IFSC(ifscField, form.Must)
}

func transferOTP(in *form.Reader, r *central.BankRequest) {
	transferCharges(in, r)
	r.Particulars.Account = in.Account(accountField, form.Must)
	r.Particulars.IFSC = in.IFSC(ifscField, form.Must)
}

func transferCharges(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Sender = in.UUID(senderField, form.Must)
	r.Amount = in.Amount(amountField, true)
}

// ReadTransfer reads transaction/instant. The document marks no field of it as
// required: needed is what says whose money goes where, under which reference
// and by whose word; the receiver's mobile number and the remarks may be left
// out.
func ReadTransfer(in *form.Reader, r *central.BankRequest) {
	p := &r.Particulars
	p.Sender = in.UUID(senderField, form.Must)
	p.Beneficiary = in.Integer("BeneficiaryId", form.Must, 1, maxBeneficiary)
	r.Amount = in.Amount(amountField, true)
	p.CallerRef = in.Ref(refField, form.Must)
	r.OTP = in.OTP(otpField)
	p.Account = in.Account(accountField, form.Must)
	p.IFSC = in.IFSC(ifscField, form.Must)
	p.Receiver = in.Name("account_holder_name", form.Must, form.MaxName)
	p.ReceiverMobile = in.Mobile("receiverMobilenumber", form.May)
	p.Remarks = in.Name("remarks", form.May, form.MaxName)
}

// ReadRequery reads the caller's reference of a transfer.
func ReadRequery(in *form.Reader) (refID string) { return in.Ref(refField, form.Must) }

// ReadRefundOTP reads transaction/refundOTP. Its field is spelled as the
// document has it, and carries the transaction id.
func ReadRefundOTP(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Original = in.ID("refereanceId", form.Must)
}

// ReadRefund reads refund; refId is the transfer's.
func ReadRefund(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Original = in.ID("transactionId", form.Must)
	r.Particulars.CallerRef = in.Ref(refField, form.Must)
	r.OTP = in.OTP(otpField)
}

// Section 4.4, end. What is registered of a person is needed in full.

func bcRegister(in *form.Reader, r *central.BankRequest) {
	p := &r.Particulars
	p.Name = in.Name("name", form.Must, form.MaxName)
	p.Mobile = in.Mobile("mobile_no", form.Must)
	p.Email = in.Email("email_id", form.Must)
	p.PAN = in.PAN("pan", form.Must)
	p.Address = in.Name("address", form.Must, form.MaxAddress)
	p.City = in.Name("city", form.Must, form.MaxName)
	p.State = in.Name("state", form.Must, form.MaxName)
	p.Pincode = in.Pincode("pincode", form.Must)
}

func bcAgentRegister(in *form.Reader, r *central.BankRequest) {
	r.Particulars.BC = in.ID(bcField, form.Must)
	bcRegister(in, r)
	r.Aadhaar = in.Aadhaar(aadhaarField, form.Must)
	r.Particulars.Shop = in.Name("shopName", form.Must, form.MaxName)
}

func bcAgentInitialize(in *form.Reader, r *central.BankRequest) {
	r.Particulars.Agent = in.ID(agentField, form.Must)
}

// bcStatus: where both ids are sent, the agent is asked after.
func bcStatus(in *form.Reader, r *central.BankRequest) {
	noted, p := in.Failures(), &r.Particulars
	p.BC = in.ID(bcField, form.May)
	p.Agent = in.ID(agentField, form.May)
	either(in, noted, agentField, &p.Agent, bcField, &p.BC)
}
