<?php

// A partner's day against the sandbox: withdraw, transfer and refund, directly and through
// the gateway, and a callback for each operation that was pending.
//
//   make run                                  in another terminal
//   galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla
//   GALLA_CALLBACK_SECRET=whsec_… php examples/story.php

declare(strict_types=1);

use Galla\CallbackError;
use Galla\Callbacks;
use Galla\DirectClient;
use Galla\GatewayClient;
use Galla\State;
use Galla\ValidationError;

require is_file(__DIR__ . '/../vendor/autoload.php') ? __DIR__ . '/../vendor/autoload.php' : __DIR__ . '/../autoload.php';
require __DIR__ . '/sandbox.php';

const CUSTOMER = ['aadhaar' => '999971658847', 'name' => 'Kumar Agarwal', 'bank' => '607094'];
const SENDER = ['aadhaar' => '999990501894', 'name' => 'Anisha Jay Kapoor'];

function check(bool $ok, mixed $what): void
{
    if (!$ok) {
        throw new RuntimeException('not as expected: ' . print_r($what, true));
    }
}

function digits(int $n): string
{
    return sprintf("%0{$n}d", random_int(0, 10 ** $n - 1));
}

/** The fields of a withdrawal, with a new capture. */
function withdrawal(string $rupees): array
{
    return ['AadharNo' => CUSTOMER['aadhaar'], 'TxnAmount' => $rupees, 'Latitude' => '18.5204', 'Longitude' => '73.8567',
        'CustomerName' => CUSTOMER['name'], 'BankName' => CUSTOMER['bank'], 'PidData' => capture()];
}

/** Withdrawals; gives the reference of the one that was pending at first. */
function withdraw(string $door, DirectClient|GatewayClient $client): string
{
    place_finger(CUSTOMER['aadhaar']);
    $paid = $client->aepsWithdrawal(...withdrawal('100.00'));
    check($paid->ok(), $paid);
    echo "$door: withdraw 100.00: {$paid->state->value}\n";

    $declined = $client->aepsWithdrawal(...withdrawal('100.51'));
    check($declined->state === State::Declined && $declined->responseCode === '51', $declined);
    echo "$door: withdraw 100.51: {$declined->state->value}, {$declined->responseCode}\n";

    $key = $client::newKey(); // stored by a real program, before it calls
    $result = $client->aepsWithdrawal(...withdrawal('100.94'), idempotencyKey: $key);
    check($result->isPending(), $result);
    echo "$door: withdraw 100.94: {$result->state->value}\n";
    $result = $client->wait($result, 60);
    check($result->ok(), $result);
    echo "$door: withdraw 100.94: {$result->state->value}\n";

    try {
        $client->aepsWithdrawal(...withdrawal('1.005'));
        check(false, 'three decimals were taken');
    } catch (ValidationError $e) {
        check(in_array('TxnAmount', array_column($e->fields, 'field'), true), $e->getMessage());
        echo "$door: withdraw 1.005: ValidationError of TxnAmount\n";
    }
    return (string) $result->data?->RetailerReferenceNumber;
}

/** Onboards a customer, once for each: then she is a remitter. Gives her id. */
function onboard(DirectClient $client, string $mobile): string
{
    $id = $client->dmtCustomerOnboarding(name: SENDER['name'], mobile_no: $mobile, city: 'Pune', state: 'Maharashtra')->orThrow()->data->referenceid;
    $otpreqid = $client->dmtCustomerRequestOtp(referenceid: $id)->orThrow()->data->otpreqid;
    $client->dmtCustomerValidateOtp(referenceid: $id, otpreqid: $otpreqid, otp: otp($mobile))->orThrow();
    $client->dmtCustomerVerifyUid(referenceid: $id, aadhaarno: SENDER['aadhaar'])->orThrow();
    place_finger(SENDER['aadhaar']);
    $client->dmtCustomerUpdatebiodetail(referenceid: $id, aadhaarno: SENDER['aadhaar'], PidData: capture(true))->orThrow();
    $client->dmtCustomerSubmit(referenceid: $id)->orThrow();
    $remitter = $client->dmtRemitterRegister(sender_mobilenumber: $mobile)->orThrow();
    echo "direct: a new remitter\n";
    return $remitter->data->senderid;
}

