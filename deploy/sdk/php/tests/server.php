<?php

// A server for the test of HTTP: prints its address, and answers by the path.

declare(strict_types=1);

$listener = stream_socket_server('tcp://127.0.0.1:0');
echo 'http://', stream_socket_get_name($listener, false), "\n";
$kept = [];
while ($peer = stream_socket_accept($listener, 60)) {
    $text = '';
    while (!str_contains($text, "\r\n\r\n") && ($line = fgets($peer)) !== false) {
        $text .= $line;
    }
    if (preg_match('/^Content-Length: (\d+)/mi', $text, $found) && $found[1] > 0) {
        $text .= fread($peer, (int) $found[1]);
    }
    $answer = static fn (string $head, string $body): string => "HTTP/1.1 $head\r\nConnection: close\r\nContent-Length: " . strlen($body) . "\r\n\r\n$body";
    $path = explode(' ', $text)[1] ?? '';
    match ($path) {
        '/drop' => null,
        '/cut' => fwrite($peer, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
        '/long' => @fwrite($peer, $answer('200 OK', str_repeat(' ', (4 << 20) + 1))),
        '/redirect' => fwrite($peer, $answer("302 Found\r\nLocation: /drop", '')),
        '/hang' => $kept[] = $peer,
        default => fwrite($peer, $answer("200 OK\r\nX-There:  yes ", $text)),
    };
    if ($path !== '/hang') {
        fclose($peer);
    }
}
