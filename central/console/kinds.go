package console

import "galla/central"

// KindName is a kind of operation as the trade calls it.
func KindName(k central.Kind) string { return kindName(k) }

// kindName is a kind of operation as the trade calls it. The counter's texts have the same
// names (words.md).
func kindName(k central.Kind) string {
	if name := kindNames()[k]; name != "" {
		return name
	}
	return string(k)
}

func kindNames() map[central.Kind]string {
	return map[central.Kind]string{
		central.KindWithdrawal:    "Cash withdrawal",
		central.KindBalance:       "Balance enquiry",
		central.KindMiniStatement: "Mini statement",
		central.KindPurchase:      "Aadhaar Pay",
		central.KindAgentAuth:     "Agent sign-in",
		central.KindCashDeposit:   "Cash deposit",

		central.KindAgentOnboarding: "Agent onboarding",
		central.KindAgentOTP:        "Agent onboarding: OTP",
		central.KindAgentOTPCheck:   "Agent onboarding: OTP check",
		central.KindAgentPAN:        "Agent onboarding: PAN",
		central.KindAgentUID:        "Agent onboarding: Aadhaar",
		central.KindAgentBiometric:  "Agent onboarding: fingerprint",
		central.KindAgentSubmit:     "Agent onboarding: submission",
		central.KindAgentStatus:     "Agent onboarding: status",
		central.KindAgentDetail:     "Agent onboarding: details",
		central.KindInitialize:      "Service KYC",

		central.KindCustomerDetail:     "Customer details",
		central.KindCustomerOnboarding: "Customer onboarding",
		central.KindCustomerOTP:        "Customer onboarding: OTP",
		central.KindCustomerOTPCheck:   "Customer onboarding: OTP check",
		central.KindCustomerUID:        "Customer onboarding: Aadhaar",
		central.KindCustomerBiometric:  "Customer onboarding: fingerprint",
		central.KindCustomerSubmit:     "Customer onboarding: submission",
		central.KindCustomerStatus:     "Customer onboarding: status",

		central.KindRemitterRegister:    "Remitter registration",
		central.KindRemitterDetails:     "Remitter details",
		central.KindAccountVerification: "Account verification",
		central.KindBeneficiaryAdd:      "Add beneficiary",
		central.KindBeneficiaryGet:      "List beneficiaries",
		central.KindBeneficiaryDelete:   "Delete beneficiary",
		central.KindTransferOTP:         "Money transfer: OTP",
		central.KindTransfer:            "Money transfer",
		central.KindTransferCharges:     "Money transfer: charges",
		central.KindRefundOTP:           "Refund: OTP",
		central.KindRefund:              "Refund",
		central.KindFloatBalance:        "Float balance",
		central.KindLogin:               "Network sign-in",

		central.KindBCRegister:        "BC onboarding",
		central.KindBCAgentRegister:   "BC onboarding: agent",
		central.KindBCAgentInitialize: "BC onboarding: agent set-up",
		central.KindBCStatus:          "BC onboarding: status",

		central.KindReceiptMessage: "Receipt by SMS",

		central.KindUPIPayment: "UPI payment",
		central.KindUPIRefund:  "UPI payment returned",
	}
}
