<?php

// Written by deploy/sdk/generate from the OpenAPI document; do not edit.

declare(strict_types=1);

namespace Galla;

/** All routes: those of the gateway, and those that can be called directly only. */
abstract class DirectRoutes extends GatewayRoutes
{
    /**
     * The aggregator's float.
     *
     * POST /dmt/txn/v1/transaction/balance; for aggregator.
     *
     * @return Result<Data\DmtTransactionBalanceData|null>
     * @throws GallaError
     */
    public function dmtTransactionBalance(): Result
    {
        return $this->invoke('dmtTransactionBalance', []);
    }

    /**
     * Register a business correspondent.
     *
     * POST /onboarding/dmt/bc/registor; for aggregator.
     *
     * @param string $name The correspondent's name.
     * @param string $mobile_no The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or
     * 9.
     * @param string $email_id E-mail address. Must be an e-mail address.
     * @param string $pan Permanent account number. Must be a PAN: five capital letters, four digits, one capital
     * letter.
     * @param string $address Address.
     * @param string $city City.
     * @param string $state State.
     * @param string $pincode Postal code. Must be a six-digit PIN code.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\OnboardingDmtBcRegistorData|null>
     * @throws GallaError
     */
    public function onboardingDmtBcRegistor(string $name, string $mobile_no, string $email_id, string $pan, string $address, string $city, string $state, string $pincode, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('onboardingDmtBcRegistor', ['name' => $name, 'mobile_no' => $mobile_no, 'email_id' => $email_id, 'pan' => $pan, 'address' => $address, 'city' => $city, 'state' => $state, 'pincode' => $pincode], $idempotencyKey);
    }

    /**
     * Register an agent of a business correspondent.
     *
     * POST /onboarding/dmt/bc/agent/registor; for aggregator, vendor.
     *
     * @param string $bcId The business correspondent's id, as its registration answered it. Must have 1 to 64
     * letters, digits, dots, hyphens and underscores.
     * @param string $name The agent's name.
     * @param string $mobile_no The mobile number. Must be a ten-digit mobile number that begins with 6, 7, 8 or
     * 9.
     * @param string $email_id E-mail address. Must be an e-mail address.
     * @param string $pan Permanent account number. Must be a PAN: five capital letters, four digits, one capital
     * letter.
     * @param string $address Address.
     * @param string $city City.
     * @param string $state State.
     * @param string $pincode Postal code. Must be a six-digit PIN code.
     * @param string $aadhaarno The person's, 12 digits. The example is one of UIDAI's public demo numbers,
     * nobody's. Aadhaar number; must pass the Verhoeff check.
     * @param string $shopName The shop's name.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\OnboardingDmtBcAgentRegistorData|null>
     * @throws GallaError
     */
    public function onboardingDmtBcAgentRegistor(string $bcId, string $name, string $mobile_no, string $email_id, string $pan, string $address, string $city, string $state, string $pincode, #[\SensitiveParameter] string $aadhaarno, string $shopName, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('onboardingDmtBcAgentRegistor', ['bcId' => $bcId, 'name' => $name, 'mobile_no' => $mobile_no, 'email_id' => $email_id, 'pan' => $pan, 'address' => $address, 'city' => $city, 'state' => $state, 'pincode' => $pincode, 'aadhaarno' => $aadhaarno, 'shopName' => $shopName], $idempotencyKey);
    }

    /**
     * Activate an agent.
     *
     * POST /onboarding/dmt/bc/agent/initialize; for aggregator, vendor.
     *
     * @param string $agentId The agent's id at the bank network. Must have 1 to 64 letters, digits, dots,
     * hyphens and underscores.
     * @param string|null $idempotencyKey the operation's identity, the same at every repeat; a new one where
     * none is given
     * @return Result<Data\OnboardingDmtBcAgentInitializeData|null>
     * @throws GallaError
     */
    public function onboardingDmtBcAgentInitialize(string $agentId, ?string $idempotencyKey = null): Result
    {
        return $this->invoke('onboardingDmtBcAgentInitialize', ['agentId' => $agentId], $idempotencyKey);
    }

    /**
     * How a business correspondent or agent stands.
     *
     * POST /onboarding/dmt/bc/status; for aggregator.
     *
     * bcId or agentId; the agent is asked after where both are sent.
     *
     * @param string|null $bcId The business correspondent's id, as its registration answered it. Must have 1 to
     * 64 letters, digits, dots, hyphens and underscores.
     * @param string|null $agentId The agent's id at the bank network. Must have 1 to 64 letters, digits, dots,
     * hyphens and underscores.
     * @return Result<Data\Progress|null>
     * @throws GallaError
     */
    public function onboardingDmtBcStatus(string|null $bcId = null, string|null $agentId = null): Result
    {
        return $this->invoke('onboardingDmtBcStatus', ['bcId' => $bcId, 'agentId' => $agentId]);
    }