function transfer(string $door, DirectClient|GatewayClient $client, string $senderId, string $mobile): void
{
    $receiver = ['receiver_account_no' => '0012345' . digits(4) . '1', 'receiverIfscCode' => 'HDFC0000123'];
    $client->dmtBeneficiaryAccountVerification(...$receiver, senderId: $senderId)->orThrow();
    $beneficiary = $client->dmtBeneficiaryAdd(...$receiver, senderId: $senderId, receivername: 'Sunita Choudhury')->orThrow()->data;
    $client->dmtTransactionOtp(...$receiver, senderId: $senderId, amount: '25.00')->orThrow();
    $refId = $client::newKey(); // the transfer's identity, stored before it is sent
    $sent = $client->dmtTransactionInstant(...$receiver, senderId: $senderId, BeneficiaryId: $beneficiary->beneficiaryid, amount: '25.00', refId: $refId,
        otp: otp($mobile), account_holder_name: 'Sunita Choudhury')->orThrow();
    echo "$door: transfer 25.00: {$sent->state->value}\n";

    $transactionId = $sent->data->transactionId;
    $client->dmtTransactionRefundOtp(refereanceId: $transactionId)->orThrow();
    $back = $client->dmtRefund(transactionId: $transactionId, refId: $refId, otp: otp($mobile))->orThrow();
    check($back->data->amount === '25.00', $back);
    echo "$door: refund 25.00: {$back->state->value}\n";
}

/** Reads one callback, answers it, and gives its verified reference and outcome. A web server does this in production. */
function receive($listener, string $secret): array
{
    $peer = stream_socket_accept($listener, 60) ?: throw new RuntimeException('no callback has arrived');
    $head = '';
    while (($line = fgets($peer)) !== false && trim($line) !== '') {
        $head .= $line;
    }
    preg_match_all('/^([^:\r\n]+): *([^\r\n]*)/m', $head, $found);
    $headers = array_combine($found[1], $found[2]);
    $body = (string) stream_get_contents($peer, (int) (array_change_key_case($headers)['content-length'] ?? 0));
    try {
        $event = Callbacks::verify($body, $headers, $secret);
        try {
            Callbacks::verify(str_replace('SUCCESS', 'FAILED', $body), $headers, $secret);
            check(false, 'a changed callback was taken');
        } catch (CallbackError) {
            // as it should be
        }
        @fwrite($peer, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        return [$event->data->reference, $event->data->txnStatus];
    } finally {
        fclose($peer);
    }
}

$baseUrl = getenv('GALLA_CENTRAL') ?: 'http://127.0.0.1:7100';
$listener = stream_socket_server('tcp://127.0.0.1:' . (getenv('GALLA_CALLBACK_PORT') ?: '7400'));
// The sandbox's parties are public, and work nowhere else.
$direct = new DirectClient($baseUrl, 'merchant-lakshmi', 'sandbox-merchant-1');
$gateway = new GatewayClient($baseUrl, 'vk_sandbox_sahyadri', '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', merchantId: 'c0000000-0000-4000-8000-000000000001');
$mobile = '98' . digits(8);
$senderId = onboard($direct, $mobile);
$waiting = [];
foreach (['direct' => $direct, 'gateway' => $gateway] as $door => $client) {
    $waiting[$door] = withdraw($door, $client);
    transfer($door, $client, $senderId, $mobile);
}
$events = [];
foreach ($waiting as $door => $reference) {
    while (!isset($events[$reference])) {
        [$of, $status] = receive($listener, (string) getenv('GALLA_CALLBACK_SECRET'));
        $events[$of] = $status;
    }
    echo "$door: callback: {$events[$reference]}\n";
}
echo "story: all right\n";
