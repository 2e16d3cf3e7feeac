// Written by deploy/sdk/generate from the OpenAPI document; do not edit.
import type { CallOptions, Result } from './index.js';

export const version: string;

export interface AepsInitializeReply {
  merchantId: string;
  service: 'AEPS';
}

export interface AepsRequeryData {
  /** 00: approved. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
  /** Rupees after the withdrawal, two decimals; where the bank gave it. */
  Balance?: string;
  /** Our name for the transaction. */
  RetailerReferenceNumber?: string;
  /** The bank's retrieval reference number; of every success. */
  ReferenceNo?: string;
  /** The issuer's approval code; of every success. */
  AuthCode?: string;
  /** Masked: only the last four digits. */
  AadharNo?: string;
  txnStatus?: 'SUCCESS' | 'FAILED' | 'REVERSED';
  /** One string; one line for each transaction and no other line, separated by newlines. Banks send as many as they like: do not read it by position. */
  Ministatement?: string;
}

export interface Agent {
  agentId: string;
  name?: string;
  mobile?: string;
  shopName?: string;
  status?: string;
  [further: string]: unknown;
}

export interface AgentAuthentication {
  /** 00: authenticated. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
}

export interface AgentSession {
  authenticated: boolean;
  /** The terminal at the bank network. */
  tid: string;
  /** Absent where no session is active. */
  authenticatedAt?: string;
  /** 24 hours later. Absent where no session is active. */
  expiresAt?: string;
}

export interface Balance {
  /** 00: approved. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
  /** Rupees, two decimals. */
  Balance?: string;
  /** Our name for the transaction. */
  RetailerReferenceNumber: string;
  /** Masked: only the last four digits. */
  AadharNo: string;
  txnStatus: 'SUCCESS' | 'FAILED' | 'REVERSED';
}

export interface Bank {
  iin: string;
  bankName: string;
}

export interface Beneficiary {
  beneficiaryid: number;
  beneficiaryname: string;
  beneficiarymobilenumber: number;
  beneficiaryemailid: string;
  bank: string;
  state: string;
  city: string;
  branch: string;
  address: string;
  ifscode: string;
  /** Leading zeros are lost in it: see accountnumberText. */
  accountnumber: number;
  /** The account number with its leading zeros. */
  accountnumberText?: string;
  /** 1 usable, 0 awaiting verification, 2 blocked. */
  beneficiarystatus: number;
  impsstatus: number;
  [further: string]: unknown;
}

/** Present if configured. */
export interface Callback {
  url: string;
  events: string[];
}

export interface CallbackAttempt {
  number: number;
  at: string;
  http?: number;
  detail?: string;
  result: 'delivered' | 'retry' | 'given-up' | 'gone';
}

export interface CallbackDelivery {
  operationId: string;
  merchantId: string;
  /** Whose endpoint gets it. */
  receiver: 'merchant' | 'vendor';
  event: string;
  state: 'waiting' | 'delivered' | 'given-up';
  /** The end of the operation. */
  createdAt: string;
  attempts: number;
  /** The last attempt; absent: none. */
  triedAt?: string;
  /** The receiver's status at the last attempt; absent: no answer. */
  http?: number;
  /** The result of the last attempt, for people. */
  detail?: string;
  /** The next attempt; absent: there is none. */
  nextAt?: string;
  /** When it was delivered or given up. */
  endedAt?: string;
  /** Only of one callback: its attempts, oldest first. */
  log?: CallbackAttempt[];
}

export interface CallbackEndpoint {
  /** Empty: there is none. */
  url: string;
  events: string[];
  /** When the receiver answered 410 Gone; absent: it is enabled. */
  disabledAt?: string;
  /** The live ones, oldest first. */
  secrets: Secret[];
}

export interface Charges {
  /** Rupees that the customer pays for the transfer, GST included. */
  charge: number;
  /** Amount and charge. */
  totalAmount: number;
  /** The tax in the charge. */
  gst?: number;
  commission?: number;
  [further: string]: unknown;
}

export interface Customer {
  referenceid: string;
  name: string;
  mobile_no: string;
  email_id?: string;
  city?: string;
  state?: string;
  kyc_verified: boolean;
  /** Only the last four digits. */
  aadhaar_masked?: string;
  [further: string]: unknown;
}

export interface DmtBeneficiaryAddData {
  beneficiaryid: number;
  [further: string]: unknown;
}

export interface DmtLoginData {
  sessionId: string;
  expiresAt: string;
  [further: string]: unknown;
}

export interface DmtRefundData {
  refundId?: string;
  /** Rupees. */
  amount: number;
  /** The bank's reference; absent while it is missing. */
  rrn?: string;
  /** Names the transfer from the first moment on; for refunds. */
  transactionId?: string;
  status?: 'SUCCESS' | 'PENDING' | 'FAILED' | 'REVERSED';
}

export interface DmtRemitterRegisterData {
  senderid: string;
  /** Rupees. */
  registrationFeeCharged: number;
  [further: string]: unknown;
}

export interface DmtTransactionBalanceData {
  /** Rupees. */
  balance: number;
  [further: string]: unknown;
}

export interface Earning {
  /** Where grouped by day. */
  day?: string;
  /** Where grouped by merchant. */
  merchantId?: string;
  /** Where grouped by type. */
  paymentMethod?: string;
  /** Where grouped by type. */
  provider?: string;
  /** Where grouped by type. */
  txnType?: string;
  /** Operations that earned, less those that were reversed. */
  count: number;
  reversed: number;
  /** Amounts of the operations, in rupees as all that follow. */
  volume: number;
  /** What customers paid for them, GST included. */
  charge: number;
  gst: number;
  providerCost: number;
  commission: number;
  /** Tax deducted at source of the commission. */
  tds: number;
  /** Commission less tds. */
  net: number;
}

export interface EarningTotals {
  count: number;
  reversed: number;
  volume: number;
  charge: number;
  gst: number;
  providerCost: number;
  commission: number;
  tds: number;
  net: number;
}

export interface EarningsReport {
  from: string;
  to: string;
  groupBy: ('day' | 'merchant' | 'type')[];
  earnings: Earning[];
  totals: EarningTotals;
}

export interface EnrolledTerminal {
  terminalId: string;
  merchantId: string;
  /** The terminal at the bank network. */
  tid: string;
  merchantName: string;
  /** The merchant at the bank network. */
  mid: string;
  /** The websocket that the terminal connects to. */
  uplink: string;
  /** What its tokens must name. */
  audience: string;
}

export interface Enrolment {
  /** Every later step of the onboarding needs it. */
  referenceid: string;
  /** The network's word on how far it is. */
  status?: string;
  [further: string]: unknown;
}

export interface EnrolmentCode {
  code: string;
  /** 15 minutes after it was made. */
  expiresAt: string;
}

export interface FinishedOperation {
  /** The operation, as GET /operations/{id} takes it. */
  id: string;
  /** The merchant of the operation. */
  merchantId: string;
  /** The request that created it, such as POST /aeps/withdrawal. */
  route: string;
  /** Our reference, GL… */
  reference: string;
  /** The reference of the pending reply, AEPS-NR-… or DMT-NR-… */
  pendingReference: string;
  /** Your own reference in the body: clientRefId or refId. */
  callerReference?: string;
  /** The Idempotency-Key of the request, if it had one and was the receiver's own. */
  idempotencyKey?: string;
  /** Rupees, as a text with two decimals. */
  amount: string;
  /** SUCCESS, FAILED or REVERSED. */
  txnStatus: string;
  /** The bank's code; 00 if and only if it succeeded. */
  ResponseCode: string;
  /** The bank's retrieval reference number. */
  RRN?: string;
  /** When the operation ended, ISO 8601 in UTC. */
  finishedAt: string;
}