    /**
     * Make a QR code.
     *
     * POST /upi/txn/v1/GenerateQR; for merchant.
     *
     * An amount makes a dynamic code, for that amount and that order; no amount, or 0, a static one. A repeated
     * order_id makes another code: nothing moved, so nothing conflicts. Merchants only: a vendor is refused
     * before the body is read.
     *
     * @param string $order_id The merchant's own order, returned as it came. The link's tr is it where it can be
     * one (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each
     * time. A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
     * @param int|string|null $amount The amount of a dynamic code; absent or 0: a static code. Rupees, at most
     * two decimals.
     * @param string|null $merchantId Optional: the token names the merchant.
     * @return Result<Data\QRCode|null>
     * @throws GallaError
     */
    public function upiGenerateQr(string $order_id, int|string|null $amount = null, string|null $merchantId = null): Result
    {
        return $this->invoke('upiGenerateQr', ['order_id' => $order_id, 'amount' => Decimal::of($amount, 'amount'), 'merchantId' => $merchantId]);
    }

    /**
     * Whether an order was paid.
     *
     * POST /upi/txn/v1/status; for merchant.
     *
     * Of a dynamic code. PAID: a payment of the code's amount was received and not returned. AMOUNT_DIFFERS:
     * what was received has other amounts. RETURNED: the bank returned everything. OPEN or EXPIRED: nothing was
     * received so far, and a payment that comes later is recorded all the same. Two payments of one order are
     * both listed, and received is the sum of what was not returned. Merchants only.
     *
     * @param string $order_id The merchant's own order, returned as it came. The link's tr is it where it can be
     * one (up to 35 letters, digits, dots, hyphens and underscores), or else a short form of it, the same each
     * time. A repeat makes another code. Any text of 1 to 64 printable characters, kept unchanged.
     * @param string|null $merchantId Optional: the token names the merchant.
     * @return Result<Data\UPIOrder|null>
     * @throws GallaError
     */
    public function upiStatus(string $order_id, string|null $merchantId = null): Result
    {
        return $this->invoke('upiStatus', ['order_id' => $order_id, 'merchantId' => $merchantId]);
    }

    /**
     * Payments that were received.
     *
     * GET /upi/txn/v1/payments; for merchant.
     *
     * Newest record first, of the Indian days from and to, by default of 30 days: of dynamic and static codes,
     * and those that no order was found for. after takes next of the page before. A payment is listed once the
     * central has recorded it, and is told by the callback upi.received, too. Merchants only.
     *
     * @param int|null $limit How many on a page. Default 10; over 100 is served as 100, and pagination says so.
     * @param string|null $after The next of the page before; absent: the first page. Must have 1 to 64 letters,
     * digits, dots, hyphens and underscores.
     * @param string|null $from The first Indian day; by default the report has 30 days.
     * @param string|null $to The last Indian day, included; today by default.
     * @param string|null $merchantId Optional: the token names the merchant.
     * @return Result<list<Data\UPIPayment>|null>
     * @throws GallaError
     */
    public function upiPayments(int|null $limit = null, string|null $after = null, string|null $from = null, string|null $to = null, string|null $merchantId = null): Result
    {
        return $this->invoke('upiPayments', ['limit' => $limit, 'after' => $after, 'from' => $from, 'to' => $to, 'merchantId' => $merchantId]);
    }

    /**
     * Create a key of the gateway.
     *
     * POST /vendor/keys; for vendor.
     *
     * The vendor's other key stays valid. With two live keys it is 05: end one first. A key whose reply was lost
     * is in the list: end it, and create another.
     *
     * @return Result<Data\NewVendorKey|null>
     * @throws GallaError
     */
    public function vendorKeysCreate(): Result
    {
        return $this->invoke('vendorKeysCreate', []);
    }

