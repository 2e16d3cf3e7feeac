<?php

use Galla\DirectClient;

require __DIR__ . '/../autoload.php'; // or vendor/autoload.php
require __DIR__ . '/sandbox.php'; // of a shop: the reader's RD service

$galla = new DirectClient(
    'http://127.0.0.1:7100', // the sandbox of `make run`, whose parties are public
    'merchant-lakshmi',
    'sandbox-merchant-1',
);

place_finger('999941057058');
$key = DirectClient::newKey(); // store it before the call
$result = $galla->aepsWithdrawal(
    AadharNo: '999941057058', TxnAmount: '500.00', Latitude: '18.5204', Longitude: '73.8567',
    CustomerName: 'Shivshankar Choudhury', PidData: capture(), idempotencyKey: $key,
);
if ($result->isPending()) {
    $result = $galla->wait($result); // no cash yet
}
echo $result->state->value, "\n"; // success, declined, reversed, or pending after two minutes
if ($result->ok()) {
    echo "give 500.00; {$result->data->RetailerReferenceNumber}\n";
}
