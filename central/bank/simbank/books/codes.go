package books

// Response codes that this bank gives (domain.md).
const (
	codeApproved      = "00"
	codeDoNotHonour   = "05"
	codeInvalidKind   = "12"
	codeInvalidAmount = "13"
	codeReversed      = "22"
	codeFormat        = "30"
	codeFunds         = "51"
	codeNotLinked     = "52"
	codeCeiling       = "61"
	codePending       = "68"
	codeIssuer        = "91"
	codeWrongIIN      = "92"
	codeDuplicate     = "94"
	codePidOld        = "OQ"
	codeFinger        = "U3"
	codeEncryption    = "U4"
	codeExpired       = "V0"
	codePidTime       = "V1"
	codePidTwice      = "V2"
	codeHMAC          = "V3"
	codeSessionKey    = "VU"
	codeCertificate   = "VV"
	codeDevice        = "X2"
	codeDeviceExpired = "X3"
)

// meanings are the texts beside the codes, for people.
var meanings = map[string]string{
	codeApproved:      "SUCCESS",
	codeDoNotHonour:   "DO NOT HONOUR",
	codeInvalidKind:   "INVALID TRANSACTION",
	codeInvalidAmount: "INVALID AMOUNT",
	codeReversed:      "FAILED, MONEY REVERSED",
	codeFormat:        "FORMAT ERROR IN PID DATA",
	codeFunds:         "INSUFFICIENT FUNDS",
	codeNotLinked:     "AADHAAR NOT LINKED TO AN ACCOUNT OF THIS BANK",
	codeCeiling:       "DAILY LIMIT EXCEEDED",
	codePending:       "PENDING",
	codeIssuer:        "ISSUER NOT AVAILABLE",
	codeWrongIIN:      "WRONG IIN",
	codeDuplicate:     "DUPLICATE REFERENCE",
	codePidOld:        "PID BLOCK OLDER THAN 20 MINUTES",
	codeFinger:        "BIOMETRIC DID NOT MATCH",
	codeEncryption:    "PID BLOCK CANNOT BE DECRYPTED",
	codeExpired:       "REQUEST EXPIRED",
	codePidTime:       "PID BLOCK HAS A TIME IN THE FUTURE",
	codePidTwice:      "PID BLOCK USED TWICE",
	codeHMAC:          "HMAC OF PID BLOCK DOES NOT MATCH",
	codeSessionKey:    "SESSION KEY CANNOT BE OPENED",
	codeCertificate:   "ENCRYPTED FOR ANOTHER CERTIFICATE",
	codeDevice:        "BIOMETRIC NOT SIGNED BY THE DEVICE",
	codeDeviceExpired: "DEVICE CERTIFICATE EXPIRED",
}