    /**
     * End a key of the gateway.
     *
     * POST /vendor/keys/{keyId}/end; for vendor.
     *
     * At once, or at a time. Within a second every message under it is refused. A later call changes a planned
     * end; an end is final.
     *
     * @param string $keyId The key's id, as its creation or the list answered it.
     * @param string|null $at When it ends, at most 90 days ahead; absent: now.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorKeysEnd(string $keyId, string|null $at = null): Result
    {
        return $this->invoke('vendorKeysEnd', ['keyId' => $keyId, 'at' => $at]);
    }

    /**
     * Create a secret of a program.
     *
     * POST /vendor/clients/{clientId}/secrets; for vendor.
     *
     * The program's present secret, and the tokens that it got, stay valid until formerEndsAt, or until it is
     * ended. With two live secrets it is 05: end one first. A suspended program stays out, whatever its secrets.
     *
     * @param string $clientId The program's client_id.
     * @param string|null $formerEndsAt When the present secret ends, at most 90 days ahead; absent: it is ended
     * by a call.
     * @return Result<Data\NewClientSecret|null>
     * @throws GallaError
     */
    public function vendorClientsSecrets(string $clientId, string|null $formerEndsAt = null): Result
    {
        return $this->invoke('vendorClientsSecrets', ['clientId' => $clientId, 'formerEndsAt' => $formerEndsAt]);
    }

    /**
     * End a secret of a program.
     *
     * POST /vendor/clients/{clientId}/secrets/{secretId}/end; for vendor.
     *
     * Its tokens are refused within a second, and the program's open enrolment codes are void. With at, only the
     * older secret ends, at that time. A program's only secret can't be ended: 05.
     *
     * @param string $clientId The program's client_id.
     * @param string $secretId The secret's id, as its creation or the list answered it.
     * @param string|null $at When it ends, at most 90 days ahead; absent: now.
     * @return Result<null>
     * @throws GallaError
     */
    public function vendorClientsSecretsEnd(string $clientId, string $secretId, string|null $at = null): Result
    {
        return $this->invoke('vendorClientsSecretsEnd', ['clientId' => $clientId, 'secretId' => $secretId, 'at' => $at]);
    }

    /**
     * Make an enrolment code.
     *
     * POST /terminals; for merchant, vendor.
     *
     * A one-time code for the merchant's next terminal, valid for 15 minutes.
     *
     * @param string|null $name A name for the caller's own records.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<Data\EnrolmentCode|null>
     * @throws GallaError
     */
    public function terminalsCreate(string|null $name = null, string|null $merchantId = null): Result
    {
        return $this->invoke('terminalsCreate', ['name' => $name, 'merchantId' => $merchantId]);
    }

    /**
     * The merchant's terminals.
     *
     * GET /terminals; for merchant, vendor.
     *
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<list<Data\Terminal>|null>
     * @throws GallaError
     */
    public function terminalsList(string|null $merchantId = null): Result
    {
        return $this->invoke('terminalsList', ['merchantId' => $merchantId]);
    }

    /**
     * Revoke a terminal.
     *
     * DELETE /terminals/{id}; for merchant, vendor.
     *
     * At once: its connection is cut, too.
     *
     * @param string $id The terminal's id.
     * @param string|null $merchantId The merchant to act for. Vendors only: a merchant's token names the
     * merchant, whatever the body says.
     * @return Result<null>
     * @throws GallaError
     */
    public function terminalsDelete(string $id, string|null $merchantId = null): Result
    {
        return $this->invoke('terminalsDelete', ['id' => $id, 'merchantId' => $merchantId]);
    }

    /**
     * Enrol a terminal.
     *
     * POST /terminals/enrol; for everybody.
     *
     * Binds the terminal's key to the merchant of the code. The code is the credential; there is no token. Of
     * one network ten wrong codes a minute are judged; then 429 says when to come back.
     *
     * @param string $code The one-time enrolment code; it is the credential.
     * @param string $publicKey The terminal's own public key. An Ed25519 public key, 32 bytes in base64.
     * @param string $name The terminal's name.
     * @return Result<Data\EnrolledTerminal|null>
     * @throws GallaError
     */
    public function terminalsEnrol(#[\SensitiveParameter] string $code, string $publicKey, string $name): Result
    {
        return $this->invoke('terminalsEnrol', ['code' => $code, 'publicKey' => $publicKey, 'name' => $name]);
    }

    /**
     * The state of an operation.
     *
     * GET /operations/{id}; for merchant, vendor.
     *
     * One of the caller's own, by its id or by the identity that the caller chose.
     *
     * @param string $id The operation's id, or its Idempotency-Key or X-Request-Id.
     * @return Result<Data\Operation|null>
     * @throws GallaError
     */
    public function operationsGet(string $id): Result
    {
        return $this->invoke('operationsGet', ['id' => $id]);
    }
}
