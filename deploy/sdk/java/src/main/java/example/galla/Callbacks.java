package example.galla;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verification of callbacks (Standard Webhooks). It is safe for use by several threads. */
public final class Callbacks {
    private static final String PREFIX = "whsec_";

    private final List<byte[]> keys = new ArrayList<>();
    private final Duration tolerance;
    private final Clock clock;

    /**
     * Verifies with the secret of an endpoint, or with both while it is being changed. A callback's time may be five
     * minutes off.
     */
    public Callbacks(String... secrets) {
        this(Duration.ofMinutes(5), Clock.systemUTC(), secrets);
    }

    /** Verifies with another tolerance and clock. */
    public Callbacks(Duration tolerance, Clock clock, String... secrets) {
        if (secrets.length == 0) {
            throw new IllegalArgumentException("secrets: at least one is needed");
        }
        for (String secret : secrets) {
            keys.add(parseSecret(secret));
        }
        this.tolerance = tolerance;
        this.clock = clock;
    }

    /**
     * Checks a callback and reads it.
     *
     * @param body what came, byte for byte: not JSON that was read and written again
     * @param headers by their names in any case, such as HttpExchange.getRequestHeaders() gives
     * @throws CallbackException where it is not genuine
     */
    public CallbackEvent verify(byte[] body, Map<String, List<String>> headers) {
        String id = header(headers, "webhook-id");
        String timestamp = header(headers, "webhook-timestamp");
        String signatures = header(headers, "webhook-signature");
        if (!timestamp.matches("[0-9]{1,12}")) {
            throw new CallbackException("bad-timestamp", "webhook-timestamp is not a number of seconds");
        }
        boolean good = false;
        for (byte[] key : keys) {
            byte[] wanted = signature(key, id, timestamp, body).getBytes(StandardCharsets.UTF_8);
            for (String given : signatures.split(" ")) {
                good |= MessageDigest.isEqual(wanted, given.getBytes(StandardCharsets.UTF_8)); // constant time
            }
        }
        if (!good) {
            throw new CallbackException("bad-signature", "no signature was made with a secret of this endpoint");
        }
        if (Math.abs(Math.floorDiv(clock.millis(), 1000) - Long.parseLong(timestamp)) > tolerance.toSeconds()) {
            throw new CallbackException("too-old", "webhook-timestamp is more than " + tolerance.toSeconds() + " seconds off: look at this machine's clock, or somebody plays an old callback again");
        }
        return read(id, body);
    }

    private static CallbackEvent read(String id, byte[] body) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            if (Json.parse(text) instanceof Map<?, ?> event && event.get("type") instanceof String type
                && event.get("timestamp") instanceof String at && event.get("data") instanceof Map<?, ?> data) {
                return new CallbackEvent(id, type, at, Data.FinishedOperation.from(data));
            }
        } catch (CharacterCodingException | Json.Malformed e) {
            // reported below
        }
        throw new CallbackException("bad-body", "the body is no event: one JSON object with type, timestamp and data");
    }

    private static String header(Map<String, List<String>> headers, String name) {
        List<String> found = new ArrayList<>();
        headers.forEach((key, values) -> {
            if (key != null && key.equalsIgnoreCase(name)) {
                found.addAll(values);
            }
        });
        if (found.size() != 1 || found.get(0).isEmpty()) {
            throw new CallbackException("missing-header", name + " is missing, or stands there twice");
        }
        return found.get(0);
    }

    private static String signature(byte[] key, String id, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return "v1," + Envelope.toBase64(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HMAC-SHA-256", e);
        }
    }

    private static byte[] parseSecret(String text) {
        if (text.startsWith(PREFIX)) {
            try {
                byte[] key = Envelope.fromBase64(text.substring(PREFIX.length()), "the secret");
                if (key.length >= 24 && key.length <= 64) {
                    return key;
                }
            } catch (EnvelopeException e) {
                // reported below
            }
        }
        throw new IllegalArgumentException("a callback's secret is whsec_ and the base64 of 24 to 64 bytes"); // never print the secret itself
    }
}
