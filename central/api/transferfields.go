package api

import (
	"galla/central"
	"galla/central/api/field"
)

// Fields of several routes.
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

// receiverEmail is sent where accountVerification has no address of the receiver.
// Nothing can be delivered to it (RFC 2606).
const receiverEmail = "receiver@galla.invalid"

func readNoFields(*field.Reader, *central.BankRequest) {}

// eitherField returns one of two optional texts with the same meaning, the first
// if both are sent. If neither is sent, both are recorded as missing; a field that
// is invalid gets only its own error.
func eitherField(in *field.Reader, noted int, firstField string, first *string, secondField string, second *string) {
	if *first != "" {
		*second = ""
		return
	}
	if *second == "" && in.Failures() == noted {
		in.FailEither(firstField, secondField)
		in.FailEither(secondField, firstField)
	}
}

// interface.md, section 4.3.

func readCustomerDetail(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Mobile = in.MobileText("mobile_number", field.Must)
}

func readCustomerOnboarding(in *field.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Name:   in.Name("name", field.Must, field.MaxName),
		Mobile: in.MobileText("mobile_no", field.Must),
		City:   in.Name("city", field.Must, field.MaxName),
		State:  in.Name("state", field.Must, field.MaxName),
		Email:  in.Email("email_id", field.May),
	}
}

// readEnrolment reads the id of a customer's onboarding, which every later step
// needs.
func readEnrolment(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Enrolment = in.ID(enrolmentField, field.Must)
}

func readCustomerOTPCheck(in *field.Reader, r *central.BankRequest) {
	r.OTP = in.OTP(otpField)
	r.Particulars.OTPRequest = in.ID("otpreqid", field.Must)
	readEnrolment(in, r)
}

func readCustomerUID(in *field.Reader, r *central.BankRequest) {
	r.Aadhaar = in.Aadhaar(aadhaarField, field.Must)
	readEnrolment(in, r)
}

func readCustomerBiometric(in *field.Reader, r *central.BankRequest) {
	r.PidData = in.PidData("PidData")
	readCustomerUID(in, r)
}

// interface.md, section 4.4.

// readRemitterRegister uses senderId if both fields are sent, since it names one
// person. It does not read mobilenumber.
func readRemitterRegister(in *field.Reader, r *central.BankRequest) {
	noted, p := in.Failures(), &r.Particulars
	p.Mobile = in.Mobile(senderMobileField, field.May)
	p.Sender = in.UUID(senderField, field.May)
	eitherField(in, noted, senderField, &p.Sender, senderMobileField, &p.Mobile)
}

func readRemitterDetails(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Mobile = in.Mobile(senderMobileField, field.Must)
}

// readAccountVerification reads the fields; the network decides the statuses 1, 0,
// -1 and 91 (interface.md, section 3.3). After an ambiguous one the caller asks
// again after 30 seconds, so each request is a verification of its own.
func readAccountVerification(in *field.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Account:        in.AccountText(accountField, field.Must),
		IFSC:           in.IFSC(ifscField, field.Must),
		Sender:         in.UUID(senderField, field.May),
		Mobile:         in.Mobile(senderMobileField, field.May),
		Receiver:       in.Name("receivername", field.May, field.MaxName),
		ReceiverMobile: in.Mobile("receivermobilenumber", field.May),
		ReceiverEmail:  in.Email("receiveremailid", field.May),
	}
	if r.Particulars.ReceiverEmail == "" {
		r.Particulars.ReceiverEmail = receiverEmail
	}
}

func readBeneficiaryAdd(in *field.Reader, r *central.BankRequest) {
	r.Particulars = central.Particulars{
		Sender:         in.UUID(senderField, field.Must),
		Receiver:       in.Name("receivername", field.Must, field.MaxName),
		IFSC:           in.IFSC(ifscField, field.Must),
		Account:        in.Account(accountField, field.Must),
		ReceiverMobile: in.Mobile("receivermobilenumber", field.May),
		ReceiverEmail:  in.Email("receiveremailid", field.May),
		Address:        in.Name("address", field.May, field.MaxAddress),
		City:           in.Name("city", field.May, field.MaxName),
		State:          in.Name("state", field.May, field.MaxName),
		Branch:         in.Name("branch_contact", field.May, field.MaxName),
	}
}

