// Package bank is the central's adapter to the sandbox bank network: it implements
// central.Bank over the protocol below. The adapter of a real network will be another
// package with the same interface.
//
// One call of Send or Consult is at most one delivery: it writes one request on one
// connection and reads one reply. It never follows a redirect or uses a proxy.
//
// Connections are kept and used again where nothing speaks against it. One is kept only
// after a complete reply in time that passed every check, with nothing behind it and
// without Connection: close. It is used again only if it waited for less than
// Config.MaxIdle, is younger than Config.MaxLife, and is silent: just before the request
// nothing can be read from it, neither a byte nor its end. A kept connection that takes no
// byte of the request is replaced by a new one, once. When a byte was written, the outcome
// is unknown, whatever happens to the connection afterwards: the request is never sent
// again. TLS sessions are resumed; nothing is written before a handshake ended.
//
// An error is marked with central.MarkNotSent only if no byte of the request was written:
// the input was unusable, the kind needs the other call, the context or the deadline had
// ended before, no connection could be opened, or the first write failed with nothing
// written. Every other error of Send means pending. No error quotes a body.
package bank

// The protocol of the bank network.
//
// HTTP/1.1, POST, JSON in UTF-8 (Content-Type: application/json), on an
// address beside the bank's public one (GALLA_BANK_NETWORK_ADDR,
// 127.0.0.1:7301 by default). The messages, their limits and the checksum are
// the package central/bank/network.
//
// Checksum. Every request and every reply carries X-Checksum, the lower-case
// hex of HMAC-SHA-256 under the shared key (32 bytes) over
//
//	request: "request\n" method "\n" path "\n" body
//	reply:   "reply\n" HTTP status "\n" the request's reference "\n" body
//
// A request with a wrong checksum is answered 401 and leaves no trace. A reply
// with a wrong one is ignored: the operation is pending.
//
// POST /v1/transactions executes, and POST /v1/consultations reads or sends an
// OTP. Both take
//
//	reference    our reference, unique for ever: 1 to 40 of A–Z, 0–9 and '-'
//	stan         system trace audit number, six digits
//	kind         see below
//	notAfter     Unix milliseconds: the bank may not start it after that
//	mid, tid     merchant and terminal at the network; of a float and of
//	             correspondents the mid is the calling party's id. Up to 40
//	             characters; only AEPS transactions must have a tid
//	iin          the customer's bank, six digits
//	amountPaise  integer; 0 for an agent authentication and where a kind has
//	             no amount
//	aadhaar      twelve digits
//	pidData      the capture's XML, byte for byte
//	customer, latitude, longitude
//	inlineFor    of an agent authentication that shares its PID block with a
//	             transaction: that transaction's reference
//	otp          of the kinds that take one
//	particulars  an object of texts, and of beneficiary, which is an integer
//
// and POST /v1/enquiries returns the result of a transaction by {"reference"}.
//
// Kinds.
//
// AEPS transactions have tid, iin, aadhaar, pidData, customer, latitude and
// longitude: CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE,
// AGENT_AUTHENTICATION. CASH_DEPOSIT and undeclared kinds are answered 12.
//
// The others have the members below and none of iin, latitude, longitude,
// aadhaar, pidData, otp and amountPaise beside them: other members are refused (400). Of
// the particulars those before the semicolon are required. (c) marks consultations.
//
//	AGENT_ONBOARDING      mobile; name, shop. Sends an OTP
//	AGENT_OTP (c)         mobile
//	AGENT_OTP_CHECK       otpRequest, otp
//	AGENT_PAN             pan; name, birthDate
//	AGENT_UID             aadhaar
//	AGENT_BIOMETRIC       aadhaar, pidData
//	AGENT_SUBMIT          agent (the merchant's own reference, its appid)
//	AGENT_STATUS (c)
//	AGENT_DETAIL (c)      agent
//
//	CUSTOMER_DETAIL (c)   mobile
//	CUSTOMER_ONBOARDING   name, mobile, city, state; email
//	CUSTOMER_OTP (c)      enrolment
//	CUSTOMER_OTP_CHECK    enrolment, otpRequest, otp
//	CUSTOMER_UID          enrolment, aadhaar
//	CUSTOMER_BIOMETRIC    enrolment, aadhaar, pidData
//	CUSTOMER_SUBMIT       enrolment
//	CUSTOMER_STATUS (c)   enrolment
//
//	REMITTER_REGISTER     mobile or sender
//	REMITTER_DETAILS (c)  mobile
//	ACCOUNT_VERIFICATION  account, ifsc; sender, mobile, receiver,
//	                      receiverMobile, receiverEmail
//	BENEFICIARY_ADD       sender, receiver, account, ifsc; receiverMobile,
//	                      receiverEmail, address, city, state, branch
//	BENEFICIARY_GET (c)   sender, account, ifsc
//	BENEFICIARY_DELETE    sender, account, ifsc
//	TRANSFER_OTP (c)      sender, account, ifsc, amountPaise
//	TRANSFER              sender, beneficiary, account, ifsc, amountPaise, otp;
//	                      receiver, receiverMobile, remarks, callerRef
//	TRANSFER_CHARGES (c)  sender, amountPaise
//	REFUND_OTP (c)        original (our reference of the transfer)
//	REFUND                original, amountPaise, otp; callerRef
//	FLOAT_BALANCE (c)
//	LOGIN (c)
//
//	BC_REGISTER           mobile, pan; name, email, address, city, state, pincode
//	BC_AGENT_REGISTER     bc, aadhaar; name, mobile, email, pan, address, city,
//	                      state, pincode, shop
//	BC_AGENT_INITIALIZE   agent
//	BC_STATUS (c)         bc or agent
//
//	RECEIPT_MESSAGE       mobile, shop, template, language, receipt, day; value, account
//
// A RECEIPT_MESSAGE is an SMS to the customer who asked for a receipt. Senders of messages
// register their texts and send only a text's name and its values, as India's rules for
// commercial messages have it (TRAI, DLT). template and language name the text; receipt is
// the RRN or our reference of the operation that it is about, value its amount in rupees,
// day when it ended, account the last four digits of an Aadhaar number. An unregistered
// text is declined (30). An answer's data has the masked mobile number.
//
// Answers.
//
// All three are answered 200 with
//
//	reference      as it was asked
//	status         SUCCESS, FAILED or PENDING; to an enquiry also REVERSED
//	               (debited and given back) and NOT_FOUND; to a consultation
//	               SUCCESS or FAILED only
//	code, message  the response code (00 with SUCCESS and with nothing else)
//	               and a text for people
//	stan           the request's, echoed
//	rrn            retrieval reference number, 12 digits, unique
//	authCode       6 characters, of an approved AEPS debit
//	balancePaise   the customer's, after a debit or of a balance enquiry
//	miniStatement  to a mini statement only, not repeated to an enquiry. Its
//	               lines of transactions are passed on; a balance, headings and
//	               other lines are not
//	data           of a kind that is no AEPS transaction: one JSON object with
//	               the keys and types of its route in the interface. It is in
//	               every SUCCESS and in no FAILED, and reaches the caller of
//	               the interface byte for byte
//	refusal        with FAILED, where the caller needs the reason: ORDER (a
//	               step of an onboarding is missing, message names it),
//	               NOT_FOUND (no such person or record), LIMIT (message has
//	               the remainder), OTP (it was not accepted: nothing moved)
//	chargePaise    of a transfer: what the customer pays for it, GST included
//
// and otherwise with {"error"} for people: 400 unreadable, wrong members, or a
// kind on the wrong path; 401 wrong checksum, 413 too large, 503 too busy.
// Unknown, repeated and mistyped members are refused in both directions.
//
// Exactly once. A reference that was used before is answered FAILED, 94, and
// nothing happens; the adapter returns an error, because the first request may have been
// executed, which only an enquiry shows. A request that arrives
// after notAfter is answered FAILED, V0, and recorded: an enquiry says FAILED.
// An enquiry answers from what is committed, data, refusal and charge included.
// NOT_FOUND before notAfter means 'not yet'; after it, with a margin for the clocks,
// 'never'.
//
// Consultations are different: they leave no record of their reference, an enquiry never
// finds them, and without a reply the caller consults again. Each consultation sends a new
// OTP; it is never in an answer.
//
// Payments by UPI.
//
// The network reports each payment that it received for a VPA of ours, and its return to
// the payer: POST /network/v1/notifications at the central (GALLA_BANK_NOTIFY_URL of the
// sandbox bank). The checksum is the one over
//
//	notification: "notification\n" path "\n" body
//
// A notification is sent until it is answered 200, at least once, in any order, and
// possibly before a query finds the payment. It has the whole payment as the network knows
// it:
//
//	id           UPI's transaction id, unique for ever: 1 to 35 of A–Z and 0–9; also its
//	             reference in the settlement file
//	rrn          12 digits (UTR)
//	payee        VPA of the payee
//	tr           of a dynamic QR; absent: a static one, or none
//	amountPaise  integer
//	at           Unix milliseconds at which the payer paid
//	payerName, payerVPA  masked by the network; absent: not known
//	refund       {id, rrn, at}: the bank returned the whole payment; absent: it did not
//
// The central answers 200 with {"id"} once the payment is recorded, now or before, and
// with the checksum of a reply to that id. It answers 401 to a wrong checksum, 400 to a
// body that is none of these, 409 to a payment that is recorded with other values, and 503
// if it could not be recorded: the network sends it again later.
//
// POST /v1/payments at the network asks for payments: {"reference"} and either
// payee and tr, or rrn, or from and to (Unix milliseconds of the network's record, the
// first included) with after and limit (1 to 500). The answer is {"reference", "payments",
// "next"}: what a notification missed is found there.