export interface Limit {
  /** The kinds of transactions that it bounds, each by itself. */
  kinds: string[];
  scope: 'transaction' | 'customer-terminal-day' | 'terminal-day' | 'remitter-day' | 'remitter-month';
  /** Rupees; 0: no bound. So are max, step and sum. */
  min: number;
  max: number;
  /** The amount must be a multiple of it. */
  step: number;
  /** How many in the scope's time; 0: no bound. */
  count: number;
  /** How much in the scope's time. */
  sum: number;
  /** The first day in force; empty: always. */
  from: string;
  /** The first day no longer in force; empty: none. */
  until: string;
}

export interface Merchant {
  id: string;
  /** The merchant at the bank network. */
  mid: string;
  appid: string;
  legal_name: string;
  mstatus: 'PENDING' | 'APPROVED' | 'SUSPENDED' | 'REJECTED';
  status: boolean;
  riskflag: number;
  createdAt: string;
  settlementAccount?: SettlementAccount;
  callback?: Callback;
}

export interface MerchantLimit {
  /** The kinds of transactions that it bounds, each by itself. */
  kinds: string[];
  scope: 'merchant-day' | 'merchant-month';
  /** Rupees; 0: no bound. So are max, step and sum. */
  min: number;
  max: number;
  /** The amount must be a multiple of it. */
  step: number;
  /** How many in the scope's time; 0: no bound. */
  count: number;
  /** How much in the scope's time. */
  sum: number;
  /** The first day in force; empty: always. */
  from: string;
  /** The first day no longer in force; empty: none. */
  until: string;
}

export interface MiniStatement {
  /** 00: approved. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
  /** One string; one line for each transaction and no other line, separated by newlines. Banks send as many as they like: do not read it by position. */
  Ministatement?: string;
  /** Masked: only the last four digits. */
  AadharNo: string;
  txnStatus: 'SUCCESS' | 'FAILED' | 'REVERSED';
}

export interface NewCallbackSecret {
  id: string;
  /** As Standard Webhooks writes it: whsec_ and base64. */
  secret: string;
}

export interface NewClientSecret {
  id: string;
  client_id: string;
  client_secret: string;
}

export interface NewVendorKey {
  id: string;
  /** What X-Client-Id takes. */
  apiKey: string;
  /** The 32 bytes of the AES key, in base64. */
  key: string;
}

export interface OTPRequest {
  /** Names the OTP, for validate_otp. */
  otpreqid: string;
  [further: string]: unknown;
}

export interface OnboardingDmtBcAgentInitializeData {
  agentId: string;
  status: string;
  [further: string]: unknown;
}

export interface OnboardingDmtBcAgentRegistorData {
  agentId: string;
  status: string;
  [further: string]: unknown;
}

export interface OnboardingDmtBcRegistorData {
  bcId: string;
  status: string;
  [further: string]: unknown;
}

export interface Operation {
  id: string;
  /** Method and path of the request. */
  route: string;
  status: 'received' | 'sent' | 'pending' | 'succeeded' | 'failed' | 'reversed' | 'refused';
  reference: string;
  pendingReference?: string;
  stan: string;
  /** Rupees, two decimals. */
  amount: string;
  responseCode?: string;
  rrn?: string;
  createdAt: string;
  sentAt?: string;
  finishedAt?: string;
}

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  totalPages: number;
}

/** The bank network's own object, as it came. */
export interface Progress {
  /** The network's word on how far it is. */
  status: string;
  [further: string]: unknown;
}

export interface Purchase {
  /** 00: approved. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
  /** Our name for the transaction. */
  RetailerReferenceNumber: string;
  /** The bank's retrieval reference number; of every success. */
  ReferenceNo?: string;
  /** The issuer's approval code; of every success. */
  AuthCode?: string;
  /** Masked: only the last four digits. */
  AadharNo: string;
  txnStatus: 'SUCCESS' | 'FAILED' | 'REVERSED';
}

export interface QRCode {
  type: 'STATIC' | 'DYNAMIC';
  /** An NPCI UPI link. */
  upiLink: string;
  /** A QR code of the link, as a PNG. */
  image: string;
  order_id: string;
  /** Rupees; 0 in a static code. */
  amount: number;
  /** The UPI address that is paid. */
  vpa: string;
  payeeName: string;
}

export interface RecentTransaction {
  id: string;
  /** CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER or REFUND. */
  type: string;
  /** Rupees. */
  amount: number;
  status: 'SUCCESS' | 'FAILED' | 'PENDING' | 'REVERSED';
  /** Our name for it: RetailerReferenceNumber, transactionId, refundId. */
  reference: string;
  createdAt: string;
}

export interface RefundReceipt {
  refundId: string;
  /** Rupees. */
  amount: number;
}

export interface Remitter {
  senderId: string;
  status: boolean;
  remitter: boolean;
  TransactionDone: number;
  /** Rupees that can be sent now. */
  AviableLimit: number;
  /** The day's ceiling in rupees. */
  AviabledayLimit: number;
  /** The month's ceiling in rupees. */
  monthLimit?: number;
  /** Rupees that are left of the month's ceiling. */
  AviableMonthLimit?: number;
  beneficiarydetail: Beneficiary[];
  [further: string]: unknown;
}

export interface Secret {
  id: string;
  /** Absent: not recorded. */
  createdAt?: string;
  /** When it ends; absent: no end is planned. */
  endsAt?: string;
}

/** Present if configured. */
export interface SettlementAccount {
  /** The last four digits are shown. */
  accountNumber: string;
  ifsc: string;
  bankName: string;
  holder: string;
}

export interface Slab {
  id: string;
  vendorId: string;
  aggregatorId: string;
  paymentMethod: string;
  provider: string;
  txnType: string;
  /** Rupees; absent: the band is open below. */
  minAmount?: number;
  /** Rupees; absent: the band is open above. */
  maxAmount?: number;
  commissionRate: number;
  rateType: 'FIXED' | 'PERCENTAGE';
  isDefault: boolean;
}

export interface Terminal {
  id: string;
  name: string;
  /** The terminal at the bank network. */
  tid: string;
  createdAt: string;
  /** When it last said hello; absent: never. */
  seenAt?: string;
  revoked: boolean;
}

export interface Transfer {
  /** The bank's reference; absent while it is missing. */
  rrn?: string;
  /** Names the transfer from the first moment on; for refunds. */
  transactionId?: string;
  /** Rupees. */
  amount: number;
  status: 'SUCCESS' | 'PENDING' | 'FAILED' | 'REVERSED';
}

export interface TransferState {
  status: 'SUCCESS' | 'PENDING' | 'FAILED' | 'REVERSED' | 'REFUNDED';
  /** The bank's reference, where it gave one. */
  rrn?: string;
  transactionId: string;
  /** Rupees. */
  amount: number;
}

export interface UPIOrder {
  order_id: string;
  status: 'OPEN' | 'EXPIRED' | 'PAID' | 'AMOUNT_DIFFERS' | 'RETURNED';
  /** Rupees, two decimals, of the newest code. */
  amount?: string;
  /** Until when a payment counts as one of this order without a person. */
  expiresAt?: string;
  /** Rupees, two decimals: what was received and not returned. */
  received: string;
  /** Newest first, at most 100. */
  payments: UPIPayment[];
}

export interface UPIPayment {
  /** UPI's transaction id, unique for ever. */
  id: string;
  /** The network's reference (UTR). */
  RRN: string;
  /** Of the dynamic code that was paid; absent: none. */
  order_id?: string;
  /** Rupees, two decimals. */
  amount: string;
  /** The UPI address that was paid. */
  vpa: string;
  /** Masked by the network. */
  payerName?: string;
  /** Masked by the network. */
  payerVPA?: string;
  match: 'order' | 'static' | 'expired-order' | 'wrong-amount' | 'unknown-order';
  status: 'RECEIVED' | 'RETURNED';
  /** When the payer paid. */
  paidAt: string;
  /** When the central recorded it. */
  recordedAt: string;
  /** UPI's transaction id of the return. */
  refundId?: string;
  refundRRN?: string;
  /** When the bank returned it to its payer. */
  returnedAt?: string;
}

