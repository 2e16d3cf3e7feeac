<?php

// What a shop has and a program does not: a finger on the reader, and a telephone that gets
// one-time passwords. Here both are the sandbox's.

declare(strict_types=1);

/** Sends a request to a part of the sandbox. */
function sandbox_text(string $method, string $url, string $body = ''): string
{
    $context = stream_context_create(['http' => ['method' => $method, 'content' => $body, 'header' => ['Accept: application/json', 'Content-Type: application/json'], 'timeout' => 30]]);
    $text = @file_get_contents($url, false, $context);
    return $text === false ? throw new RuntimeException("the sandbox does not answer at $url: does make run run?") : $text;
}

/** Lays the finger of one of the sandbox's people on the reader. */
function place_finger(string $aadhaar): void
{
    sandbox_text('POST', (getenv('GALLA_READER') ?: 'http://127.0.0.1:11100') . '/sim/finger', (string) json_encode(['aadhaar' => $aadhaar, 'finger' => 'RIGHT_INDEX', 'quality' => 80]));
}

/** One capture, as a registered device's service gives it. It serves one transaction. An e-KYC step needs UIDAI's wadh of it besides. */
function capture(bool $ekyc = false): string
{
    $wadh = $ekyc ? ' wadh="' . base64_encode(hash('sha256', '2.5FYNNN', true)) . '"' : '';
    return sandbox_text('CAPTURE', (getenv('GALLA_READER') ?: 'http://127.0.0.1:11100') . '/rd/capture',
        "<PidOptions ver=\"1.0\"><Opts fCount=\"1\" fType=\"2\" iCount=\"0\" pCount=\"0\" format=\"0\" pidVer=\"2.0\" timeout=\"10000\"$wadh posh=\"UNKNOWN\" env=\"P\"/></PidOptions>");
}

/** The newest one-time password of a mobile number. */
function otp(string $mobile): string
{
    foreach (json_decode(sandbox_text('GET', (getenv('GALLA_BANK') ?: 'http://127.0.0.1:7300') . "/inbox/$mobile"), true) as $text) {
        if (($text['otp'] ?? '') !== '') {
            return $text['otp'];
        }
    }
    throw new RuntimeException('no one-time password has arrived');
}
