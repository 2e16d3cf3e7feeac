<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla;

/**
 * What the clients know of each route, by the name of its method.
 *
 * @internal
 */
final class RouteTable
{
    public const VERSION = '1.1.0';

    public const ROUTES = [
        'aepsInitialize' => ['method' => 'POST', 'path' => '/aeps/initialize', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'bare' => true, 'inBody' => ['merchantId'], 'data' => Data\AepsInitializeReply::class],
        'aepsOnboarding' => ['method' => 'POST', 'path' => '/aeps/onboarding', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['merchantId'], 'data' => Data\OTPRequest::class],
        'aepsRequestOtp' => ['method' => 'POST', 'path' => '/aeps/request_otp', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['merchantId'], 'data' => Data\OTPRequest::class],
        'aepsValidateOtp' => ['method' => 'POST', 'path' => '/aeps/validate_otp', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['otp', 'otpreqid', 'merchantId'], 'data' => Data\Progress::class],
        'aepsVerifyPan' => ['method' => 'POST', 'path' => '/aeps/verify_pan', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['pan', 'name', 'dob', 'merchantId'], 'data' => Data\Progress::class],
        'aepsUpdateUid' => ['method' => 'POST', 'path' => '/aeps/update_UID', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['aadhaarno', 'merchantId'], 'data' => Data\Progress::class],
        'aepsUpdatebiodetail' => ['method' => 'POST', 'path' => '/aeps/updatebiodetail', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['PidData', 'aadhaarno', 'merchantId'], 'data' => Data\Progress::class],
        'aepsSubmit' => ['method' => 'POST', 'path' => '/aeps/submit', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['merchantId'], 'data' => Data\Progress::class],
        'aepsStatusCheck' => ['method' => 'GET', 'path' => '/aeps/statusCheck', 'kind' => 'enquiry', 'gateway' => true, 'inQuery' => ['merchantId'], 'data' => Data\Progress::class],
        'aepsGetAgentDetail' => ['method' => 'POST', 'path' => '/aeps/GetAgentDetail', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['agentId', 'merchantId'], 'data' => Data\Agent::class],
        'aepsWithdrawal' => ['method' => 'POST', 'path' => '/aeps/withdrawal', 'kind' => 'money', 'identity' => true, 'gateway' => true, 'aeps' => true, 'inBody' => ['AadharNo', 'TxnAmount', 'Latitude', 'Longitude', 'CustomerName', 'PidData', 'BankName', 'clientRefId', 'merchantId'], 'data' => Data\Withdrawal::class],
        'aepsBalance' => ['method' => 'POST', 'path' => '/aeps/balance', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'aeps' => true, 'inBody' => ['AadharNo', 'TxnAmount', 'Latitude', 'Longitude', 'CustomerName', 'PidData', 'BankName', 'clientRefId', 'merchantId'], 'data' => Data\Balance::class],
        'aepsMinstatement' => ['method' => 'POST', 'path' => '/aeps/minstatement', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'aeps' => true, 'inBody' => ['AadharNo', 'TxnAmount', 'Latitude', 'Longitude', 'CustomerName', 'PidData', 'BankName', 'clientRefId', 'merchantId'], 'data' => Data\MiniStatement::class],
        'aepsReqAuth' => ['method' => 'POST', 'path' => '/aeps/reqAuth', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'aeps' => true, 'inBody' => ['AadharNo', 'TxnAmount', 'Latitude', 'Longitude', 'CustomerName', 'PidData', 'BankName', 'clientRefId', 'merchantId'], 'data' => Data\AgentAuthentication::class],
        'aepsPurchase' => ['method' => 'POST', 'path' => '/aeps/purchase', 'kind' => 'money', 'identity' => true, 'gateway' => true, 'aeps' => true, 'inBody' => ['AadharNo', 'TxnAmount', 'Latitude', 'Longitude', 'CustomerName', 'PidData', 'BankName', 'clientRefId', 'merchantId'], 'data' => Data\Purchase::class],
        'aepsRequery' => ['method' => 'POST', 'path' => '/aeps/requery', 'kind' => 'enquiry', 'gateway' => true, 'aeps' => true, 'inBody' => ['clientRefId', 'reference', 'RetailerReferenceNumber', 'merchantId'], 'data' => Data\AepsRequeryData::class],
        'aepsAuthStatus' => ['method' => 'GET', 'path' => '/aeps/authStatus', 'kind' => 'reference', 'gateway' => true, 'inQuery' => ['merchantId'], 'data' => Data\AgentSession::class],
        'aepsBanks' => ['method' => 'GET', 'path' => '/aeps/banks', 'kind' => 'reference', 'gateway' => true, 'data' => Data\Bank::class, 'list' => true],
        'dmtCustomerGetDetail' => ['method' => 'POST', 'path' => '/dmt/customer/GetDetail', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['mobile_number', 'merchantId'], 'data' => Data\Customer::class],
        'dmtCustomerOnboarding' => ['method' => 'POST', 'path' => '/dmt/customer/onboarding', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['name', 'mobile_no', 'city', 'state', 'email_id', 'merchantId'], 'data' => Data\Enrolment::class],
        'dmtCustomerRequestOtp' => ['method' => 'POST', 'path' => '/dmt/customer/request_otp', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['referenceid', 'merchantId'], 'data' => Data\OTPRequest::class],
        'dmtCustomerValidateOtp' => ['method' => 'POST', 'path' => '/dmt/customer/validate_otp', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['otp', 'otpreqid', 'referenceid', 'merchantId']],
        'dmtCustomerVerifyUid' => ['method' => 'POST', 'path' => '/dmt/customer/verify_UID', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['aadhaarno', 'referenceid', 'merchantId']],
        'dmtCustomerUpdatebiodetail' => ['method' => 'POST', 'path' => '/dmt/customer/updatebiodetail', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['PidData', 'aadhaarno', 'referenceid', 'merchantId']],
        'dmtCustomerSubmit' => ['method' => 'POST', 'path' => '/dmt/customer/submit', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['referenceid', 'merchantId'], 'data' => Data\Enrolment::class],
        'dmtCustomerStatusCheck' => ['method' => 'GET', 'path' => '/dmt/customer/statusCheck', 'kind' => 'enquiry', 'gateway' => true, 'inQuery' => ['referenceid', 'merchantId'], 'data' => Data\Enrolment::class],
        'dmtRemitterRegister' => ['method' => 'POST', 'path' => '/dmt/txn/v1/remitter/register', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['sender_mobilenumber', 'senderId', 'merchantId'], 'data' => Data\DmtRemitterRegisterData::class],
        'dmtRemitterDetails' => ['method' => 'POST', 'path' => '/dmt/txn/v1/remitter/details', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['sender_mobilenumber', 'merchantId'], 'data' => Data\Remitter::class],
        'dmtBeneficiaryAccountVerification' => ['method' => 'POST', 'path' => '/dmt/txn/v1/beneficiary/accountVerification', 'kind' => 'enquiry', 'identity' => true, 'gateway' => true, 'inBody' => ['receiver_account_no', 'receiverIfscCode', 'senderId', 'sender_mobilenumber', 'receivername', 'receivermobilenumber', 'receiveremailid', 'merchantId'], 'data' => Data\Verification::class],
        'dmtBeneficiaryAdd' => ['method' => 'POST', 'path' => '/dmt/txn/v1/beneficiary/add', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['senderId', 'receivername', 'receiverIfscCode', 'receiver_account_no', 'receivermobilenumber', 'receiveremailid', 'address', 'city', 'state', 'branch_contact', 'merchantId'], 'data' => Data\DmtBeneficiaryAddData::class],
        'dmtBeneficiaryGet' => ['method' => 'POST', 'path' => '/dmt/txn/v1/beneficiary/get', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['senderId', 'receiver_account_no', 'receiverIfscCode', 'merchantId'], 'data' => Data\Beneficiary::class],
        'dmtBeneficiaryDelete' => ['method' => 'POST', 'path' => '/dmt/txn/v1/beneficiary/delete', 'kind' => 'record', 'identity' => true, 'gateway' => true, 'inBody' => ['senderId', 'receiver_account_no', 'receiverIfscCode', 'merchantId']],
        'dmtTransactionOtp' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/otp', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['senderId', 'amount', 'receiver_account_no', 'receiverIfscCode', 'merchantId']],
        'dmtTransactionInstant' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/instant', 'kind' => 'money', 'identity' => true, 'gateway' => true, 'transfer' => true, 'inBody' => ['senderId', 'BeneficiaryId', 'amount', 'refId', 'otp', 'receiver_account_no', 'receiverIfscCode', 'account_holder_name', 'receiverMobilenumber', 'remarks', 'merchantId'], 'data' => Data\Transfer::class],
        'dmtTransactionCharges' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/charges', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['senderId', 'amount', 'merchantId'], 'data' => Data\Charges::class],
        'dmtTransactionRequery' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/requery', 'kind' => 'enquiry', 'gateway' => true, 'transfer' => true, 'inBody' => ['refId', 'merchantId'], 'data' => Data\TransferState::class],
        'dmtTransactionRefundOtp' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/refundOTP', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['refereanceId', 'merchantId']],
        'dmtRefund' => ['method' => 'POST', 'path' => '/dmt/txn/v1/refund', 'kind' => 'money', 'identity' => true, 'gateway' => true, 'transfer' => true, 'inBody' => ['transactionId', 'refId', 'otp', 'merchantId'], 'data' => Data\DmtRefundData::class],
        'dmtTransactionBalance' => ['method' => 'POST', 'path' => '/dmt/txn/v1/transaction/balance', 'kind' => 'enquiry', 'data' => Data\DmtTransactionBalanceData::class],
        'dmtLogin' => ['method' => 'POST', 'path' => '/dmt/txn/v1/login', 'kind' => 'enquiry', 'gateway' => true, 'inBody' => ['merchantId'], 'data' => Data\DmtLoginData::class],
        'onboardingDmtBcRegistor' => ['method' => 'POST', 'path' => '/onboarding/dmt/bc/registor', 'kind' => 'record', 'identity' => true, 'inBody' => ['name', 'mobile_no', 'email_id', 'pan', 'address', 'city', 'state', 'pincode'], 'data' => Data\OnboardingDmtBcRegistorData::class],
        'onboardingDmtBcAgentRegistor' => ['method' => 'POST', 'path' => '/onboarding/dmt/bc/agent/registor', 'kind' => 'record', 'identity' => true, 'inBody' => ['bcId', 'name', 'mobile_no', 'email_id', 'pan', 'address', 'city', 'state', 'pincode', 'aadhaarno', 'shopName'], 'data' => Data\OnboardingDmtBcAgentRegistorData::class],
        'onboardingDmtBcAgentInitialize' => ['method' => 'POST', 'path' => '/onboarding/dmt/bc/agent/initialize', 'kind' => 'record', 'identity' => true, 'inBody' => ['agentId'], 'data' => Data\OnboardingDmtBcAgentInitializeData::class],
        'onboardingDmtBcStatus' => ['method' => 'POST', 'path' => '/onboarding/dmt/bc/status', 'kind' => 'enquiry', 'inBody' => ['bcId', 'agentId'], 'data' => Data\Progress::class],
        'upiGenerateQr' => ['method' => 'POST', 'path' => '/upi/txn/v1/GenerateQR', 'kind' => 'enquiry', 'inBody' => ['order_id', 'amount', 'merchantId'], 'data' => Data\QRCode::class],
        'upiStatus' => ['method' => 'POST', 'path' => '/upi/txn/v1/status', 'kind' => 'enquiry', 'inBody' => ['order_id', 'merchantId'], 'data' => Data\UPIOrder::class],
        'upiPayments' => ['method' => 'GET', 'path' => '/upi/txn/v1/payments', 'kind' => 'enquiry', 'inQuery' => ['limit', 'after', 'from', 'to', 'merchantId'], 'data' => Data\UPIPayment::class, 'list' => true],
        'vendorMerchants' => ['method' => 'GET', 'path' => '/vendor/merchants', 'kind' => 'enquiry', 'gateway' => true, 'inQuery' => ['page', 'limit'], 'data' => Data\Merchant::class, 'list' => true],
        'vendorMe' => ['method' => 'GET', 'path' => '/vendor/me', 'kind' => 'enquiry', 'gateway' => true, 'data' => Data\Vendor::class],
        'vendorCommissionList' => ['method' => 'GET', 'path' => '/vendor-commission/{vendorId}/commission', 'kind' => 'enquiry', 'gateway' => true, 'inPath' => ['vendorId'], 'data' => Data\Slab::class, 'list' => true],
        'vendorCommissionCreate' => ['method' => 'POST', 'path' => '/vendor-commission/{vendorId}/commission', 'kind' => 'record', 'gateway' => true, 'inPath' => ['vendorId'], 'inBody' => ['paymentMethod', 'provider', 'txnType', 'minAmount', 'maxAmount', 'commissionRate', 'rateType', 'isDefault'], 'data' => Data\Slab::class],
        'vendorCommissionUpdate' => ['method' => 'PUT', 'path' => '/vendor-commission/{vendorId}/commission/{slabId}', 'kind' => 'record', 'gateway' => true, 'inPath' => ['vendorId', 'slabId'], 'inBody' => ['paymentMethod', 'provider', 'txnType', 'minAmount', 'maxAmount', 'commissionRate', 'rateType', 'isDefault'], 'data' => Data\Slab::class],
        'vendorCommissionDelete' => ['method' => 'DELETE', 'path' => '/vendor-commission/{vendorId}/commission/{slabId}', 'kind' => 'record', 'gateway' => true, 'inPath' => ['vendorId', 'slabId']],
        'vendorCommissionEarnings' => ['method' => 'GET', 'path' => '/vendor-commission/{vendorId}/earnings', 'kind' => 'enquiry', 'gateway' => true, 'inPath' => ['vendorId'], 'inQuery' => ['from', 'to', 'groupBy'], 'data' => Data\EarningsReport::class],
        'vendorKeysList' => ['method' => 'GET', 'path' => '/vendor/keys', 'kind' => 'enquiry', 'gateway' => true, 'data' => Data\VendorKey::class, 'list' => true],
        'vendorKeysCreate' => ['method' => 'POST', 'path' => '/vendor/keys', 'kind' => 'record', 'data' => Data\NewVendorKey::class],
        'vendorKeysEnd' => ['method' => 'POST', 'path' => '/vendor/keys/{keyId}/end', 'kind' => 'record', 'inPath' => ['keyId'], 'inBody' => ['at']],
        'vendorClients' => ['method' => 'GET', 'path' => '/vendor/clients', 'kind' => 'enquiry', 'gateway' => true, 'data' => Data\VendorClient::class, 'list' => true],
        'vendorClientsSecrets' => ['method' => 'POST', 'path' => '/vendor/clients/{clientId}/secrets', 'kind' => 'record', 'inPath' => ['clientId'], 'inBody' => ['formerEndsAt'], 'data' => Data\NewClientSecret::class],
        'vendorClientsSecretsEnd' => ['method' => 'POST', 'path' => '/vendor/clients/{clientId}/secrets/{secretId}/end', 'kind' => 'record', 'inPath' => ['clientId', 'secretId'], 'inBody' => ['at']],
        'vendorCallbackGet' => ['method' => 'GET', 'path' => '/vendor/callback', 'kind' => 'enquiry', 'gateway' => true, 'data' => Data\CallbackEndpoint::class],
        'vendorCallbackUpdate' => ['method' => 'PUT', 'path' => '/vendor/callback', 'kind' => 'record', 'gateway' => true, 'inBody' => ['url'], 'data' => Data\CallbackEndpoint::class],
        'vendorCallbackDelete' => ['method' => 'DELETE', 'path' => '/vendor/callback', 'kind' => 'record', 'gateway' => true],
        'vendorCallbackSecrets' => ['method' => 'POST', 'path' => '/vendor/callback/secrets', 'kind' => 'record', 'gateway' => true, 'inBody' => ['formerEndsAt'], 'data' => Data\NewCallbackSecret::class],
        'vendorCallbackSecretsEnd' => ['method' => 'POST', 'path' => '/vendor/callback/secrets/{secretId}/end', 'kind' => 'record', 'gateway' => true, 'inPath' => ['secretId'], 'inBody' => ['at']],
        'vendorMerchantsCallbackGet' => ['method' => 'GET', 'path' => '/vendor/merchants/{merchantId}/callback', 'kind' => 'enquiry', 'gateway' => true, 'inPath' => ['merchantId'], 'data' => Data\CallbackEndpoint::class],
        'vendorMerchantsCallbackUpdate' => ['method' => 'PUT', 'path' => '/vendor/merchants/{merchantId}/callback', 'kind' => 'record', 'gateway' => true, 'inPath' => ['merchantId'], 'inBody' => ['url'], 'data' => Data\CallbackEndpoint::class],
        'vendorMerchantsCallbackDelete' => ['method' => 'DELETE', 'path' => '/vendor/merchants/{merchantId}/callback', 'kind' => 'record', 'gateway' => true, 'inPath' => ['merchantId']],
        'vendorMerchantsCallbackSecrets' => ['method' => 'POST', 'path' => '/vendor/merchants/{merchantId}/callback/secrets', 'kind' => 'record', 'gateway' => true, 'inPath' => ['merchantId'], 'inBody' => ['formerEndsAt'], 'data' => Data\NewCallbackSecret::class],
        'vendorMerchantsCallbackSecretsEnd' => ['method' => 'POST', 'path' => '/vendor/merchants/{merchantId}/callback/secrets/{secretId}/end', 'kind' => 'record', 'gateway' => true, 'inPath' => ['merchantId', 'secretId'], 'inBody' => ['at']],
        'vendorCallbacksList' => ['method' => 'GET', 'path' => '/vendor/callbacks', 'kind' => 'enquiry', 'gateway' => true, 'inQuery' => ['limit', 'merchant', 'after', 'status', 'from', 'to'], 'data' => Data\CallbackDelivery::class, 'list' => true],
        'vendorCallbacksGet' => ['method' => 'GET', 'path' => '/vendor/callbacks/{operationId}', 'kind' => 'enquiry', 'gateway' => true, 'inPath' => ['operationId'], 'data' => Data\CallbackDelivery::class],
        'vendorCallbacksResend' => ['method' => 'POST', 'path' => '/vendor/callbacks/{operationId}/resend', 'kind' => 'record', 'gateway' => true, 'inPath' => ['operationId']],
        'vendorOperations' => ['method' => 'GET', 'path' => '/vendor/operations', 'kind' => 'enquiry', 'gateway' => true, 'inQuery' => ['limit', 'merchant', 'after', 'status', 'type', 'from', 'to', 'format'], 'data' => Data\VendorOperation::class, 'list' => true],
        'limits' => ['method' => 'GET', 'path' => '/limits', 'kind' => 'reference', 'gateway' => true, 'data' => Data\Limit::class, 'list' => true],
        'terminalsCreate' => ['method' => 'POST', 'path' => '/terminals', 'kind' => 'record', 'inBody' => ['name', 'merchantId'], 'data' => Data\EnrolmentCode::class],
        'terminalsList' => ['method' => 'GET', 'path' => '/terminals', 'kind' => 'enquiry', 'inQuery' => ['merchantId'], 'data' => Data\Terminal::class, 'list' => true],
        'terminalsDelete' => ['method' => 'DELETE', 'path' => '/terminals/{id}', 'kind' => 'record', 'inPath' => ['id'], 'inBody' => ['merchantId']],
        'terminalsEnrol' => ['method' => 'POST', 'path' => '/terminals/enrol', 'kind' => 'record', 'open' => true, 'inBody' => ['code', 'publicKey', 'name'], 'data' => Data\EnrolledTerminal::class],
        'operationsGet' => ['method' => 'GET', 'path' => '/operations/{id}', 'kind' => 'enquiry', 'inPath' => ['id'], 'data' => Data\Operation::class],
    ];
}
