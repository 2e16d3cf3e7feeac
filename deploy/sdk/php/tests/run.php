<?php

// Runs all tests: php tests/run.php. Exit status 1 if one failed.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';
require __DIR__ . '/Fake.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

final class Failed extends Exception
{
}

/** Fails unless both are the same. */
function same(mixed $want, mixed $got, string $what = ''): void
{
    if ($want !== $got) {
        throw new Failed(trim("$what: want " . json_encode($want) . ', got ' . json_encode($got), ': '));
    }
}

/** Fails unless the function throws such an error with these words, and gives it. */
function throws(string $class, callable $does, string $words = ''): Throwable
{
    try {
        $does();
    } catch (Throwable $e) {
        if (!$e instanceof $class || !str_contains($e->getMessage(), $words)) {
            throw new Failed("want $class with '$words', got " . $e::class . ": {$e->getMessage()}");
        }
        return $e;
    }
    throw new Failed("nothing was thrown; want $class");
}

$tests = [];
foreach (glob(__DIR__ . '/*Test.php') ?: [] as $file) {
    $tests += require $file;
}
[$failed, $skipped] = [0, 0];
foreach ($tests as $name => $test) {
    try {
        $left = $test();
        if (is_string($left)) {
            $skipped++;
            echo "SKIP $name: $left\n";
        }
    } catch (Throwable $e) {
        $failed++;
        echo "FAIL $name: " . $e::class . ": {$e->getMessage()}\n{$e->getTraceAsString()}\n";
    }
}
echo count($tests), " tests, $failed failed, $skipped skipped\n";
exit($failed > 0 || $tests === [] ? 1 : 0);