export interface Vendor {
  id: string;
  legal_name: string;
  status: boolean;
  /** Absent where none is assigned. */
  aggregatorId?: string;
  /** The first 50 that are not pending; GET /vendor/merchants pages through all of them. */
  merchants: VendorMerchant[];
  /** How many there are. */
  merchantCount: number;
}

export interface VendorClient {
  /** client_id. */
  id: string;
  /** False: suspended; it gets no tokens. */
  active: boolean;
  /** Absent: not recorded. */
  createdAt?: string;
  /** The live ones, the newest first. */
  secrets: Secret[];
}

export interface VendorKey {
  id: string;
  /** The last characters of the API key. */
  hint: string;
  /** Messages under it are accepted. */
  live: boolean;
  createdAt: string;
  /** When it was last used; absent: never. It may be some seconds late. */
  usedAt?: string;
  /** When it ends, or ended; absent: no end is planned. */
  endsAt?: string;
}

export interface VendorMerchant {
  id: string;
  /** The merchant at the bank network. */
  mid: string;
  appid: string;
  legal_name: string;
  mstatus: 'PENDING' | 'APPROVED' | 'SUSPENDED' | 'REJECTED';
  status: boolean;
  riskflag: number;
  createdAt: string;
  settlementAccount?: SettlementAccount;
  callback?: Callback;
  /** The newest, at most ten. */
  transactions: RecentTransaction[];
}

export interface VendorOperation {
  id: string;
  /** Method and path of the request; NETWORK upi.received or NETWORK upi.returned where the bank network reported it. */
  route: string;
  status: 'received' | 'sent' | 'pending' | 'succeeded' | 'failed' | 'reversed' | 'refused';
  reference: string;
  pendingReference?: string;
  /** Empty of a payment by UPI. */
  stan: string;
  /** Rupees, two decimals. */
  amount: string;
  responseCode?: string;
  rrn?: string;
  createdAt: string;
  sentAt?: string;
  finishedAt?: string;
  merchantId: string;
  /** CASH_WITHDRAWAL, BALANCE_ENQUIRY, MINI_STATEMENT, PURCHASE, AGENT_AUTHENTICATION, TRANSFER, REFUND, UPI_PAYMENT (received by UPI) or UPI_REFUND (returned to the payer). */
  type: string;
  /** Masked; of AEPS transactions. */
  AadharNo?: string;
}

export interface Verification {
  /** 1 verified, 0 failed; -1 and 91 ambiguous: ask again after 30 seconds. */
  status: number;
  /** Where the bank knows it. */
  account_holder_name?: string;
  [further: string]: unknown;
}

export interface Withdrawal {
  /** 00: approved. Anything else: not. */
  ResponseCode: string;
  /** The bank's words. */
  ResponseStatus: string;
  /** System trace number. */
  STAN: string;
  /** Rupees after the withdrawal, two decimals; where the bank gave it. */
  Balance?: string;
  /** Our name for the transaction. */
  RetailerReferenceNumber: string;
  /** The bank's retrieval reference number; of every success. */
  ReferenceNo?: string;
  /** The issuer's approval code; of every success. */
  AuthCode?: string;
  /** Masked: only the last four digits. */
  AadharNo: string;
  txnStatus: 'SUCCESS' | 'FAILED' | 'REVERSED';
}

/** What some replies have beside data. */
export interface Extra {
  /** An OTP was sent. */
  otp_status?: boolean;
  /** Names the OTP, for validate_otp. */
  otp_reqid?: string;
  /** What after takes to get the next page. */
  next?: string;
  pagination?: Pagination;
  /** Only of a sandbox, where the paise of an amount play scenarios. */
  sandbox?: boolean;
  /** What a merchant may receive in a day or a month; absent: as much as comes. */
  merchantLimits?: MerchantLimit[];
}