// readBeneficiary reads a sender and a beneficiary of theirs.
func readBeneficiary(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Sender = in.UUID(senderField, field.Must)
	r.Particulars.Account = in.Account(accountField, field.Must)
	r.Particulars.IFSC = in.IFSC(ifscField, field.Must)
}

func readTransferOTP(in *field.Reader, r *central.BankRequest) {
	readTransferCharges(in, r)
	r.Particulars.Account = in.Account(accountField, field.Must)
	r.Particulars.IFSC = in.IFSC(ifscField, field.Must)
}

func readTransferCharges(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Sender = in.UUID(senderField, field.Must)
	r.Amount = in.Amount(amountField, true)
}

// readTransferFields reads transaction/instant. The interface marks no field of it
// as required. Needed here: from whom, to whom, the reference and the OTP. The
// receiver's mobile number and the remarks are optional.
func readTransferFields(in *field.Reader, r *central.BankRequest) {
	p := &r.Particulars
	p.Sender = in.UUID(senderField, field.Must)
	p.Beneficiary = in.Integer("BeneficiaryId", field.Must, 1, maxBeneficiary)
	r.Amount = in.Amount(amountField, true)
	p.CallerRef = in.Ref(refField, field.Must)
	r.OTP = in.OTP(otpField)
	p.Account = in.Account(accountField, field.Must)
	p.IFSC = in.IFSC(ifscField, field.Must)
	p.Receiver = in.Name("account_holder_name", field.Must, field.MaxName)
	p.ReceiverMobile = in.Mobile("receiverMobilenumber", field.May)
	p.Remarks = in.Name("remarks", field.May, field.MaxName)
}

// readRefundOTPFields reads transaction/refundOTP. Its field has the interface's
// spelling and holds the transaction id.
func readRefundOTPFields(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Original = in.ID("refereanceId", field.Must)
}

// readRefundFields reads refund; refId is the transfer's.
func readRefundFields(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Original = in.ID("transactionId", field.Must)
	r.Particulars.CallerRef = in.Ref(refField, field.Must)
	r.OTP = in.OTP(otpField)
}

// interface.md, section 4.4, at its end: all details of a registered person are needed.

func readBCRegister(in *field.Reader, r *central.BankRequest) {
	p := &r.Particulars
	p.Name = in.Name("name", field.Must, field.MaxName)
	p.Mobile = in.Mobile("mobile_no", field.Must)
	p.Email = in.Email("email_id", field.Must)
	p.PAN = in.PAN("pan", field.Must)
	p.Address = in.Name("address", field.Must, field.MaxAddress)
	p.City = in.Name("city", field.Must, field.MaxName)
	p.State = in.Name("state", field.Must, field.MaxName)
	p.Pincode = in.Pincode("pincode", field.Must)
}

func readBCAgentRegister(in *field.Reader, r *central.BankRequest) {
	r.Particulars.BC = in.ID(bcField, field.Must)
	readBCRegister(in, r)
	r.Aadhaar = in.Aadhaar(aadhaarField, field.Must)
	r.Particulars.Shop = in.Name("shopName", field.Must, field.MaxName)
}

func readBCAgentInitialize(in *field.Reader, r *central.BankRequest) {
	r.Particulars.Agent = in.ID(agentField, field.Must)
}

// readBCStatus asks about the agent if both ids are sent.
func readBCStatus(in *field.Reader, r *central.BankRequest) {
	noted, p := in.Failures(), &r.Particulars
	p.BC = in.ID(bcField, field.May)
	p.Agent = in.ID(agentField, field.May)
	eitherField(in, noted, agentField, &p.Agent, bcField, &p.BC)
}
