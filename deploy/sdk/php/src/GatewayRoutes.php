<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla;

/** The routes that the gateway mirrors. */
abstract class GatewayRoutes extends Internal\Caller
{
    /**
     * Create the AEPS service-KYC record.
     *
     * POST /aeps/initialize; for merchant, vendor.
     *
     * Creates the record where there is none. The success has no envelope; errors have it.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\AepsInitializeReply|null>
     * @throws GallaError
     */
    public function aepsInitialize(string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsInitialize', ['merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Begin the onboarding, and send the first OTP.
     *
     * POST /aeps/onboarding; for merchant, vendor.
     *
     * Needs the merchant's information. The OTP goes to the merchant's mobile number.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\OTPRequest|null>
     * @throws GallaError
     */
    public function aepsOnboarding(string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsOnboarding', ['merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Send the onboarding OTP again.
     *
     * POST /aeps/request_otp; for merchant, vendor.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\OTPRequest|null>
     * @throws GallaError
     */
    public function aepsRequestOtp(string|null $merchantId = null): Result
    {
        return $this->invoke('aepsRequestOtp', ['merchantId' => $merchantId]);
    }

    /**
     * Check the onboarding OTP.
     *
     * POST /aeps/validate_otp; for merchant, vendor.
     *
     * @param string $otp The one-time password from the text message. Must be the digits of a one-time password.
     * @param string $otpreqid Which OTP is meant, as the request for it answered. Must have 1 to 64 letters,
     * digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsValidateOtp(#[\SensitiveParameter] string $otp, string $otpreqid, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsValidateOtp', ['otp' => $otp, 'otpreqid' => $otpreqid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Verify the agent's PAN.
     *
     * POST /aeps/verify_pan; for merchant, vendor.
     *
     * @param string $pan Permanent account number. Must be a PAN: five capital letters, four digits, one capital
     * letter.
     * @param string $name The name.
     * @param string $dob Date of birth, not in the future.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsVerifyPan(string $pan, string $name, string $dob, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsVerifyPan', ['pan' => $pan, 'name' => $name, 'dob' => $dob, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Give the agent's Aadhaar number.
     *
     * POST /aeps/update_UID; for merchant, vendor.
     *
     * @param string $aadhaarno The person's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsUpdateUid(#[\SensitiveParameter] string $aadhaarno, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsUpdateUid', ['aadhaarno' => $aadhaarno, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Give the agent's biometric.
     *
     * POST /aeps/updatebiodetail; for merchant, vendor.
     *
     * The finger must be that of the Aadhaar number.
     *
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string $aadhaarno The person's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsUpdatebiodetail(#[\SensitiveParameter] string $PidData, #[\SensitiveParameter] string $aadhaarno, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsUpdatebiodetail', ['PidData' => $PidData, 'aadhaarno' => $aadhaarno, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Finish the onboarding.
     *
     * POST /aeps/submit; for merchant, vendor.
     *
     * The merchant's own appid is the reference. Where the network approves, the merchant may transact from then
     * on.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsSubmit(string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsSubmit', ['merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * How far the onboarding is.
     *
     * GET /aeps/statusCheck; for merchant, vendor.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function aepsStatusCheck(string|null $merchantId = null): Result
    {
        return $this->invoke('aepsStatusCheck', ['merchantId' => $merchantId]);
    }

    /**
     * Who an agent is.
     *
     * POST /aeps/GetAgentDetail; for merchant, vendor.
     *
     * The caller's own agent if none is named. Another party's agent is 04, like an unknown one.
     *
     * @param string|null $agentId The agent's mid; absent or empty: the caller's own. Must have 1 to 64 letters,
     * digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Agent|null>
     * @throws GallaError
     */
    public function aepsGetAgentDetail(string|null $agentId = null, string|null $merchantId = null): Result
    {
        return $this->invoke('aepsGetAgentDetail', ['agentId' => $agentId, 'merchantId' => $merchantId]);
    }

    /**
     * Cash withdrawal.
     *
     * POST /aeps/withdrawal; for merchant, vendor.
     *
     * @param string $AadharNo The customer's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param int|string $TxnAmount The amount. Rupees, at most two decimals.
     * @param string $Latitude Where the device is. Decimal degrees from -90 to 90.
     * @param string $Longitude Where the device is. Decimal degrees from -180 to 180.
     * @param string $CustomerName The customer's name.
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string|null $BankName The IIN of the customer's bank. An iin of aeps/banks; default 990326.
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Withdrawal|null>
     * @throws GallaError
     */
    public function aepsWithdrawal(#[\SensitiveParameter] string $AadharNo, int|string $TxnAmount, string $Latitude, string $Longitude, string $CustomerName, #[\SensitiveParameter] string $PidData, string|null $BankName = null, string|null $clientRefId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsWithdrawal', ['AadharNo' => $AadharNo, 'TxnAmount' => Decimal::of($TxnAmount, 'TxnAmount'), 'Latitude' => $Latitude, 'Longitude' => $Longitude, 'CustomerName' => $CustomerName, 'PidData' => $PidData, 'BankName' => $BankName, 'clientRefId' => $clientRefId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Balance enquiry.
     *
     * POST /aeps/balance; for merchant, vendor.
     *
     * @param string $AadharNo The customer's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param int|string $TxnAmount The amount. Must be 0 on this route.
     * @param string $Latitude Where the device is. Decimal degrees from -90 to 90.
     * @param string $Longitude Where the device is. Decimal degrees from -180 to 180.
     * @param string $CustomerName The customer's name.
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string|null $BankName The IIN of the customer's bank. An iin of aeps/banks; default 990326.
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Balance|null>
     * @throws GallaError
     */
    public function aepsBalance(#[\SensitiveParameter] string $AadharNo, int|string $TxnAmount, string $Latitude, string $Longitude, string $CustomerName, #[\SensitiveParameter] string $PidData, string|null $BankName = null, string|null $clientRefId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsBalance', ['AadharNo' => $AadharNo, 'TxnAmount' => Decimal::of($TxnAmount, 'TxnAmount'), 'Latitude' => $Latitude, 'Longitude' => $Longitude, 'CustomerName' => $CustomerName, 'PidData' => $PidData, 'BankName' => $BankName, 'clientRefId' => $clientRefId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Mini statement.
     *
     * POST /aeps/minstatement; for merchant, vendor.
     *
     * @param string $AadharNo The customer's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param int|string $TxnAmount The amount. Must be 0 on this route.
     * @param string $Latitude Where the device is. Decimal degrees from -90 to 90.
     * @param string $Longitude Where the device is. Decimal degrees from -180 to 180.
     * @param string $CustomerName The customer's name.
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string|null $BankName The IIN of the customer's bank. An iin of aeps/banks; default 990326.
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\MiniStatement|null>
     * @throws GallaError
     */
    public function aepsMinstatement(#[\SensitiveParameter] string $AadharNo, int|string $TxnAmount, string $Latitude, string $Longitude, string $CustomerName, #[\SensitiveParameter] string $PidData, string|null $BankName = null, string|null $clientRefId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsMinstatement', ['AadharNo' => $AadharNo, 'TxnAmount' => Decimal::of($TxnAmount, 'TxnAmount'), 'Latitude' => $Latitude, 'Longitude' => $Longitude, 'CustomerName' => $CustomerName, 'PidData' => $PidData, 'BankName' => $BankName, 'clientRefId' => $clientRefId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * The agent's daily authentication.
     *
     * POST /aeps/reqAuth; for merchant, vendor.
     *
     * With the agent's own Aadhaar number and finger. A success opens the terminal's session for 24 hours.
     *
     * @param string $AadharNo The agent's own, 12 digits: whoever stands at the terminal gives a finger, and no
     * customer does. The example is one of UIDAI's public demo numbers, nobody's. Aadhaar number; must pass the
     * Verhoeff check.
     * @param int|string $TxnAmount The amount. Must be 0 on this route.
     * @param string $Latitude Where the device is. Decimal degrees from -90 to 90.
     * @param string $Longitude Where the device is. Decimal degrees from -180 to 180.
     * @param string $CustomerName The agent's name.
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string|null $BankName The IIN of the agent's bank. An iin of aeps/banks; default 990326.
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\AgentAuthentication|null>
     * @throws GallaError
     */
    public function aepsReqAuth(#[\SensitiveParameter] string $AadharNo, int|string $TxnAmount, string $Latitude, string $Longitude, string $CustomerName, #[\SensitiveParameter] string $PidData, string|null $BankName = null, string|null $clientRefId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsReqAuth', ['AadharNo' => $AadharNo, 'TxnAmount' => Decimal::of($TxnAmount, 'TxnAmount'), 'Latitude' => $Latitude, 'Longitude' => $Longitude, 'CustomerName' => $CustomerName, 'PidData' => $PidData, 'BankName' => $BankName, 'clientRefId' => $clientRefId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Purchase (Aadhaar Pay).
     *
     * POST /aeps/purchase; for merchant, vendor.
     *
     * A debit at the point of sale.
     *
     * @param string $AadharNo The customer's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param int|string $TxnAmount The amount. Rupees, at most two decimals.
     * @param string $Latitude Where the device is. Decimal degrees from -90 to 90.
     * @param string $Longitude Where the device is. Decimal degrees from -180 to 180.
     * @param string $CustomerName The customer's name.
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string|null $BankName The IIN of the customer's bank. An iin of aeps/banks; default 990326.
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Purchase|null>
     * @throws GallaError
     */
    public function aepsPurchase(#[\SensitiveParameter] string $AadharNo, int|string $TxnAmount, string $Latitude, string $Longitude, string $CustomerName, #[\SensitiveParameter] string $PidData, string|null $BankName = null, string|null $clientRefId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('aepsPurchase', ['AadharNo' => $AadharNo, 'TxnAmount' => Decimal::of($TxnAmount, 'TxnAmount'), 'Latitude' => $Latitude, 'Longitude' => $Longitude, 'CustomerName' => $CustomerName, 'PidData' => $PidData, 'BankName' => $BankName, 'clientRefId' => $clientRefId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * How an AEPS transaction stands.
     *
     * POST /aeps/requery; for merchant, vendor.
     *
     * The same reply as the transaction's, as it stands now. Exactly one of the three fields names it. The bank
     * is not asked: the central does that by itself while an answer is missing.
     *
     * @param string|null $clientRefId The operation's identity: a repeat with the same body gets the stored
     * reply. The caller's own reference.
     * @param string|null $reference The reference of a pending reply. The caller's own reference.
     * @param string|null $RetailerReferenceNumber As a reply named the transaction. The caller's own reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\AepsRequeryData|null>
     * @throws GallaError
     */
    public function aepsRequery(string|null $clientRefId = null, string|null $reference = null, string|null $RetailerReferenceNumber = null, string|null $merchantId = null): Result
    {
        return $this->invoke('aepsRequery', ['clientRefId' => $clientRefId, 'reference' => $reference, 'RetailerReferenceNumber' => $RetailerReferenceNumber, 'merchantId' => $merchantId]);
    }

    /**
     * The agent's session.
     *
     * GET /aeps/authStatus; for merchant, vendor.
     *
     * Reads the session and never asks the bank.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\AgentSession|null>
     * @throws GallaError
     */
    public function aepsAuthStatus(string|null $merchantId = null): Result
    {
        return $this->invoke('aepsAuthStatus', ['merchantId' => $merchantId]);
    }

    /**
     * The banks that customers can have.
     *
     * GET /aeps/banks; for merchant, vendor.
     *
     * @return Result<list<Data\Bank>|null>
     * @throws GallaError
     */
    public function aepsBanks(): Result
    {
        return $this->invoke('aepsBanks', []);
    }

    /**
     * Find an onboarded customer.
     *
     * POST /dmt/customer/GetDetail; for merchant, vendor.
     *
     * Distinct customers looked up in an hour are limited (remitter/details has the rule): 07 with Retry-After.
     *
     * @param string $mobile_number The customer's mobile number. Must be a ten-digit mobile number that begins
     * with 6, 7, 8 or 9.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Customer|null>
     * @throws GallaError
     */
    public function dmtCustomerGetDetail(string $mobile_number, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtCustomerGetDetail', ['mobile_number' => $mobile_number, 'merchantId' => $merchantId]);
    }

    /**
     * Begin a customer's onboarding.
     *
     * POST /dmt/customer/onboarding; for merchant, vendor.
     *
     * @param string $name The customer's name.
     * @param string $mobile_no The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or
     * 9.
     * @param string $city City.
     * @param string $state State.
     * @param string|null $email_id E-mail address. Must be an e-mail address.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Enrolment|null>
     * @throws GallaError
     */
    public function dmtCustomerOnboarding(string $name, string $mobile_no, string $city, string $state, string|null $email_id = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtCustomerOnboarding', ['name' => $name, 'mobile_no' => $mobile_no, 'city' => $city, 'state' => $state, 'email_id' => $email_id, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Send the customer an OTP.
     *
     * POST /dmt/customer/request_otp; for merchant, vendor.
     *
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\OTPRequest|null>
     * @throws GallaError
     */
    public function dmtCustomerRequestOtp(string $referenceid, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtCustomerRequestOtp', ['referenceid' => $referenceid, 'merchantId' => $merchantId]);
    }

    /**
     * Check the customer's OTP.
     *
     * POST /dmt/customer/validate_otp; for merchant, vendor.
     *
     * @param string $otp The one-time password from the text message. Must be the digits of a one-time password.
     * @param string $otpreqid Which OTP is meant, as the request for it answered. Must have 1 to 64 letters,
     * digits, dots, hyphens and underscores.
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtCustomerValidateOtp(#[\SensitiveParameter] string $otp, string $otpreqid, string $referenceid, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtCustomerValidateOtp', ['otp' => $otp, 'otpreqid' => $otpreqid, 'referenceid' => $referenceid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Give the customer's Aadhaar number.
     *
     * POST /dmt/customer/verify_UID; for merchant, vendor.
     *
     * @param string $aadhaarno The person's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtCustomerVerifyUid(#[\SensitiveParameter] string $aadhaarno, string $referenceid, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtCustomerVerifyUid', ['aadhaarno' => $aadhaarno, 'referenceid' => $referenceid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Give the customer's biometric.
     *
     * POST /dmt/customer/updatebiodetail; for merchant, vendor.
     *
     * The finger must be that of the Aadhaar number.
     *
     * @param string $PidData The capture as the registered-device service gave it, unchanged. It is used once
     * and never stored. PidData XML of a registered device, with errCode 0.
     * @param string $aadhaarno The person's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtCustomerUpdatebiodetail(#[\SensitiveParameter] string $PidData, #[\SensitiveParameter] string $aadhaarno, string $referenceid, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtCustomerUpdatebiodetail', ['PidData' => $PidData, 'aadhaarno' => $aadhaarno, 'referenceid' => $referenceid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Finish the customer's onboarding.
     *
     * POST /dmt/customer/submit; for merchant, vendor.
     *
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Enrolment|null>
     * @throws GallaError
     */
    public function dmtCustomerSubmit(string $referenceid, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtCustomerSubmit', ['referenceid' => $referenceid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * How far a customer's onboarding is.
     *
     * GET /dmt/customer/statusCheck; for merchant, vendor.
     *
     * @param string $referenceid The customer's onboarding, as its beginning answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Enrolment|null>
     * @throws GallaError
     */
    public function dmtCustomerStatusCheck(string $referenceid, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtCustomerStatusCheck', ['referenceid' => $referenceid, 'merchantId' => $merchantId]);
    }

    /**
     * Register an onboarded customer as a remitter.
     *
     * POST /dmt/txn/v1/remitter/register; for merchant, vendor.
     *
     * sender_mobilenumber or senderId names the customer; a field mobilenumber is not read. Name, address and
     * date of birth come from the onboarding.
     *
     * @param string|null $sender_mobilenumber The remitter's mobile number. Must be a ten-digit mobile number
     * that begins with 6, 7, 8 or 9.
     * @param string|null $senderId The customer's referenceid, or the remitter's id. It wins where both fields
     * are sent.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\DmtRemitterRegisterData|null>
     * @throws GallaError
     */
    public function dmtRemitterRegister(string|null $sender_mobilenumber = null, string|null $senderId = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtRemitterRegister', ['sender_mobilenumber' => $sender_mobilenumber, 'senderId' => $senderId, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * A remitter with limits and beneficiaries.
     *
     * POST /dmt/txn/v1/remitter/details; for merchant, vendor.
     *
     * How many distinct customers a merchant may look up in an hour who have not given it an OTP or a finger is
     * limited, over GetDetail, customer/onboarding, remitter/details and remitter/register together: 60 unless
     * agreed otherwise, 1,000 in the sandbox. Over it the answer is 07 with Retry-After.
     *
     * @param string $sender_mobilenumber The remitter's mobile number. Must be a ten-digit mobile number that
     * begins with 6, 7, 8 or 9.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Remitter|null>
     * @throws GallaError
     */
    public function dmtRemitterDetails(string $sender_mobilenumber, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtRemitterDetails', ['sender_mobilenumber' => $sender_mobilenumber, 'merchantId' => $merchantId]);
    }

    /**
     * Verify a receiver's account.
     *
     * POST /dmt/txn/v1/beneficiary/accountVerification; for merchant, vendor.
     *
     * Each call is a verification of its own. After status -1 or 91 ask again after 30 seconds.
     *
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string|null $senderId The remitter, as register and details answer it.
     * @param string|null $sender_mobilenumber The remitter's mobile number. Must be a ten-digit mobile number
     * that begins with 6, 7, 8 or 9.
     * @param string|null $receivername The receiver's name.
     * @param string|null $receivermobilenumber The receiver's mobile number. Must be a ten-digit mobile number
     * that begins with 6, 7, 8 or 9.
     * @param string|null $receiveremailid The receiver's e-mail address. Must be an e-mail address.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Verification|null>
     * @throws GallaError
     */
    public function dmtBeneficiaryAccountVerification(string $receiver_account_no, string $receiverIfscCode, string|null $senderId = null, string|null $sender_mobilenumber = null, string|null $receivername = null, string|null $receivermobilenumber = null, string|null $receiveremailid = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtBeneficiaryAccountVerification', ['receiver_account_no' => $receiver_account_no, 'receiverIfscCode' => $receiverIfscCode, 'senderId' => $senderId, 'sender_mobilenumber' => $sender_mobilenumber, 'receivername' => $receivername, 'receivermobilenumber' => $receivermobilenumber, 'receiveremailid' => $receiveremailid, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Add a beneficiary.
     *
     * POST /dmt/txn/v1/beneficiary/add; for merchant, vendor.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param string $receivername The receiver's name.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string|null $receivermobilenumber The receiver's mobile number. Must be a ten-digit mobile number
     * that begins with 6, 7, 8 or 9.
     * @param string|null $receiveremailid The receiver's e-mail address. Must be an e-mail address.
     * @param string|null $address The receiver's address.
     * @param string|null $city The receiver's city.
     * @param string|null $state The receiver's state.
     * @param string|null $branch_contact The branch.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\DmtBeneficiaryAddData|null>
     * @throws GallaError
     */
    public function dmtBeneficiaryAdd(string $senderId, string $receivername, string $receiverIfscCode, string $receiver_account_no, string|null $receivermobilenumber = null, string|null $receiveremailid = null, string|null $address = null, string|null $city = null, string|null $state = null, string|null $branch_contact = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtBeneficiaryAdd', ['senderId' => $senderId, 'receivername' => $receivername, 'receiverIfscCode' => $receiverIfscCode, 'receiver_account_no' => $receiver_account_no, 'receivermobilenumber' => $receivermobilenumber, 'receiveremailid' => $receiveremailid, 'address' => $address, 'city' => $city, 'state' => $state, 'branch_contact' => $branch_contact, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * A beneficiary's record.
     *
     * POST /dmt/txn/v1/beneficiary/get; for merchant, vendor.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Beneficiary|null>
     * @throws GallaError
     */
    public function dmtBeneficiaryGet(string $senderId, string $receiver_account_no, string $receiverIfscCode, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtBeneficiaryGet', ['senderId' => $senderId, 'receiver_account_no' => $receiver_account_no, 'receiverIfscCode' => $receiverIfscCode, 'merchantId' => $merchantId]);
    }

    /**
     * Delete a beneficiary.
     *
     * POST /dmt/txn/v1/beneficiary/delete; for merchant, vendor.
     *
     * Beneficiaries belong to the bank's customer. A merchant deletes after the customer has passed validate_otp
     * or updatebiodetail of the onboarding, or a transfer, at this merchant; before, it is 05.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtBeneficiaryDelete(string $senderId, string $receiver_account_no, string $receiverIfscCode, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtBeneficiaryDelete', ['senderId' => $senderId, 'receiver_account_no' => $receiver_account_no, 'receiverIfscCode' => $receiverIfscCode, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Send the OTP of a transfer.
     *
     * POST /dmt/txn/v1/transaction/otp; for merchant, vendor.
     *
     * It goes to the remitter's registered mobile, and holds for this receiver and this amount.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param int|string $amount The amount. Rupees, at most two decimals.
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtTransactionOtp(string $senderId, int|string $amount, string $receiver_account_no, string $receiverIfscCode, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtTransactionOtp', ['senderId' => $senderId, 'amount' => Decimal::of($amount, 'amount'), 'receiver_account_no' => $receiver_account_no, 'receiverIfscCode' => $receiverIfscCode, 'merchantId' => $merchantId]);
    }

    /**
     * Send money.
     *
     * POST /dmt/txn/v1/transaction/instant; for merchant, vendor.
     *
     * Checks the OTP and debits in one call. refId is the transfer's identity: a repeat with the same body
     * returns its state and never sends twice. If the bank refused it for its OTP, nothing moved: the request
     * with another otp and the same refId is a new attempt. The otp is no part of what makes two bodies the
     * same. The very otp that was refused, sent again within five minutes, gets the same reply and uses up no
     * try of the customer's; a node that has not tried it, or was restarted since, tries it once. Ask the
     * customer for the otp again; never repeat a refused one.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param int $BeneficiaryId The beneficiary, as add and details answer it.
     * @param int|string $amount The amount. Rupees, at most two decimals.
     * @param string $refId The caller's own reference of the transfer, and its identity. The caller's own
     * reference.
     * @param string $otp The one-time password from the text message. Must be the digits of a one-time password.
     * @param string $receiver_account_no The receiver's account number; leading zeros count. Must be an account
     * number of 6 to 18 digits.
     * @param string $receiverIfscCode The receiver's branch. Must be an IFSC: four capital letters, a zero, six
     * capital letters or digits.
     * @param string $account_holder_name The receiver's name.
     * @param string|null $receiverMobilenumber The receiver's mobile number. Must be a ten-digit mobile number
     * that begins with 6, 7, 8 or 9.
     * @param string|null $remarks Words for the receiver.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\Transfer|null>
     * @throws GallaError
     */
    public function dmtTransactionInstant(string $senderId, int $BeneficiaryId, int|string $amount, string $refId, #[\SensitiveParameter] string $otp, string $receiver_account_no, string $receiverIfscCode, string $account_holder_name, string|null $receiverMobilenumber = null, string|null $remarks = null, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtTransactionInstant', ['senderId' => $senderId, 'BeneficiaryId' => $BeneficiaryId, 'amount' => Decimal::of($amount, 'amount'), 'refId' => $refId, 'otp' => $otp, 'receiver_account_no' => $receiver_account_no, 'receiverIfscCode' => $receiverIfscCode, 'account_holder_name' => $account_holder_name, 'receiverMobilenumber' => $receiverMobilenumber, 'remarks' => $remarks, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * What a transfer costs.
     *
     * POST /dmt/txn/v1/transaction/charges; for merchant, vendor.
     *
     * @param string $senderId The remitter, as register and details answer it.
     * @param int|string $amount The amount. Rupees, at most two decimals.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\Charges|null>
     * @throws GallaError
     */
    public function dmtTransactionCharges(string $senderId, int|string $amount, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtTransactionCharges', ['senderId' => $senderId, 'amount' => Decimal::of($amount, 'amount'), 'merchantId' => $merchantId]);
    }

    /**
     * How a transfer stands.
     *
     * POST /dmt/txn/v1/transaction/requery; for merchant, vendor.
     *
     * The bank is not asked: the central does that by itself while an answer is missing.
     *
     * @param string $refId The caller's own reference of the transfer, and its identity. The caller's own
     * reference.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\TransferState|null>
     * @throws GallaError
     */
    public function dmtTransactionRequery(string $refId, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtTransactionRequery', ['refId' => $refId, 'merchantId' => $merchantId]);
    }

    /**
     * Send the OTP of a refund.
     *
     * POST /dmt/txn/v1/transaction/refundOTP; for merchant, vendor.
     *
     * The customer tells the OTP at the counter. Give the cash back when refund has answered that it went
     * through, not before: the bank may decline it.
     *
     * @param string $refereanceId The transactionId of the transfer. The misspelling is the field's name. Must
     * have 1 to 64 letters, digits, dots, hyphens and underscores.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<null>
     * @throws GallaError
     */
    public function dmtTransactionRefundOtp(string $refereanceId, string|null $merchantId = null): Result
    {
        return $this->invoke('dmtTransactionRefundOtp', ['refereanceId' => $refereanceId, 'merchantId' => $merchantId]);
    }

    /**
     * Refund a transfer.
     *
     * POST /dmt/txn/v1/refund; for merchant, vendor.
     *
     * Once for each transfer. refId is the transfer's. A repeat, whatever its otp, gets the stored reply; after
     * a refused otp it is a new attempt. An Idempotency-Key leads to the last attempt that was made with it.
     *
     * @param string $transactionId As the transfer's reply named it. Must have 1 to 64 letters, digits, dots,
     * hyphens and underscores.
     * @param string $refId The caller's own reference of the transfer, and its identity. The caller's own
     * reference.
     * @param string $otp The one-time password from the text message. Must be the digits of a one-time password.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\DmtRefundData|null>
     * @throws GallaError
     */
    public function dmtRefund(string $transactionId, string $refId, #[\SensitiveParameter] string $otp, string|null $merchantId = null, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('dmtRefund', ['transactionId' => $transactionId, 'refId' => $refId, 'otp' => $otp, 'merchantId' => $merchantId], $idempotencyKey);
    }

    /**
     * Begin a session at the bank network.
     *
     * POST /dmt/txn/v1/login; for merchant, vendor.
     *
     * No other route needs it.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\DmtLoginData|null>
     * @throws GallaError
     */
    public function dmtLogin(string|null $merchantId = null): Result
    {
        return $this->invoke('dmtLogin', ['merchantId' => $merchantId]);
    }

    /**
     * The vendor's merchants.
     *
     * GET /vendor/merchants; for vendor.
     *
     * All that are not pending, oldest first.
     *
     * @param int|null $page Which page. Default 1.
     * @param int|null $limit How many on a page. Default 10; over 100 is served as 100, and pagination says so.
     * @return Result<list<Data\Merchant>|null>
     * @throws GallaError
     */
    public function vendorMerchants(int|null $page = null, int|null $limit = null): Result
    {
        return $this->invoke('vendorMerchants', ['page' => $page, 'limit' => $limit]);
    }

    /**
     * The vendor itself, with its merchants' newest transactions.
     *
     * GET /vendor/me; for vendor.
     *
     * @return Result<Data\Vendor|null>
     * @throws GallaError
     */
    public function vendorMe(): Result
    {
        return $this->invoke('vendorMe', []);
    }

    /**
     * The vendor's commission slabs.
     *
     * GET /vendor-commission/{vendorId}/commission; for vendor.
     *
     * @param string $vendorId The caller's own vendor id; another's is answered as an unknown one.
     * @return Result<list<Data\Slab>|null>
     * @throws GallaError
     */
    public function vendorCommissionList(string $vendorId): Result
    {
        return $this->invoke('vendorCommissionList', ['vendorId' => $vendorId]);
    }

    /**
     * Create a commission slab.
     *
     * POST /vendor-commission/{vendorId}/commission; for vendor.
     *
     * Needs an aggregator of the vendor (05). A band that is equal to another one of the combination is a
     * conflict (09); bands may overlap, and a slab without a band may stand beside them. Of several that hold an
     * amount the narrowest applies, of equally narrow ones the one with the higher lower bound, and the default
     * where none does. Null is no value of any field.
     *
     * @param string $vendorId The caller's own vendor id; another's is answered as an unknown one.
     * @param string $paymentMethod AEPS or DMT, for what this service does. Upper and lower case do not matter.
     * Any text of 1 to 64 printable characters, kept unchanged.
     * @param string $provider The upstream provider's code, such as NSDL. Upper and lower case do not matter:
     * nsdl is the same provider. Any text of 1 to 64 printable characters, kept unchanged.
     * @param string $txnType What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT and
     * PURCHASE, and for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any text
     * of 1 to 64 printable characters, kept unchanged.
     * @param int|string|null $minAmount The band's lower bound, in it. Absent: open below. Rupees, at most two
     * decimals.
     * @param int|string|null $maxAmount The band's upper bound, not in it, and more than minAmount. Absent: open
     * above. Rupees, at most two decimals.
     * @param int|string|null $commissionRate Rupees, with at most two decimals, where rateType is FIXED;
     * percent, at most 100, where it is PERCENTAGE. Absent: 0. At most six decimals.
     * @param string|null $rateType What commissionRate is; FIXED where it is absent.
     * @param bool|null $isDefault The slab also serves amounts that no band of the combination holds. The
     * combination's earlier default is unset.
     * @return Result<Data\Slab|null>
     * @throws GallaError
     */
    public function vendorCommissionCreate(string $vendorId, string $paymentMethod, string $provider, string $txnType, int|string|null $minAmount = null, int|string|null $maxAmount = null, int|string|null $commissionRate = null, string|null $rateType = null, bool|null $isDefault = null): Result
    {
        return $this->invoke('vendorCommissionCreate', ['vendorId' => $vendorId, 'paymentMethod' => $paymentMethod, 'provider' => $provider, 'txnType' => $txnType, 'minAmount' => Decimal::of($minAmount, 'minAmount'), 'maxAmount' => Decimal::of($maxAmount, 'maxAmount'), 'commissionRate' => Decimal::of($commissionRate, 'commissionRate'), 'rateType' => $rateType, 'isDefault' => $isDefault]);
    }

    /**
     * Change a commission slab.
     *
     * PUT /vendor-commission/{vendorId}/commission/{slabId}; for vendor.
     *
     * Any subset of the fields; those that are left out keep their value. The rules hold for the slab as it is
     * afterwards. Null is no value of any field: to open a band, make a new slab.
     *
     * @param string $vendorId The caller's own vendor id; another's is answered as an unknown one.
     * @param string $slabId The slab's id, as its creation answered it.
     * @param string|null $paymentMethod AEPS or DMT, for what this service does. Upper and lower case do not
     * matter. Any text of 1 to 64 printable characters, kept unchanged.
     * @param string|null $provider The upstream provider's code, such as NSDL. Upper and lower case do not
     * matter: nsdl is the same provider. Any text of 1 to 64 printable characters, kept unchanged.
     * @param string|null $txnType What this service earns by is, for AEPS, WITHDRAWAL, BALANCE, MINISTATEMENT
     * and PURCHASE, and for DMT TRANSFER, VALIDATION and REGISTRATION. Upper and lower case do not matter. Any
     * text of 1 to 64 printable characters, kept unchanged.
     * @param int|string|null $minAmount The band's lower bound, in it. Rupees, at most two decimals.
     * @param int|string|null $maxAmount The band's upper bound, not in it, and more than minAmount. Rupees, at
     * most two decimals.
     * @param int|string|null $commissionRate Rupees, with at most two decimals, where rateType is FIXED;
     * percent, at most 100, where it is PERCENTAGE. At most six decimals.
     * @param string|null $rateType What commissionRate is.
     * @param bool|null $isDefault The slab also serves amounts that no band of the combination holds. The
     * combination's earlier default is unset.
     * @return Result<Data\Slab|null>
     * @throws GallaError
     */
    public function vendorCommissionUpdate(string $vendorId, string $slabId, string|null $paymentMethod = null, string|null $provider = null, string|null $txnType = null, int|string|null $minAmount = null, int|string|null $maxAmount = null, int|string|null $commissionRate = null, string|null $rateType = null, bool|null $isDefault = null): Result
    {
        return $this->invoke('vendorCommissionUpdate', ['vendorId' => $vendorId, 'slabId' => $slabId, 'paymentMethod' => $paymentMethod, 'provider' => $provider, 'txnType' => $txnType, 'minAmount' => Decimal::of($minAmount, 'minAmount'), 'maxAmount' => Decimal::of($maxAmount, 'maxAmount'), 'commissionRate' => Decimal::of($commissionRate, 'commissionRate'), 'rateType' => $rateType, 'isDefault' => $isDefault]);
    }

    /**
     * Delete a commission slab.
     *
     * DELETE /vendor-commission/{vendorId}/commission/{slabId}; for vendor.
     *
     * Final for the caller; what it earned stays.
     *
     * @param string $vendorId The caller's own vendor id; another's is answered as an unknown one.
     * @param string $slabId The slab's id, as its creation answered it.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorCommissionDelete(string $vendorId, string $slabId): Result
    {
        return $this->invoke('vendorCommissionDelete', ['vendorId' => $vendorId, 'slabId' => $slabId]);
    }

    /**
     * What the vendor earned.
     *
     * GET /vendor-commission/{vendorId}/earnings; for vendor.
     *
     * By Indian days, from and to included, at most 366 of them.
     *
     * @param string $vendorId The caller's own vendor id; another's is answered as an unknown one.
     * @param string|null $from The first Indian day; by default the report has 30 days.
     * @param string|null $to The last Indian day, included; today by default.
     * @param string|null $groupBy What the lines are summed by. Any of day, merchant, type, separated by commas,
     * each once; default day.
     * @return Result<Data\EarningsReport|null>
     * @throws GallaError
     */
    public function vendorCommissionEarnings(string $vendorId, string|null $from = null, string|null $to = null, string|null $groupBy = null): Result
    {
        return $this->invoke('vendorCommissionEarnings', ['vendorId' => $vendorId, 'from' => $from, 'to' => $to, 'groupBy' => $groupBy]);
    }

    /**
     * The vendor's keys of the gateway.
     *
     * GET /vendor/keys; for vendor.
     *
     * Oldest first, with those that have ended. Of an API key only the last four characters are known.
     *
     * @return Result<list<Data\VendorKey>|null>
     * @throws GallaError
     */
    public function vendorKeysList(): Result
    {
        return $this->invoke('vendorKeysList', []);
    }

    /**
     * The vendor's programs.
     *
     * GET /vendor/clients; for vendor.
     *
     * The clients of POST /oauth/token, with the numbers of their live secrets, the newest first.
     *
     * @return Result<list<Data\VendorClient>|null>
     * @throws GallaError
     */
    public function vendorClients(): Result
    {
        return $this->invoke('vendorClients', []);
    }

    /**
     * Where the vendor gets callbacks.
     *
     * GET /vendor/callback; for vendor.
     *
     * The endpoint for all its merchants that have none of their own, with the ids of the live secrets that sign
     * its callbacks.
     *
     * @return Result<Data\CallbackEndpoint|null>
     * @throws GallaError
     */
    public function vendorCallbackGet(): Result
    {
        return $this->invoke('vendorCallbackGet', []);
    }

    /**
     * Set where the vendor gets callbacks.
     *
     * PUT /vendor/callback; for vendor.
     *
     * For all its merchants that have no endpoint of their own; merchantId in the message says whose operation
     * it was. An HTTPS address on the public internet; a sandbox takes http and this machine's addresses, too.
     * Callbacks that wait for it are sent there now. An endpoint that answered 410 Gone is enabled again.
     *
     * @param string $url The receiver's address. An HTTPS address.
     * @return Result<Data\CallbackEndpoint|null>
     * @throws GallaError
     */
    public function vendorCallbackUpdate(string $url): Result
    {
        return $this->invoke('vendorCallbackUpdate', ['url' => $url]);
    }

    /**
     * Remove the vendor's endpoint.
     *
     * DELETE /vendor/callback; for vendor.
     *
     * Callbacks that wait for it are given up. Merchants with an endpoint of their own still get theirs.
     *
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorCallbackDelete(): Result
    {
        return $this->invoke('vendorCallbackDelete', []);
    }

    /**
     * Create a secret of the vendor's callbacks.
     *
     * POST /vendor/callback/secrets; for vendor.
     *
     * The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with
     * each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end
     * one first.
     *
     * @param string|null $formerEndsAt When the present secret ends, at most 90 days ahead; absent: it is ended
     * by a call.
     * @return Result<Data\NewCallbackSecret|null>
     * @throws GallaError
     */
    public function vendorCallbackSecrets(string|null $formerEndsAt = null): Result
    {
        return $this->invoke('vendorCallbackSecrets', ['formerEndsAt' => $formerEndsAt]);
    }

    /**
     * End a secret of the vendor's callbacks.
     *
     * POST /vendor/callback/secrets/{secretId}/end; for vendor.
     *
     * At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A
     * later call changes a planned end; an end is final.
     *
     * @param string $secretId The secret's id, as its creation or the list answered it.
     * @param string|null $at When it ends, at most 90 days ahead; absent: now.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorCallbackSecretsEnd(string $secretId, string|null $at = null): Result
    {
        return $this->invoke('vendorCallbackSecretsEnd', ['secretId' => $secretId, 'at' => $at]);
    }

    /**
     * Where a merchant gets callbacks.
     *
     * GET /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * Its own endpoint, with the ids of the live secrets that sign its callbacks. Without one, the vendor's gets
     * them.
     *
     * @param string $merchantId One of the vendor's merchants.
     * @return Result<Data\CallbackEndpoint|null>
     * @throws GallaError
     */
    public function vendorMerchantsCallbackGet(string $merchantId): Result
    {
        return $this->invoke('vendorMerchantsCallbackGet', ['merchantId' => $merchantId]);
    }

    /**
     * Set where a merchant gets callbacks.
     *
     * PUT /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * Its own endpoint, which wins over the vendor's. An HTTPS address on the public internet; a sandbox takes
     * http and this machine's addresses, too. Callbacks of the merchant that wait are sent there now. An
     * endpoint that answered 410 Gone is enabled again.
     *
     * @param string $merchantId One of the vendor's merchants.
     * @param string $url The receiver's address. An HTTPS address.
     * @return Result<Data\CallbackEndpoint|null>
     * @throws GallaError
     */
    public function vendorMerchantsCallbackUpdate(string $merchantId, string $url): Result
    {
        return $this->invoke('vendorMerchantsCallbackUpdate', ['merchantId' => $merchantId, 'url' => $url]);
    }

    /**
     * Remove a merchant's endpoint.
     *
     * DELETE /vendor/merchants/{merchantId}/callback; for vendor.
     *
     * Its callbacks go to the vendor's endpoint. Where there is none, those that wait are given up.
     *
     * @param string $merchantId One of the vendor's merchants.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorMerchantsCallbackDelete(string $merchantId): Result
    {
        return $this->invoke('vendorMerchantsCallbackDelete', ['merchantId' => $merchantId]);
    }

    /**
     * Create a secret of a merchant's callbacks.
     *
     * POST /vendor/merchants/{merchantId}/callback/secrets; for vendor.
     *
     * The present secret stays valid until formerEndsAt, or until it is ended. Every callback is signed with
     * each live secret, so a receiver that knows one of them verifies all. With two live secrets it is 05: end
     * one first.
     *
     * @param string $merchantId One of the vendor's merchants.
     * @param string|null $formerEndsAt When the present secret ends, at most 90 days ahead; absent: it is ended
     * by a call.
     * @return Result<Data\NewCallbackSecret|null>
     * @throws GallaError
     */
    public function vendorMerchantsCallbackSecrets(string $merchantId, string|null $formerEndsAt = null): Result
    {
        return $this->invoke('vendorMerchantsCallbackSecrets', ['merchantId' => $merchantId, 'formerEndsAt' => $formerEndsAt]);
    }

    /**
     * End a secret of a merchant's callbacks.
     *
     * POST /vendor/merchants/{merchantId}/callback/secrets/{secretId}/end; for vendor.
     *
     * At once, or at a time. Nothing is signed with it afterwards; without a live secret nothing is sent. A
     * later call changes a planned end; an end is final.
     *
     * @param string $merchantId One of the vendor's merchants.
     * @param string $secretId The secret's id, as its creation or the list answered it.
     * @param string|null $at When it ends, at most 90 days ahead; absent: now.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorMerchantsCallbackSecretsEnd(string $merchantId, string $secretId, string|null $at = null): Result
    {
        return $this->invoke('vendorMerchantsCallbackSecretsEnd', ['merchantId' => $merchantId, 'secretId' => $secretId, 'at' => $at]);
    }

    /**
     * Callbacks to the vendor's merchants.
     *
     * GET /vendor/callbacks; for vendor.
     *
     * Newest first, in pages: after takes next of the page before. They are those of the days from and to, by
     * default of 30 days.
     *
     * @param int|null $limit How many on a page. Default 10; over 100 is served as 100, and pagination says so.
     * @param string|null $merchant Only of this merchant.
     * @param string|null $after The next of the page before; absent: the first page.
     * @param string|null $status The state of the callback.
     * @param string|null $from The first Indian day; by default the report has 30 days.
     * @param string|null $to The last Indian day, included; today by default.
     * @return Result<list<Data\CallbackDelivery>|null>
     * @throws GallaError
     */
    public function vendorCallbacksList(int|null $limit = null, string|null $merchant = null, string|null $after = null, string|null $status = null, string|null $from = null, string|null $to = null): Result
    {
        return $this->invoke('vendorCallbacksList', ['limit' => $limit, 'merchant' => $merchant, 'after' => $after, 'status' => $status, 'from' => $from, 'to' => $to]);
    }

    /**
     * One callback with its attempts.
     *
     * GET /vendor/callbacks/{operationId}; for vendor.
     *
     * @param string $operationId The operation that the callback is about.
     * @return Result<Data\CallbackDelivery|null>
     * @throws GallaError
     */
    public function vendorCallbacksGet(string $operationId): Result
    {
        return $this->invoke('vendorCallbacksGet', ['operationId' => $operationId]);
    }

    /**
     * Send a callback again.
     *
     * POST /vendor/callbacks/{operationId}/resend; for vendor.
     *
     * Now, and for another full period of attempts, whether it was delivered or given up. An operation that was
     * pending, and ended while there was no endpoint, gets a callback by it. One that is being sent at this
     * moment, or has no callback, is 05.
     *
     * @param string $operationId The operation that the callback is about.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorCallbacksResend(string $operationId): Result
    {
        return $this->invoke('vendorCallbacksResend', ['operationId' => $operationId]);
    }

    /**
     * Operations of the vendor's merchants.
     *
     * GET /vendor/operations; for vendor.
     *
     * Transactions, newest first, of the days from and to, by default of 30 days. JSON comes in pages: after
     * takes next of the page before. With format=csv (direct routes only), all of them come in one file, whose
     * cells are no formulas. The Aadhaar number is masked.
     *
     * @param int|null $limit How many on a page. Default 10; over 100 is served as 100, and pagination says so.
     * @param string|null $merchant Only of this merchant.
     * @param string|null $after The next of the page before; absent: the first page.
     * @param string|null $status Only of this state.
     * @param string|null $type Only of this kind.
     * @param string|null $from The first Indian day; by default the report has 30 days.
     * @param string|null $to The last Indian day, included; today by default.
     * @param string|null $format The form of the reply; json where it is absent. csv is for the direct routes.
     * @return Result<list<Data\VendorOperation>|null>
     * @throws GallaError
     */
    public function vendorOperations(int|null $limit = null, string|null $merchant = null, string|null $after = null, string|null $status = null, string|null $type = null, string|null $from = null, string|null $to = null, string|null $format = null): Result
    {
        return $this->invoke('vendorOperations', ['limit' => $limit, 'merchant' => $merchant, 'after' => $after, 'status' => $status, 'type' => $type, 'from' => $from, 'to' => $to, 'format' => $format]);
    }

    /**
     * The limits in force.
     *
     * GET /limits; for merchant, vendor.
     *
     * So that an amount can be refused before a finger is asked for. Every operation is held against them again.
     *
     * @return Result<list<Data\Limit>|null>
     * @throws GallaError
     */
    public function limits(): Result
    {
        return $this->invoke('limits', []);
    }
}