/** Create the AEPS service-KYC record */
export interface AepsInitializeParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Begin the onboarding, and send the first OTP */
export interface AepsOnboardingParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Send the onboarding OTP again */
export interface AepsRequestOtpParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Check the onboarding OTP */
export interface AepsValidateOtpParams {
  /** The one-time password from the text message. Must be the digits of a one-time password. */
  otp: string;
  /** Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  otpreqid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Verify the agent's PAN */
export interface AepsVerifyPanParams {
  /** Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter. */
  pan: string;
  /** The name. */
  name: string;
  /** Date of birth, not in the future. */
  dob: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Give the agent's Aadhaar number */
export interface AepsUpdateUidParams {
  /** The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  aadhaarno: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Give the agent's biometric */
export interface AepsUpdatebiodetailParams {
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  aadhaarno: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Finish the onboarding */
export interface AepsSubmitParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** How far the onboarding is */
export interface AepsStatusCheckParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Who an agent is */
export interface AepsGetAgentDetailParams {
  /** The agent's mid; absent or empty: the caller's own. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  agentId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Cash withdrawal */
export interface AepsWithdrawalParams {
  /** The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  AadharNo: string;
  /** The amount. Rupees, at most two decimals. */
  TxnAmount: number;
  /** Where the device is. Decimal degrees from -90 to 90. */
  Latitude: string;
  /** Where the device is. Decimal degrees from -180 to 180. */
  Longitude: string;
  /** The customer's name. */
  CustomerName: string;
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
  BankName?: string;
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Balance enquiry */
export interface AepsBalanceParams {
  /** The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  AadharNo: string;
  /** The amount. Must be 0 on this route. */
  TxnAmount: number;
  /** Where the device is. Decimal degrees from -90 to 90. */
  Latitude: string;
  /** Where the device is. Decimal degrees from -180 to 180. */
  Longitude: string;
  /** The customer's name. */
  CustomerName: string;
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
  BankName?: string;
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Mini statement */
export interface AepsMinstatementParams {
  /** The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  AadharNo: string;
  /** The amount. Must be 0 on this route. */
  TxnAmount: number;
  /** Where the device is. Decimal degrees from -90 to 90. */
  Latitude: string;
  /** Where the device is. Decimal degrees from -180 to 180. */
  Longitude: string;
  /** The customer's name. */
  CustomerName: string;
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
  BankName?: string;
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** The agent's daily authentication */
export interface AepsReqAuthParams {
  /** The agent's own, 12 digits: whoever stands at the terminal gives a finger, and no customer does. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  AadharNo: string;
  /** The amount. Must be 0 on this route. */
  TxnAmount: number;
  /** Where the device is. Decimal degrees from -90 to 90. */
  Latitude: string;
  /** Where the device is. Decimal degrees from -180 to 180. */
  Longitude: string;
  /** The agent's name. */
  CustomerName: string;
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The IIN of the agent's bank. An iin of aeps/banks; default 990326. */
  BankName?: string;
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Purchase (Aadhaar Pay) */
export interface AepsPurchaseParams {
  /** The customer's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  AadharNo: string;
  /** The amount. Rupees, at most two decimals. */
  TxnAmount: number;
  /** Where the device is. Decimal degrees from -90 to 90. */
  Latitude: string;
  /** Where the device is. Decimal degrees from -180 to 180. */
  Longitude: string;
  /** The customer's name. */
  CustomerName: string;
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The IIN of the customer's bank. An iin of aeps/banks; default 990326. */
  BankName?: string;
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** How an AEPS transaction stands */
export interface AepsRequeryParams {
  /** The operation's identity: a repeat with the same body gets the stored reply. The caller's own reference. */
  clientRefId?: string;
  /** The reference of a pending reply. The caller's own reference. */
  reference?: string;
  /** As a reply named the transaction. The caller's own reference. */
  RetailerReferenceNumber?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** The agent's session */
export interface AepsAuthStatusParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Find an onboarded customer */
export interface DmtCustomerGetDetailParams {
  /** The customer's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  mobile_number: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Begin a customer's onboarding */
export interface DmtCustomerOnboardingParams {
  /** The customer's name. */
  name: string;
  /** The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  mobile_no: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** E-mail address. Must be an e-mail address. */
  email_id?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Send the customer an OTP */
export interface DmtCustomerRequestOtpParams {
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Check the customer's OTP */
export interface DmtCustomerValidateOtpParams {
  /** The one-time password from the text message. Must be the digits of a one-time password. */
  otp: string;
  /** Which OTP is meant, as the request for it answered. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  otpreqid: string;
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Give the customer's Aadhaar number */
export interface DmtCustomerVerifyUidParams {
  /** The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  aadhaarno: string;
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Give the customer's biometric */
export interface DmtCustomerUpdatebiodetailParams {
  /** The capture as the registered-device service gave it, unchanged. It is used once and never stored. PidData XML of a registered device, with errCode 0. */
  PidData: string;
  /** The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  aadhaarno: string;
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Finish the customer's onboarding */
export interface DmtCustomerSubmitParams {
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** How far a customer's onboarding is */
export interface DmtCustomerStatusCheckParams {
  /** The customer's onboarding, as its beginning answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  referenceid: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Register an onboarded customer as a remitter */
export interface DmtRemitterRegisterParams {
  /** The remitter's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  sender_mobilenumber?: string;
  /** The customer's referenceid, or the remitter's id. It wins where both fields are sent. */
  senderId?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** A remitter with limits and beneficiaries */
export interface DmtRemitterDetailsParams {
  /** The remitter's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  sender_mobilenumber: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Verify a receiver's account */
export interface DmtBeneficiaryAccountVerificationParams {
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The remitter, as register and details answer it. */
  senderId?: string;
  /** The remitter's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  sender_mobilenumber?: string;
  /** The receiver's name. */
  receivername?: string;
  /** The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  receivermobilenumber?: string;
  /** The receiver's e-mail address. Must be an e-mail address. */
  receiveremailid?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Add a beneficiary */
export interface DmtBeneficiaryAddParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The receiver's name. */
  receivername: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  receivermobilenumber?: string;
  /** The receiver's e-mail address. Must be an e-mail address. */
  receiveremailid?: string;
  /** The receiver's address. */
  address?: string;
  /** The receiver's city. */
  city?: string;
  /** The receiver's state. */
  state?: string;
  /** The branch. */
  branch_contact?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** A beneficiary's record */
export interface DmtBeneficiaryGetParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Delete a beneficiary */
export interface DmtBeneficiaryDeleteParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Send the OTP of a transfer */
export interface DmtTransactionOtpParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The amount. Rupees, at most two decimals. */
  amount: number;
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Send money */
export interface DmtTransactionInstantParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The beneficiary, as add and details answer it. */
  BeneficiaryId: number;
  /** The amount. Rupees, at most two decimals. */
  amount: number;
  /** The caller's own reference of the transfer, and its identity. The caller's own reference. */
  refId: string;
  /** The one-time password from the text message. Must be the digits of a one-time password. */
  otp: string;
  /** The receiver's account number; leading zeros count. Must be an account number of 6 to 18 digits. */
  receiver_account_no: string;
  /** The receiver's branch. Must be an IFSC: four capital letters, a zero, six capital letters or digits. */
  receiverIfscCode: string;
  /** The receiver's name. */
  account_holder_name: string;
  /** The receiver's mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  receiverMobilenumber?: string;
  /** Words for the receiver. */
  remarks?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** What a transfer costs */
export interface DmtTransactionChargesParams {
  /** The remitter, as register and details answer it. */
  senderId: string;
  /** The amount. Rupees, at most two decimals. */
  amount: number;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** How a transfer stands */
export interface DmtTransactionRequeryParams {
  /** The caller's own reference of the transfer, and its identity. The caller's own reference. */
  refId: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Send the OTP of a refund */
export interface DmtTransactionRefundOtpParams {
  /** The transactionId of the transfer. The misspelling is the field's name. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  refereanceId: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Refund a transfer */
export interface DmtRefundParams {
  /** As the transfer's reply named it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  transactionId: string;
  /** The caller's own reference of the transfer, and its identity. The caller's own reference. */
  refId: string;
  /** The one-time password from the text message. Must be the digits of a one-time password. */
  otp: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Begin a session at the bank network */
export interface DmtLoginParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Register a business correspondent */
export interface OnboardingDmtBcRegistorParams {
  /** The correspondent's name. */
  name: string;
  /** The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  mobile_no: string;
  /** E-mail address. Must be an e-mail address. */
  email_id: string;
  /** Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter. */
  pan: string;
  /** Address. */
  address: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Postal code. Must be a six-digit PIN code. */
  pincode: string;
}

/** Register an agent of a business correspondent */
export interface OnboardingDmtBcAgentRegistorParams {
  /** The business correspondent's id, as its registration answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  bcId: string;
  /** The agent's name. */
  name: string;
  /** The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or 9. */
  mobile_no: string;
  /** E-mail address. Must be an e-mail address. */
  email_id: string;
  /** Permanent account number. Must be a PAN: five capital letters, four digits, one capital letter. */
  pan: string;
  /** Address. */
  address: string;
  /** City. */
  city: string;
  /** State. */
  state: string;
  /** Postal code. Must be a six-digit PIN code. */
  pincode: string;
  /** The person's, 12 digits. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the Verhoeff check. */
  aadhaarno: string;
  /** The shop's name. */
  shopName: string;
}

/** Activate an agent */
export interface OnboardingDmtBcAgentInitializeParams {
  /** The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  agentId: string;
}

/** How a business correspondent or agent stands */
export interface OnboardingDmtBcStatusParams {
  /** The business correspondent's id, as its registration answered it. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  bcId?: string;
  /** The agent's id at the bank network. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  agentId?: string;
}

/** Make a QR code */
export interface UpiGenerateQrParams {
  /** The merchant's own order, returned as it came. The link's tr is it where it can be one (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time. A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged. */
  order_id: string;
  /** The amount of a dynamic code; absent or 0: a static code. Rupees, at most two decimals. */
  amount?: number;
  /** Optional: the token names the merchant. */
  merchantId?: string;
}

/** Whether an order was paid */
export interface UpiStatusParams {
  /** The merchant's own order, returned as it came. The link's tr is it where it can be one (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each time. A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged. */
  order_id: string;
  /** Optional: the token names the merchant. */
  merchantId?: string;
}

/** Payments that were received */
export interface UpiPaymentsParams {
  /** How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
  limit?: number;
  /** The next of the page before; absent: the first page. Must have 1 to 64 letters, digits, dots, hyphens and underscores. */
  after?: string;
  /** The first Indian day; by default the report has 30 days. */
  from?: string;
  /** The last Indian day, included; today by default. */
  to?: string;
  /** Optional: the token names the merchant. */
  merchantId?: string;
}

/** The vendor's merchants */
export interface VendorMerchantsParams {
  /** Which page. Default 1. */
  page?: number;
  /** How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
  limit?: number;
}

/** The vendor's commission slabs */
export interface VendorCommissionListParams {
  /** The caller's own vendor id; another's is answered as an unknown one. */
  vendorId: string;
}

/** Create a commission slab */
export interface VendorCommissionCreateParams {
  /** The caller's own vendor id; another's is answered as an unknown one. */
  vendorId: string;
  /** AEPS or DMT, for what this service does. Upper and lower case do not matter. Any text of 1 to 64 printable characters, kept unchanged. */
  paymentMethod: string;
  /** The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is the same provider. Any text of 1 to 64 printable characters, kept unchanged. */
  provider: string;
  /** What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE, and for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64 printable characters, kept unchanged. */
  txnType: string;
  /** The band's lower bound, in it. Absent: open below. Rupees, at most two decimals. */
  minAmount?: number;
  /** The band's upper bound, not in it, and more than minAmount. Absent: open above. Rupees, at most two decimals. */
  maxAmount?: number;
  /** Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100, where it is PERCENTAGE. Absent: 0. At most six decimals. */
  commissionRate?: number;
  /** What commissionRate is; FIXED where it is absent. */
  rateType?: 'FIXED' | 'PERCENTAGE';
  /** The slab also serves amounts that no band of the combination holds. The combination's earlier default is unset. */
  isDefault?: boolean;
}

/** Change a commission slab */
export interface VendorCommissionUpdateParams {
  /** The caller's own vendor id; another's is answered as an unknown one. */
  vendorId: string;
  /** The slab's id, as its creation answered it. */
  slabId: string;
  /** AEPS or DMT, for what this service does. Upper and lower case do not matter. Any text of 1 to 64 printable characters, kept unchanged. */
  paymentMethod?: string;
  /** The upstream provider's code, such as NSDL. Upper and lower case do not matter: nsdl is the same provider. Any text of 1 to 64 printable characters, kept unchanged. */
  provider?: string;
  /** What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and PURCHASE, and for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text of 1 to 64 printable characters, kept unchanged. */
  txnType?: string;
  /** The band's lower bound, in it. Rupees, at most two decimals. */
  minAmount?: number;
  /** The band's upper bound, not in it, and more than minAmount. Rupees, at most two decimals. */
  maxAmount?: number;
  /** Rupees, with at most two decimals, where rateType is FIXED; percent, at most 100, where it is PERCENTAGE. At most six decimals. */
  commissionRate?: number;
  /** What commissionRate is. */
  rateType?: 'FIXED' | 'PERCENTAGE';
  /** The slab also serves amounts that no band of the combination holds. The combination's earlier default is unset. */
  isDefault?: boolean;
}

/** Delete a commission slab */
export interface VendorCommissionDeleteParams {
  /** The caller's own vendor id; another's is answered as an unknown one. */
  vendorId: string;
  /** The slab's id, as its creation answered it. */
  slabId: string;
}

/** What the vendor earned */
export interface VendorCommissionEarningsParams {
  /** The caller's own vendor id; another's is answered as an unknown one. */
  vendorId: string;
  /** The first Indian day; by default the report has 30 days. */
  from?: string;
  /** The last Indian day, included; today by default. */
  to?: string;
  /** What the lines are summed by. Any of day, merchant, type, separated by commas, each once; default day. */
  groupBy?: string;
}

/** End a key of the gateway */
export interface VendorKeysEndParams {
  /** The key's id, as its creation or the list answered it. */
  keyId: string;
  /** When it ends, at most 90 days ahead; absent: now. */
  at?: string;
}

/** Create a secret of a program */
export interface VendorClientsSecretsParams {
  /** The program's client_id. */
  clientId: string;
  /** When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
  formerEndsAt?: string;
}

/** End a secret of a program */
export interface VendorClientsSecretsEndParams {
  /** The program's client_id. */
  clientId: string;
  /** The secret's id, as its creation or the list answered it. */
  secretId: string;
  /** When it ends, at most 90 days ahead; absent: now. */
  at?: string;
}

/** Set where the vendor gets callbacks */
export interface VendorCallbackUpdateParams {
  /** The receiver's address. An HTTPS address. */
  url: string;
}

/** Create a secret of the vendor's callbacks */
export interface VendorCallbackSecretsParams {
  /** When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
  formerEndsAt?: string;
}

/** End a secret of the vendor's callbacks */
export interface VendorCallbackSecretsEndParams {
  /** The secret's id, as its creation or the list answered it. */
  secretId: string;
  /** When it ends, at most 90 days ahead; absent: now. */
  at?: string;
}

/** Where a merchant gets callbacks */
export interface VendorMerchantsCallbackGetParams {
  /** One of the vendor's merchants. */
  merchantId: string;
}

/** Set where a merchant gets callbacks */
export interface VendorMerchantsCallbackUpdateParams {
  /** One of the vendor's merchants. */
  merchantId: string;
  /** The receiver's address. An HTTPS address. */
  url: string;
}

/** Remove a merchant's endpoint */
export interface VendorMerchantsCallbackDeleteParams {
  /** One of the vendor's merchants. */
  merchantId: string;
}

/** Create a secret of a merchant's callbacks */
export interface VendorMerchantsCallbackSecretsParams {
  /** One of the vendor's merchants. */
  merchantId: string;
  /** When the present secret ends, at most 90 days ahead; absent: it is ended by a call. */
  formerEndsAt?: string;
}

/** End a secret of a merchant's callbacks */
export interface VendorMerchantsCallbackSecretsEndParams {
  /** One of the vendor's merchants. */
  merchantId: string;
  /** The secret's id, as its creation or the list answered it. */
  secretId: string;
  /** When it ends, at most 90 days ahead; absent: now. */
  at?: string;
}

/** Callbacks to the vendor's merchants */
export interface VendorCallbacksListParams {
  /** How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
  limit?: number;
  /** Only of this merchant. */
  merchant?: string;
  /** The next of the page before; absent: the first page. */
  after?: string;
  /** The state of the callback. */
  status?: 'waiting' | 'delivered' | 'given-up';
  /** The first Indian day; by default the report has 30 days. */
  from?: string;
  /** The last Indian day, included; today by default. */
  to?: string;
}

/** One callback with its attempts */
export interface VendorCallbacksGetParams {
  /** The operation that the callback is about. */
  operationId: string;
}

/** Send a callback again */
export interface VendorCallbacksResendParams {
  /** The operation that the callback is about. */
  operationId: string;
}

/** Operations of the vendor's merchants */
export interface VendorOperationsParams {
  /** How many on a page. Default 10; over 100 is served as 100, and pagination says so. */
  limit?: number;
  /** Only of this merchant. */
  merchant?: string;
  /** The next of the page before; absent: the first page. */
  after?: string;
  /** Only of this state. */
  status?: 'received' | 'sent' | 'pending' | 'succeeded' | 'failed' | 'reversed' | 'refused';
  /** Only of this kind. */
  type?: 'CASH_WITHDRAWAL' | 'BALANCE_ENQUIRY' | 'MINI_STATEMENT' | 'PURCHASE' | 'AGENT_AUTHENTICATION' | 'TRANSFER' | 'REFUND' | 'UPI_PAYMENT' | 'UPI_REFUND';
  /** The first Indian day; by default the report has 30 days. */
  from?: string;
  /** The last Indian day, included; today by default. */
  to?: string;
  /** The form of the reply; json where it is absent. csv is for the direct routes. */
  format?: 'json' | 'csv';
}

/** Make an enrolment code */
export interface TerminalsCreateParams {
  /** A name for the caller's own records. */
  name?: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** The merchant's terminals */
export interface TerminalsListParams {
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Revoke a terminal */
export interface TerminalsDeleteParams {
  /** The terminal's id. */
  id: string;
  /** The merchant to act for. Vendors only: a merchant's token names the merchant, whatever the body says. */
  merchantId?: string;
}

/** Enrol a terminal */
export interface TerminalsEnrolParams {
  /** The one-time enrolment code; it is the credential. */
  code: string;
  /** The terminal's own public key. An Ed25519 public key, 32 bytes in base64. */
  publicKey: string;
  /** The terminal's name. */
  name: string;
}

/** The state of an operation */
export interface OperationsGetParams {
  /** The operation's id, or its Idempotency-Key or X-Request-Id. */
  id: string;
}

export class GatewayRoutes {
  /**
   * Create the AEPS service-KYC record. POST /aeps/initialize
   *
   * Creates the record where there is none. The success has no envelope; errors have it.
   */
  aepsInitialize(params?: AepsInitializeParams, options?: CallOptions): Promise<Result<AepsInitializeReply>>;
  /**
   * Begin the onboarding, and send the first OTP. POST /aeps/onboarding
   *
   * Needs the merchant's information. The OTP goes to the merchant's mobile number.
   */
  aepsOnboarding(params?: AepsOnboardingParams, options?: CallOptions): Promise<Result<OTPRequest>>;
  /** Send the onboarding OTP again. POST /aeps/request_otp */
  aepsRequestOtp(params?: AepsRequestOtpParams, options?: CallOptions): Promise<Result<OTPRequest>>;
  /** Check the onboarding OTP. POST /aeps/validate_otp */
  aepsValidateOtp(params: AepsValidateOtpParams, options?: CallOptions): Promise<Result<Progress>>;
  /** Verify the agent's PAN. POST /aeps/verify_pan */
  aepsVerifyPan(params: AepsVerifyPanParams, options?: CallOptions): Promise<Result<Progress>>;
  /** Give the agent's Aadhaar number. POST /aeps/update_UID */
  aepsUpdateUid(params: AepsUpdateUidParams, options?: CallOptions): Promise<Result<Progress>>;
  /**
   * Give the agent's biometric. POST /aeps/updatebiodetail
   *
   * The finger must be that of the Aadhaar number.
   */
  aepsUpdatebiodetail(params: AepsUpdatebiodetailParams, options?: CallOptions): Promise<Result<Progress>>;
  /**
   * Finish the onboarding. POST /aeps/submit
   *
   * The merchant's own appid is the reference. Where the network approves, the merchant may transact from then on.
   */
  aepsSubmit(params?: AepsSubmitParams, options?: CallOptions): Promise<Result<Progress>>;
  /** How far the onboarding is. GET /aeps/statusCheck */
  aepsStatusCheck(params?: AepsStatusCheckParams, options?: CallOptions): Promise<Result<Progress>>;
  /**
   * Who an agent is. POST /aeps/GetAgentDetail
   *
   * The caller's own agent if none is named. Another party's agent is 04, like an unknown one.
   */
  aepsGetAgentDetail(params?: AepsGetAgentDetailParams, options?: CallOptions): Promise<Result<Agent>>;
  /** Cash withdrawal. POST /aeps/withdrawal */
  aepsWithdrawal(params: AepsWithdrawalParams, options?: CallOptions): Promise<Result<Withdrawal>>;
  /** Balance enquiry. POST /aeps/balance */
  aepsBalance(params: AepsBalanceParams, options?: CallOptions): Promise<Result<Balance>>;
  /** Mini statement. POST /aeps/minstatement */
  aepsMinstatement(params: AepsMinstatementParams, options?: CallOptions): Promise<Result<MiniStatement>>;
  /**
   * The agent's daily authentication. POST /aeps/reqAuth
   *
   * With the agent's own Aadhaar number and finger. A success opens the terminal's session for 24 hours.
   */
  aepsReqAuth(params: AepsReqAuthParams, options?: CallOptions): Promise<Result<AgentAuthentication>>;
  /**
   * Purchase (Aadhaar Pay). POST /aeps/purchase
   *
   * A debit at the point of sale.
   */
  aepsPurchase(params: AepsPurchaseParams, options?: CallOptions): Promise<Result<Purchase>>;
  /**
   * How an AEPS transaction stands. POST /aeps/requery
   *
   * The same reply as the transaction's, as it stands now. Exactly one of the three fields names it. The bank is not asked: the central does that by itself while an answer is missing.
   */
  aepsRequery(params?: AepsRequeryParams, options?: CallOptions): Promise<Result<AepsRequeryData>>;
  /**
   * The agent's session. GET /aeps/authStatus
   *
   * Reads the session and never asks the bank.
   */
  aepsAuthStatus(params?: AepsAuthStatusParams, options?: CallOptions): Promise<Result<AgentSession>>;
  /** The banks that customers can have. GET /aeps/banks */
  aepsBanks(params?: Record<string, never>, options?: CallOptions): Promise<Result<Bank[]>>;
  /**
   * Find an onboarded customer. POST /dmt/customer/GetDetail
   *
   * Distinct customers looked up in an hour are limited (remitter/details has the rule): 07 with Retry-After.
   */
  dmtCustomerGetDetail(params: DmtCustomerGetDetailParams, options?: CallOptions): Promise<Result<Customer>>;
  /** Begin a customer's onboarding. POST /dmt/customer/onboarding */
  dmtCustomerOnboarding(params: DmtCustomerOnboardingParams, options?: CallOptions): Promise<Result<Enrolment>>;
  /** Send the customer an OTP. POST /dmt/customer/request_otp */
  dmtCustomerRequestOtp(params: DmtCustomerRequestOtpParams, options?: CallOptions): Promise<Result<OTPRequest>>;
  /** Check the customer's OTP. POST /dmt/customer/validate_otp */
  dmtCustomerValidateOtp(params: DmtCustomerValidateOtpParams, options?: CallOptions): Promise<Result<undefined>>;
  /** Give the customer's Aadhaar number. POST /dmt/customer/verify_UID */
  dmtCustomerVerifyUid(params: DmtCustomerVerifyUidParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Give the customer's biometric. POST /dmt/customer/updatebiodetail
   *
   * The finger must be that of the Aadhaar number.
   */
  dmtCustomerUpdatebiodetail(params: DmtCustomerUpdatebiodetailParams, options?: CallOptions): Promise<Result<undefined>>;
  /** Finish the customer's onboarding. POST /dmt/customer/submit */
  dmtCustomerSubmit(params: DmtCustomerSubmitParams, options?: CallOptions): Promise<Result<Enrolment>>;
  /** How far a customer's onboarding is. GET /dmt/customer/statusCheck */
  dmtCustomerStatusCheck(params: DmtCustomerStatusCheckParams, options?: CallOptions): Promise<Result<Enrolment>>;
  /**
   * Register an onboarded customer as a remitter. POST /dmt/txn/v1/remitter/register
   *
   * sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address and date of birth come from the onboarding.
   */
  dmtRemitterRegister(params?: DmtRemitterRegisterParams, options?: CallOptions): Promise<Result<DmtRemitterRegisterData>>;
  /**
   * A remitter with limits and beneficiaries. POST /dmt/txn/v1/remitter/details
   *
   * How many distinct customers a merchant may look up in an hour who have not given it an OTP or a finger is limited, over GetDetail, customer/onboarding, remitter/details and remitter/register together: 60 unless agreed otherwise, 1,000 in the sandbox. Over it the answer is 07 with Retry-After.
   */
  dmtRemitterDetails(params: DmtRemitterDetailsParams, options?: CallOptions): Promise<Result<Remitter>>;
  /**
   * Verify a receiver's account. POST /dmt/txn/v1/beneficiary/accountVerification
   *
   * Each call is a verification of its own. After status -1 or 91 ask again after 30 seconds.
   */
  dmtBeneficiaryAccountVerification(params: DmtBeneficiaryAccountVerificationParams, options?: CallOptions): Promise<Result<Verification>>;
  /** Add a beneficiary. POST /dmt/txn/v1/beneficiary/add */
  dmtBeneficiaryAdd(params: DmtBeneficiaryAddParams, options?: CallOptions): Promise<Result<DmtBeneficiaryAddData>>;
  /** A beneficiary's record. POST /dmt/txn/v1/beneficiary/get */
  dmtBeneficiaryGet(params: DmtBeneficiaryGetParams, options?: CallOptions): Promise<Result<Beneficiary>>;
  /**
   * Delete a beneficiary. POST /dmt/txn/v1/beneficiary/delete
   *
   * Beneficiaries belong to the bank's customer. A merchant deletes after the customer has passed validate_otp or updatebiodetail of the onboarding, or a transfer, at this merchant; before, it is 05.
   */
  dmtBeneficiaryDelete(params: DmtBeneficiaryDeleteParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Send the OTP of a transfer. POST /dmt/txn/v1/transaction/otp
   *
   * It goes to the remitter's registered mobile, and holds for this receiver and this amount.
   */
  dmtTransactionOtp(params: DmtTransactionOtpParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Send money. POST /dmt/txn/v1/transaction/instant
   *
   * Checks the OTP and debits in one call. refId is the transfer's identity: a repeat with the same body returns its state and never sends twice. If the bank refused it for its OTP, nothing moved: the request with another otp and the same refId is a new attempt. The otp is no part of what makes two bodies the same. The very otp that was refused, sent again within five minutes, gets the same reply and uses up no try of the customer's; a node that has not tried it, or was restarted since, tries it once. Ask the customer for the otp again; never repeat a refused one.
   */
  dmtTransactionInstant(params: DmtTransactionInstantParams, options?: CallOptions): Promise<Result<Transfer>>;
  /** What a transfer costs. POST /dmt/txn/v1/transaction/charges */
  dmtTransactionCharges(params: DmtTransactionChargesParams, options?: CallOptions): Promise<Result<Charges>>;
  /**
   * How a transfer stands. POST /dmt/txn/v1/transaction/requery
   *
   * The bank is not asked: the central does that by itself while an answer is missing.
   */
  dmtTransactionRequery(params: DmtTransactionRequeryParams, options?: CallOptions): Promise<Result<TransferState>>;
  /**
   * Send the OTP of a refund. POST /dmt/txn/v1/transaction/refundOTP
   *
   * The customer tells the OTP at the counter. Give the cash back when refund has answered that it went through, not before: the bank may decline it.
   */
  dmtTransactionRefundOtp(params: DmtTransactionRefundOtpParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Refund a transfer. POST /dmt/txn/v1/refund
   *
   * Once for each transfer. refId is the transfer's. A repeat, whatever its otp, gets the stored reply; after a refused otp it is a new attempt. An Idempotency-Key leads to the last attempt that was made with it.
   */
  dmtRefund(params: DmtRefundParams, options?: CallOptions): Promise<Result<DmtRefundData>>;
  /**
   * Begin a session at the bank network. POST /dmt/txn/v1/login
   *
   * No other route needs it.
   */
  dmtLogin(params?: DmtLoginParams, options?: CallOptions): Promise<Result<DmtLoginData>>;
  /**
   * The vendor's merchants. GET /vendor/merchants
   *
   * All that are not pending, oldest first.
   */
  vendorMerchants(params?: VendorMerchantsParams, options?: CallOptions): Promise<Result<Merchant[]>>;
  /** The vendor itself, with its merchants' newest transactions. GET /vendor/me */
  vendorMe(params?: Record<string, never>, options?: CallOptions): Promise<Result<Vendor>>;
  /** The vendor's commission slabs. GET /vendor-commission/{vendorId}/commission */
  vendorCommissionList(params: VendorCommissionListParams, options?: CallOptions): Promise<Result<Slab[]>>;
  /**
   * Create a commission slab. POST /vendor-commission/{vendorId}/commission
   *
   * Needs an aggregator of the vendor (05). A band that is equal to another one of the combination is a conflict (09); bands may overlap, and a slab without a band may stand beside them. Of several that hold an amount the narrowest applies, of equally narrow ones the one with the higher lower bound, and the default where none does. Null is no value of any field.
   */
  vendorCommissionCreate(params: VendorCommissionCreateParams, options?: CallOptions): Promise<Result<Slab>>;
  /**
   * Change a commission slab. PUT /vendor-commission/{vendorId}/commission/{slabId}
   *
   * Any subset of the fields; those that are left out keep their value. The rules hold for the slab as it is afterwards. Null is no value of any field: to open a band, make a new slab.
   */
  vendorCommissionUpdate(params: VendorCommissionUpdateParams, options?: CallOptions): Promise<Result<Slab>>;
  /**
   * Delete a commission slab. DELETE /vendor-commission/{vendorId}/commission/{slabId}
   *
   * Final for the caller; what it earned stays.
   */
  vendorCommissionDelete(params: VendorCommissionDeleteParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * What the vendor earned. GET /vendor-commission/{vendorId}/earnings
   *
   * By Indian days, from and to included, at most 366 of them.
   */
  vendorCommissionEarnings(params: VendorCommissionEarningsParams, options?: CallOptions): Promise<Result<EarningsReport>>;
  /**
   * The vendor's keys of the gateway. GET /vendor/keys
   *
   * Oldest first, with those that have ended. Of an API key only the last four characters are known.
   */
  vendorKeysList(params?: Record<string, never>, options?: CallOptions): Promise<Result<VendorKey[]>>;
  /**
   * The vendor's programs. GET /vendor/clients
   *
   * The clients of POST /oauth/token, with the numbers of their live secrets, the newest first.
   */
  vendorClients(params?: Record<string, never>, options?: CallOptions): Promise<Result<VendorClient[]>>;
  /**
   * Where the vendor gets callbacks. GET /vendor/callback
   *
   * The endpoint for all its merchants that have none of their own, with the ids of the live secrets that sign its callbacks.
   */
  vendorCallbackGet(params?: Record<string, never>, options?: CallOptions): Promise<Result<CallbackEndpoint>>;
  /**
   * Set where the vendor gets callbacks. PUT /vendor/callback
   *
   * For all its merchants that have no endpoint of their own; merchantId in the message says whose operation it was. An HTTPS address on the public internet; a sandbox takes http and this machine's addresses, too. Callbacks that wait for it are sent there now. An endpoint that answered 410 Gone is enabled again.
   */
  vendorCallbackUpdate(params: VendorCallbackUpdateParams, options?: CallOptions): Promise<Result<CallbackEndpoint>>;
  /**
   * Remove the vendor's endpoint. DELETE /vendor/callback
   *
   * Callbacks that wait for it are given up. Merchants with an endpoint of their own still get theirs.
   */
  vendorCallbackDelete(params?: Record<string, never>, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Create a secret of the vendor's callbacks. POST /vendor/callback/secrets
   *
   * The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end one first.
   */
  vendorCallbackSecrets(params?: VendorCallbackSecretsParams, options?: CallOptions): Promise<Result<NewCallbackSecret>>;
  /**
   * End a secret of the vendor's callbacks. POST /vendor/callback/secrets/{secretId}/end
   *
   * At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A later call changes a planned end; an end is final.
   */
  vendorCallbackSecretsEnd(params: VendorCallbackSecretsEndParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Where a merchant gets callbacks. GET /vendor/merchants/{merchantId}/callback
   *
   * Its own endpoint, with the ids of the live secrets that sign its callbacks. Without one, the vendor's gets them.
   */
  vendorMerchantsCallbackGet(params: VendorMerchantsCallbackGetParams, options?: CallOptions): Promise<Result<CallbackEndpoint>>;
  /**
   * Set where a merchant gets callbacks. PUT /vendor/merchants/{merchantId}/callback
   *
   * Its own endpoint, which wins over the vendor's. An HTTPS address on the public internet; a sandbox takes http and this machine's addresses, too. Callbacks of the merchant that wait are sent there now. An endpoint that answered 410 Gone is enabled again.
   */
  vendorMerchantsCallbackUpdate(params: VendorMerchantsCallbackUpdateParams, options?: CallOptions): Promise<Result<CallbackEndpoint>>;
  /**
   * Remove a merchant's endpoint. DELETE /vendor/merchants/{merchantId}/callback
   *
   * Its callbacks go to the vendor's endpoint. Where there is none, those that wait are given up.
   */
  vendorMerchantsCallbackDelete(params: VendorMerchantsCallbackDeleteParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Create a secret of a merchant's callbacks. POST /vendor/merchants/{merchantId}/callback/secrets
   *
   * The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end one first.
   */
  vendorMerchantsCallbackSecrets(params: VendorMerchantsCallbackSecretsParams, options?: CallOptions): Promise<Result<NewCallbackSecret>>;
  /**
   * End a secret of a merchant's callbacks. POST /vendor/merchants/{merchantId}/callback/secrets/{secretId}/end
   *
   * At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A later call changes a planned end; an end is final.
   */
  vendorMerchantsCallbackSecretsEnd(params: VendorMerchantsCallbackSecretsEndParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Callbacks to the vendor's merchants. GET /vendor/callbacks
   *
   * Newest first, in pages: after takes next of the page before. They are those of the days from and to, by default of 30 days.
   */
  vendorCallbacksList(params?: VendorCallbacksListParams, options?: CallOptions): Promise<Result<CallbackDelivery[]>>;
  /** One callback with its attempts. GET /vendor/callbacks/{operationId} */
  vendorCallbacksGet(params: VendorCallbacksGetParams, options?: CallOptions): Promise<Result<CallbackDelivery>>;
  /**
   * Send a callback again. POST /vendor/callbacks/{operationId}/resend
   *
   * Now, and for another full period of attempts, whether it was delivered or given up. An operation that was pending, and ended while there was no endpoint, gets a callback by it. One that is being sent at this moment, or has no callback, is 05.
   */
  vendorCallbacksResend(params: VendorCallbacksResendParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Operations of the vendor's merchants. GET /vendor/operations
   *
   * Transactions, newest first, of the days from and to, by default of 30 days. JSON comes in pages: after takes next of the page before. With format=csv (direct routes only), all of them come in one file, whose cells are no formulas. The Aadhaar number is masked.
   */
  vendorOperations(params?: VendorOperationsParams, options?: CallOptions): Promise<Result<VendorOperation[]>>;
  /**
   * The limits in force. GET /limits
   *
   * So that an amount can be refused before a finger is asked for. Every operation is held against them again.
   */
  limits(params?: Record<string, never>, options?: CallOptions): Promise<Result<Limit[]>>;
}

export class DirectRoutes extends GatewayRoutes {
  /** The aggregator's float. POST /dmt/txn/v1/transaction/balance */
  dmtTransactionBalance(params?: Record<string, never>, options?: CallOptions): Promise<Result<DmtTransactionBalanceData>>;
  /** Register a business correspondent. POST /onboarding/dmt/bc/registor */
  onboardingDmtBcRegistor(params: OnboardingDmtBcRegistorParams, options?: CallOptions): Promise<Result<OnboardingDmtBcRegistorData>>;
  /** Register an agent of a business correspondent. POST /onboarding/dmt/bc/agent/registor */
  onboardingDmtBcAgentRegistor(params: OnboardingDmtBcAgentRegistorParams, options?: CallOptions): Promise<Result<OnboardingDmtBcAgentRegistorData>>;
  /** Activate an agent. POST /onboarding/dmt/bc/agent/initialize */
  onboardingDmtBcAgentInitialize(params: OnboardingDmtBcAgentInitializeParams, options?: CallOptions): Promise<Result<OnboardingDmtBcAgentInitializeData>>;
  /**
   * How a business correspondent or agent stands. POST /onboarding/dmt/bc/status
   *
   * bcId or agentId; the agent is asked after where both are sent.
   */
  onboardingDmtBcStatus(params?: OnboardingDmtBcStatusParams, options?: CallOptions): Promise<Result<Progress>>;
  /**
   * Make a QR code. POST /upi/txn/v1/GenerateQR
   *
   * An amount makes a dynamic code, for that amount and that order; no amount, or 0, a static one. A repeated order_id makes another code: nothing moved, so nothing conflicts. Merchants only: a vendor is refused before the body is read.
   */
  upiGenerateQr(params: UpiGenerateQrParams, options?: CallOptions): Promise<Result<QRCode>>;
  /**
   * Whether an order was paid. POST /upi/txn/v1/status
   *
   * Of a dynamic code. PAID: a payment of the code's amount was received and not returned. AMOUNT_DIFFERS: what was received has other amounts. RETURNED: the bank returned everything. OPEN or EXPIRED: nothing was received so far, and a payment that comes later is recorded all the same. Two payments of one order are both listed, and received is the sum of what was not returned. Merchants only.
   */
  upiStatus(params: UpiStatusParams, options?: CallOptions): Promise<Result<UPIOrder>>;
  /**
   * Payments that were received. GET /upi/txn/v1/payments
   *
   * Newest record first, of the Indian days from and to, by default of 30 days: of dynamic and static codes, and those that no order was found for. after takes next of the page before. A payment is listed once the central has recorded it, and is told by the callback upi.received, too. Merchants only.
   */
  upiPayments(params?: UpiPaymentsParams, options?: CallOptions): Promise<Result<UPIPayment[]>>;
  /**
   * Create a key of the gateway. POST /vendor/keys
   *
   * The vendor's other key stays valid. With two live keys it is 05: end one first. A key whose reply was lost is in the list: end it, and create another.
   */
  vendorKeysCreate(params?: Record<string, never>, options?: CallOptions): Promise<Result<NewVendorKey>>;
  /**
   * End a key of the gateway. POST /vendor/keys/{keyId}/end
   *
   * At once, or at a time. Within a second every message under it is refused. A later call changes a planned end; an end is final.
   */
  vendorKeysEnd(params: VendorKeysEndParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Create a secret of a program. POST /vendor/clients/{clientId}/secrets
   *
   * The program's present secret, and the tokens that it got, stay valid until formerEndsAt, or until it is ended. With two live secrets it is 05: end one first. A suspended program stays out, whatever its secrets.
   */
  vendorClientsSecrets(params: VendorClientsSecretsParams, options?: CallOptions): Promise<Result<NewClientSecret>>;
  /**
   * End a secret of a program. POST /vendor/clients/{clientId}/secrets/{secretId}/end
   *
   * Its tokens are refused within a second, and the program's open enrolment codes are void. With at, only the older secret ends, at that time. A program's only secret can't be ended: 05.
   */
  vendorClientsSecretsEnd(params: VendorClientsSecretsEndParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Make an enrolment code. POST /terminals
   *
   * A one-time code for the merchant's next terminal, valid for 15 minutes.
   */
  terminalsCreate(params?: TerminalsCreateParams, options?: CallOptions): Promise<Result<EnrolmentCode>>;
  /** The merchant's terminals. GET /terminals */
  terminalsList(params?: TerminalsListParams, options?: CallOptions): Promise<Result<Terminal[]>>;
  /**
   * Revoke a terminal. DELETE /terminals/{id}
   *
   * At once: its connection is cut, too.
   */
  terminalsDelete(params: TerminalsDeleteParams, options?: CallOptions): Promise<Result<undefined>>;
  /**
   * Enrol a terminal. POST /terminals/enrol
   *
   * Binds the terminal's key to the merchant of the code. The code is the credential; there is no token. Of one network ten wrong codes a minute are judged; then 429 says when to come back.
   */
  terminalsEnrol(params: TerminalsEnrolParams, options?: CallOptions): Promise<Result<EnrolledTerminal>>;
  /**
   * The state of an operation. GET /operations/{id}
   *
   * One of the caller's own, by its id or by the identity that the caller chose.
   */
  operationsGet(params: OperationsGetParams, options?: CallOptions): Promise<Result<Operation>>;
}
