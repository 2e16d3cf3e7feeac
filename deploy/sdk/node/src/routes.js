// Written by deploy/sdk/generate from the OpenAPI document; do not edit.
import { invoke } from './invoke.js';

export const version = '1.1.0';

export const routes = {
  aepsInitialize: {"name":"aepsInitialize","method":"POST","path":"/aeps/initialize","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true,"bare":true},
  aepsOnboarding: {"name":"aepsOnboarding","method":"POST","path":"/aeps/onboarding","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true,"extra":["otp_status","otp_reqid"]},
  aepsRequestOtp: {"name":"aepsRequestOtp","method":"POST","path":"/aeps/request_otp","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  aepsValidateOtp: {"name":"aepsValidateOtp","method":"POST","path":"/aeps/validate_otp","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true},
  aepsVerifyPan: {"name":"aepsVerifyPan","method":"POST","path":"/aeps/verify_pan","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  aepsUpdateUid: {"name":"aepsUpdateUid","method":"POST","path":"/aeps/update_UID","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  aepsUpdatebiodetail: {"name":"aepsUpdatebiodetail","method":"POST","path":"/aeps/updatebiodetail","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true},
  aepsSubmit: {"name":"aepsSubmit","method":"POST","path":"/aeps/submit","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  aepsStatusCheck: {"name":"aepsStatusCheck","method":"GET","path":"/aeps/statusCheck","kind":"enquiry","repeatable":true,"gateway":true,"acting":true,"fields":{"merchantId":"query"}},
  aepsGetAgentDetail: {"name":"aepsGetAgentDetail","method":"POST","path":"/aeps/GetAgentDetail","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  aepsWithdrawal: {"name":"aepsWithdrawal","method":"POST","path":"/aeps/withdrawal","kind":"money","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsBalance: {"name":"aepsBalance","method":"POST","path":"/aeps/balance","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsMinstatement: {"name":"aepsMinstatement","method":"POST","path":"/aeps/minstatement","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsReqAuth: {"name":"aepsReqAuth","method":"POST","path":"/aeps/reqAuth","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsPurchase: {"name":"aepsPurchase","method":"POST","path":"/aeps/purchase","kind":"money","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsRequery: {"name":"aepsRequery","method":"POST","path":"/aeps/requery","kind":"enquiry","repeatable":true,"gateway":true,"acting":true,"pending":true,"aeps":true},
  aepsAuthStatus: {"name":"aepsAuthStatus","method":"GET","path":"/aeps/authStatus","kind":"reference","repeatable":true,"gateway":true,"acting":true,"fields":{"merchantId":"query"}},
  aepsBanks: {"name":"aepsBanks","method":"GET","path":"/aeps/banks","kind":"reference","repeatable":true,"gateway":true},
  dmtCustomerGetDetail: {"name":"dmtCustomerGetDetail","method":"POST","path":"/dmt/customer/GetDetail","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtCustomerOnboarding: {"name":"dmtCustomerOnboarding","method":"POST","path":"/dmt/customer/onboarding","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtCustomerRequestOtp: {"name":"dmtCustomerRequestOtp","method":"POST","path":"/dmt/customer/request_otp","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtCustomerValidateOtp: {"name":"dmtCustomerValidateOtp","method":"POST","path":"/dmt/customer/validate_otp","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtCustomerVerifyUid: {"name":"dmtCustomerVerifyUid","method":"POST","path":"/dmt/customer/verify_UID","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtCustomerUpdatebiodetail: {"name":"dmtCustomerUpdatebiodetail","method":"POST","path":"/dmt/customer/updatebiodetail","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtCustomerSubmit: {"name":"dmtCustomerSubmit","method":"POST","path":"/dmt/customer/submit","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtCustomerStatusCheck: {"name":"dmtCustomerStatusCheck","method":"GET","path":"/dmt/customer/statusCheck","kind":"enquiry","repeatable":true,"gateway":true,"acting":true,"fields":{"merchantId":"query","referenceid":"query"}},
  dmtRemitterRegister: {"name":"dmtRemitterRegister","method":"POST","path":"/dmt/txn/v1/remitter/register","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtRemitterDetails: {"name":"dmtRemitterDetails","method":"POST","path":"/dmt/txn/v1/remitter/details","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtBeneficiaryAccountVerification: {"name":"dmtBeneficiaryAccountVerification","method":"POST","path":"/dmt/txn/v1/beneficiary/accountVerification","kind":"enquiry","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtBeneficiaryAdd: {"name":"dmtBeneficiaryAdd","method":"POST","path":"/dmt/txn/v1/beneficiary/add","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtBeneficiaryGet: {"name":"dmtBeneficiaryGet","method":"POST","path":"/dmt/txn/v1/beneficiary/get","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtBeneficiaryDelete: {"name":"dmtBeneficiaryDelete","method":"POST","path":"/dmt/txn/v1/beneficiary/delete","kind":"record","identity":true,"repeatable":true,"gateway":true,"acting":true},
  dmtTransactionOtp: {"name":"dmtTransactionOtp","method":"POST","path":"/dmt/txn/v1/transaction/otp","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtTransactionInstant: {"name":"dmtTransactionInstant","method":"POST","path":"/dmt/txn/v1/transaction/instant","kind":"money","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"transfer":true},
  dmtTransactionCharges: {"name":"dmtTransactionCharges","method":"POST","path":"/dmt/txn/v1/transaction/charges","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtTransactionRequery: {"name":"dmtTransactionRequery","method":"POST","path":"/dmt/txn/v1/transaction/requery","kind":"enquiry","repeatable":true,"gateway":true,"acting":true,"transfer":true},
  dmtTransactionRefundOtp: {"name":"dmtTransactionRefundOtp","method":"POST","path":"/dmt/txn/v1/transaction/refundOTP","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  dmtRefund: {"name":"dmtRefund","method":"POST","path":"/dmt/txn/v1/refund","kind":"money","identity":true,"repeatable":true,"gateway":true,"acting":true,"pending":true,"transfer":true},
  dmtTransactionBalance: {"name":"dmtTransactionBalance","method":"POST","path":"/dmt/txn/v1/transaction/balance","kind":"enquiry","repeatable":true},
  dmtLogin: {"name":"dmtLogin","method":"POST","path":"/dmt/txn/v1/login","kind":"enquiry","repeatable":true,"gateway":true,"acting":true},
  onboardingDmtBcRegistor: {"name":"onboardingDmtBcRegistor","method":"POST","path":"/onboarding/dmt/bc/registor","kind":"record","identity":true,"repeatable":true},
  onboardingDmtBcAgentRegistor: {"name":"onboardingDmtBcAgentRegistor","method":"POST","path":"/onboarding/dmt/bc/agent/registor","kind":"record","identity":true,"repeatable":true},
  onboardingDmtBcAgentInitialize: {"name":"onboardingDmtBcAgentInitialize","method":"POST","path":"/onboarding/dmt/bc/agent/initialize","kind":"record","identity":true,"repeatable":true},
  onboardingDmtBcStatus: {"name":"onboardingDmtBcStatus","method":"POST","path":"/onboarding/dmt/bc/status","kind":"enquiry","repeatable":true},
  upiGenerateQr: {"name":"upiGenerateQr","method":"POST","path":"/upi/txn/v1/GenerateQR","kind":"enquiry","repeatable":true,"acting":true},
  upiStatus: {"name":"upiStatus","method":"POST","path":"/upi/txn/v1/status","kind":"enquiry","repeatable":true,"acting":true},
  upiPayments: {"name":"upiPayments","method":"GET","path":"/upi/txn/v1/payments","kind":"enquiry","repeatable":true,"acting":true,"extra":["next"],"fields":{"after":"query","from":"query","limit":"query","merchantId":"query","to":"query"}},
  vendorMerchants: {"name":"vendorMerchants","method":"GET","path":"/vendor/merchants","kind":"enquiry","repeatable":true,"gateway":true,"extra":["pagination"],"fields":{"limit":"query","page":"query"}},
  vendorMe: {"name":"vendorMe","method":"GET","path":"/vendor/me","kind":"enquiry","repeatable":true,"gateway":true},
  vendorCommissionList: {"name":"vendorCommissionList","method":"GET","path":"/vendor-commission/{vendorId}/commission","kind":"enquiry","repeatable":true,"gateway":true,"fields":{"vendorId":"path"}},
  vendorCommissionCreate: {"name":"vendorCommissionCreate","method":"POST","path":"/vendor-commission/{vendorId}/commission","kind":"record","gateway":true,"fields":{"vendorId":"path"}},
  vendorCommissionUpdate: {"name":"vendorCommissionUpdate","method":"PUT","path":"/vendor-commission/{vendorId}/commission/{slabId}","kind":"record","gateway":true,"fields":{"slabId":"path","vendorId":"path"}},
  vendorCommissionDelete: {"name":"vendorCommissionDelete","method":"DELETE","path":"/vendor-commission/{vendorId}/commission/{slabId}","kind":"record","gateway":true,"fields":{"slabId":"path","vendorId":"path"}},
  vendorCommissionEarnings: {"name":"vendorCommissionEarnings","method":"GET","path":"/vendor-commission/{vendorId}/earnings","kind":"enquiry","repeatable":true,"gateway":true,"fields":{"from":"query","groupBy":"query","to":"query","vendorId":"path"}},
  vendorKeysList: {"name":"vendorKeysList","method":"GET","path":"/vendor/keys","kind":"enquiry","repeatable":true,"gateway":true},
  vendorKeysCreate: {"name":"vendorKeysCreate","method":"POST","path":"/vendor/keys","kind":"record"},
  vendorKeysEnd: {"name":"vendorKeysEnd","method":"POST","path":"/vendor/keys/{keyId}/end","kind":"record","fields":{"keyId":"path"}},
  vendorClients: {"name":"vendorClients","method":"GET","path":"/vendor/clients","kind":"enquiry","repeatable":true,"gateway":true},
  vendorClientsSecrets: {"name":"vendorClientsSecrets","method":"POST","path":"/vendor/clients/{clientId}/secrets","kind":"record","fields":{"clientId":"path"}},
  vendorClientsSecretsEnd: {"name":"vendorClientsSecretsEnd","method":"POST","path":"/vendor/clients/{clientId}/secrets/{secretId}/end","kind":"record","fields":{"clientId":"path","secretId":"path"}},
  vendorCallbackGet: {"name":"vendorCallbackGet","method":"GET","path":"/vendor/callback","kind":"enquiry","repeatable":true,"gateway":true},
  vendorCallbackUpdate: {"name":"vendorCallbackUpdate","method":"PUT","path":"/vendor/callback","kind":"record","gateway":true},
  vendorCallbackDelete: {"name":"vendorCallbackDelete","method":"DELETE","path":"/vendor/callback","kind":"record","gateway":true},
  vendorCallbackSecrets: {"name":"vendorCallbackSecrets","method":"POST","path":"/vendor/callback/secrets","kind":"record","gateway":true},
  vendorCallbackSecretsEnd: {"name":"vendorCallbackSecretsEnd","method":"POST","path":"/vendor/callback/secrets/{secretId}/end","kind":"record","gateway":true,"fields":{"secretId":"path"}},
  vendorMerchantsCallbackGet: {"name":"vendorMerchantsCallbackGet","method":"GET","path":"/vendor/merchants/{merchantId}/callback","kind":"enquiry","repeatable":true,"gateway":true,"fields":{"merchantId":"path"}},
  vendorMerchantsCallbackUpdate: {"name":"vendorMerchantsCallbackUpdate","method":"PUT","path":"/vendor/merchants/{merchantId}/callback","kind":"record","gateway":true,"fields":{"merchantId":"path"}},
  vendorMerchantsCallbackDelete: {"name":"vendorMerchantsCallbackDelete","method":"DELETE","path":"/vendor/merchants/{merchantId}/callback","kind":"record","gateway":true,"fields":{"merchantId":"path"}},
  vendorMerchantsCallbackSecrets: {"name":"vendorMerchantsCallbackSecrets","method":"POST","path":"/vendor/merchants/{merchantId}/callback/secrets","kind":"record","gateway":true,"fields":{"merchantId":"path"}},
  vendorMerchantsCallbackSecretsEnd: {"name":"vendorMerchantsCallbackSecretsEnd","method":"POST","path":"/vendor/merchants/{merchantId}/callback/secrets/{secretId}/end","kind":"record","gateway":true,"fields":{"merchantId":"path","secretId":"path"}},
  vendorCallbacksList: {"name":"vendorCallbacksList","method":"GET","path":"/vendor/callbacks","kind":"enquiry","repeatable":true,"gateway":true,"extra":["next"],"fields":{"after":"query","from":"query","limit":"query","merchant":"query","status":"query","to":"query"}},
  vendorCallbacksGet: {"name":"vendorCallbacksGet","method":"GET","path":"/vendor/callbacks/{operationId}","kind":"enquiry","repeatable":true,"gateway":true,"fields":{"operationId":"path"}},
  vendorCallbacksResend: {"name":"vendorCallbacksResend","method":"POST","path":"/vendor/callbacks/{operationId}/resend","kind":"record","gateway":true,"fields":{"operationId":"path"}},
  vendorOperations: {"name":"vendorOperations","method":"GET","path":"/vendor/operations","kind":"enquiry","repeatable":true,"gateway":true,"extra":["next"],"fields":{"after":"query","format":"query","from":"query","limit":"query","merchant":"query","status":"query","to":"query","type":"query"}},
  limits: {"name":"limits","method":"GET","path":"/limits","kind":"reference","repeatable":true,"gateway":true,"extra":["sandbox","merchantLimits"]},
  terminalsCreate: {"name":"terminalsCreate","method":"POST","path":"/terminals","kind":"record","acting":true},
  terminalsList: {"name":"terminalsList","method":"GET","path":"/terminals","kind":"enquiry","repeatable":true,"acting":true,"fields":{"merchantId":"query"}},
  terminalsDelete: {"name":"terminalsDelete","method":"DELETE","path":"/terminals/{id}","kind":"record","acting":true,"fields":{"id":"path"}},
  terminalsEnrol: {"name":"terminalsEnrol","method":"POST","path":"/terminals/enrol","kind":"record","open":true},
  operationsGet: {"name":"operationsGet","method":"GET","path":"/operations/{id}","kind":"enquiry","repeatable":true,"fields":{"id":"path"}},
};

export class GatewayRoutes {
  aepsInitialize(params, options) { return this[invoke](routes.aepsInitialize, params, options); }
  aepsOnboarding(params, options) { return this[invoke](routes.aepsOnboarding, params, options); }
  aepsRequestOtp(params, options) { return this[invoke](routes.aepsRequestOtp, params, options); }
  aepsValidateOtp(params, options) { return this[invoke](routes.aepsValidateOtp, params, options); }
  aepsVerifyPan(params, options) { return this[invoke](routes.aepsVerifyPan, params, options); }
  aepsUpdateUid(params, options) { return this[invoke](routes.aepsUpdateUid, params, options); }
  aepsUpdatebiodetail(params, options) { return this[invoke](routes.aepsUpdatebiodetail, params, options); }
  aepsSubmit(params, options) { return this[invoke](routes.aepsSubmit, params, options); }
  aepsStatusCheck(params, options) { return this[invoke](routes.aepsStatusCheck, params, options); }
  aepsGetAgentDetail(params, options) { return this[invoke](routes.aepsGetAgentDetail, params, options); }
  aepsWithdrawal(params, options) { return this[invoke](routes.aepsWithdrawal, params, options); }
  aepsBalance(params, options) { return this[invoke](routes.aepsBalance, params, options); }
  aepsMinstatement(params, options) { return this[invoke](routes.aepsMinstatement, params, options); }
  aepsReqAuth(params, options) { return this[invoke](routes.aepsReqAuth, params, options); }
  aepsPurchase(params, options) { return this[invoke](routes.aepsPurchase, params, options); }
  aepsRequery(params, options) { return this[invoke](routes.aepsRequery, params, options); }
  aepsAuthStatus(params, options) { return this[invoke](routes.aepsAuthStatus, params, options); }
  aepsBanks(params, options) { return this[invoke](routes.aepsBanks, params, options); }
  dmtCustomerGetDetail(params, options) { return this[invoke](routes.dmtCustomerGetDetail, params, options); }
  dmtCustomerOnboarding(params, options) { return this[invoke](routes.dmtCustomerOnboarding, params, options); }
  dmtCustomerRequestOtp(params, options) { return this[invoke](routes.dmtCustomerRequestOtp, params, options); }
  dmtCustomerValidateOtp(params, options) { return this[invoke](routes.dmtCustomerValidateOtp, params, options); }
  dmtCustomerVerifyUid(params, options) { return this[invoke](routes.dmtCustomerVerifyUid, params, options); }
  dmtCustomerUpdatebiodetail(params, options) { return this[invoke](routes.dmtCustomerUpdatebiodetail, params, options); }
  dmtCustomerSubmit(params, options) { return this[invoke](routes.dmtCustomerSubmit, params, options); }
  dmtCustomerStatusCheck(params, options) { return this[invoke](routes.dmtCustomerStatusCheck, params, options); }
  dmtRemitterRegister(params, options) { return this[invoke](routes.dmtRemitterRegister, params, options); }
  dmtRemitterDetails(params, options) { return this[invoke](routes.dmtRemitterDetails, params, options); }
  dmtBeneficiaryAccountVerification(params, options) { return this[invoke](routes.dmtBeneficiaryAccountVerification, params, options); }
  dmtBeneficiaryAdd(params, options) { return this[invoke](routes.dmtBeneficiaryAdd, params, options); }
  dmtBeneficiaryGet(params, options) { return this[invoke](routes.dmtBeneficiaryGet, params, options); }
  dmtBeneficiaryDelete(params, options) { return this[invoke](routes.dmtBeneficiaryDelete, params, options); }
  dmtTransactionOtp(params, options) { return this[invoke](routes.dmtTransactionOtp, params, options); }
  dmtTransactionInstant(params, options) { return this[invoke](routes.dmtTransactionInstant, params, options); }
  dmtTransactionCharges(params, options) { return this[invoke](routes.dmtTransactionCharges, params, options); }
  dmtTransactionRequery(params, options) { return this[invoke](routes.dmtTransactionRequery, params, options); }
  dmtTransactionRefundOtp(params, options) { return this[invoke](routes.dmtTransactionRefundOtp, params, options); }
  dmtRefund(params, options) { return this[invoke](routes.dmtRefund, params, options); }
  dmtLogin(params, options) { return this[invoke](routes.dmtLogin, params, options); }
  vendorMerchants(params, options) { return this[invoke](routes.vendorMerchants, params, options); }
  vendorMe(params, options) { return this[invoke](routes.vendorMe, params, options); }
  vendorCommissionList(params, options) { return this[invoke](routes.vendorCommissionList, params, options); }
  vendorCommissionCreate(params, options) { return this[invoke](routes.vendorCommissionCreate, params, options); }
  vendorCommissionUpdate(params, options) { return this[invoke](routes.vendorCommissionUpdate, params, options); }
  vendorCommissionDelete(params, options) { return this[invoke](routes.vendorCommissionDelete, params, options); }
  vendorCommissionEarnings(params, options) { return this[invoke](routes.vendorCommissionEarnings, params, options); }
  vendorKeysList(params, options) { return this[invoke](routes.vendorKeysList, params, options); }
  vendorClients(params, options) { return this[invoke](routes.vendorClients, params, options); }
  vendorCallbackGet(params, options) { return this[invoke](routes.vendorCallbackGet, params, options); }
  vendorCallbackUpdate(params, options) { return this[invoke](routes.vendorCallbackUpdate, params, options); }
  vendorCallbackDelete(params, options) { return this[invoke](routes.vendorCallbackDelete, params, options); }
  vendorCallbackSecrets(params, options) { return this[invoke](routes.vendorCallbackSecrets, params, options); }
  vendorCallbackSecretsEnd(params, options) { return this[invoke](routes.vendorCallbackSecretsEnd, params, options); }
  vendorMerchantsCallbackGet(params, options) { return this[invoke](routes.vendorMerchantsCallbackGet, params, options); }
  vendorMerchantsCallbackUpdate(params, options) { return this[invoke](routes.vendorMerchantsCallbackUpdate, params, options); }
  vendorMerchantsCallbackDelete(params, options) { return this[invoke](routes.vendorMerchantsCallbackDelete, params, options); }
  vendorMerchantsCallbackSecrets(params, options) { return this[invoke](routes.vendorMerchantsCallbackSecrets, params, options); }
  vendorMerchantsCallbackSecretsEnd(params, options) { return this[invoke](routes.vendorMerchantsCallbackSecretsEnd, params, options); }
  vendorCallbacksList(params, options) { return this[invoke](routes.vendorCallbacksList, params, options); }
  vendorCallbacksGet(params, options) { return this[invoke](routes.vendorCallbacksGet, params, options); }
  vendorCallbacksResend(params, options) { return this[invoke](routes.vendorCallbacksResend, params, options); }
  vendorOperations(params, options) { return this[invoke](routes.vendorOperations, params, options); }
  limits(params, options) { return this[invoke](routes.limits, params, options); }
}

export class DirectRoutes extends GatewayRoutes {
  dmtTransactionBalance(params, options) { return this[invoke](routes.dmtTransactionBalance, params, options); }
  onboardingDmtBcRegistor(params, options) { return this[invoke](routes.onboardingDmtBcRegistor, params, options); }
  onboardingDmtBcAgentRegistor(params, options) { return this[invoke](routes.onboardingDmtBcAgentRegistor, params, options); }
  onboardingDmtBcAgentInitialize(params, options) { return this[invoke](routes.onboardingDmtBcAgentInitialize, params, options); }
  onboardingDmtBcStatus(params, options) { return this[invoke](routes.onboardingDmtBcStatus, params, options); }
  upiGenerateQr(params, options) { return this[invoke](routes.upiGenerateQr, params, options); }
  upiStatus(params, options) { return this[invoke](routes.upiStatus, params, options); }
  upiPayments(params, options) { return this[invoke](routes.upiPayments, params, options); }
  vendorKeysCreate(params, options) { return this[invoke](routes.vendorKeysCreate, params, options); }
  vendorKeysEnd(params, options) { return this[invoke](routes.vendorKeysEnd, params, options); }
  vendorClientsSecrets(params, options) { return this[invoke](routes.vendorClientsSecrets, params, options); }
  vendorClientsSecretsEnd(params, options) { return this[invoke](routes.vendorClientsSecretsEnd, params, options); }
  terminalsCreate(params, options) { return this[invoke](routes.terminalsCreate, params, options); }
  terminalsList(params, options) { return this[invoke](routes.terminalsList, params, options); }
  terminalsDelete(params, options) { return this[invoke](routes.terminalsDelete, params, options); }
  terminalsEnrol(params, options) { return this[invoke](routes.terminalsEnrol, params, options); }
  operationsGet(params, options) { return this[invoke](routes.operationsGet, params, options); }
}
