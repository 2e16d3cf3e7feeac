package example.galla;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** Settings of a client. A client reads them once, when it is made. */
public final class Options {
    String merchantId;
    Duration timeout = Duration.ofSeconds(45);
    int attempts = 4;
    Duration maxRetryAfter = Duration.ofSeconds(30);
    boolean insecure;
    Transport transport;
    Clock clock = Clock.systemUTC();
    Sleeper sleeper = Thread::sleep;
    DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

    /** Waits. */
    interface Sleeper {
        void sleep(long millis) throws InterruptedException;
    }

    /** For vendors: goes into every request that takes a merchant and has none. */
    public Options merchantId(String id) {
        this.merchantId = id;
        return this;
    }

    /** Of one attempt; by default 45 seconds. The central answers pending after 35. */
    public Options timeout(Duration limit) {
        this.timeout = limit;
        return this;
    }

    /** How often a call is sent at most, by default 4; 1 never repeats. */
    public Options attempts(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("attempts must be 1 or more; 1 never repeats a call");
        }
        this.attempts = count;
        return this;
    }

    /** The longest pause that a reply can ask for; by default 30 seconds. */
    public Options maxRetryAfter(Duration pause) {
        this.maxRetryAfter = pause;
        return this;
    }

    /** Allows http to other machines, in a network that you trust. */
    public Options insecure() {
        this.insecure = true;
        return this;
    }
}
