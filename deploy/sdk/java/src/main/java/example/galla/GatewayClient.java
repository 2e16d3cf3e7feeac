package example.galla;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Calls routes through the gateway, in sealed messages: for vendors. */
public final class GatewayClient extends GatewayRoutes {
    private static final long MAX_AGE_MILLIS = 300_000;
    private static final String NOT_AUTHENTICATED = "not authenticated: look at the client id, the key, the clock, and what the checksum covers";

    private final byte[] secret;

    /**
     * Makes a client. It sends nothing.
     *
     * @param baseUrl the gateway's address without a path
     * @param clientId the API key
     * @param key its encryption key: 64 hex or 44 base64 characters
     */
    public GatewayClient(String baseUrl, String clientId, String key) {
        this(baseUrl, clientId, key, new Options());
    }

    /** Makes a client with other settings. */
    public GatewayClient(String baseUrl, String clientId, String key, Options options) {
        super(baseUrl, clientId, options);
        if (!clientId.matches("[!-~]{1,128}")) {
            throw new IllegalArgumentException("clientId must be the API key: 1 to 128 visible ASCII characters");
        }
        this.secret = Envelope.parseKey(key);
    }

    @Override
    void checkKey(String key) {
        if (!key.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) {
            throw new IllegalArgumentException("idempotencyKey must be a UUID in lower case: the gateway takes no other");
        }
    }

    @Override
    String key(Route route, String given) {
        String key = super.key(route, given);
        return key.isEmpty() ? newKey() : key; // every message has one
    }

    @Override
    boolean needsBody(Route route) {
        return true;
    }

    @Override
    Prepared prepare(Route route, Map<String, Object> fields, String key) {
        Map<String, Object> body = new LinkedHashMap<>(fields);
        body.keySet().removeAll(route.inPath());
        return new Prepared(route, route.fill(fields), key, fields, Json.write(body));
    }

    @Override
    Answer attempt(Prepared call) throws IOException, Transport.NotSent, InterruptedException {
        Answer answer = sendOnce(call);
        // java.net.http repeats a GET by itself where a kept connection has died, and the gateway refuses that
        // repeat as a replay. A GET changes nothing, so it is sealed anew.
        return answer.status() == 401 && call.route().method().equals("GET") ? sendOnce(call) : answer;
    }

    private Answer sendOnce(Prepared call) throws IOException, Transport.NotSent, InterruptedException {
        String path = "/process" + call.target();
        try {
            Envelope.Message m = Envelope.sealRequest(secret, call.route().method(), path, clientId, call.key(), call.text(), clock.millis());
            return open(call, transport.send(call.route().method(), baseUrl + path, Map.of(
                "Content-Type", "application/json", "User-Agent", USER_AGENT,
                "X-Client-Id", m.clientId(), "X-Timestamp", m.timestamp(), "X-Request-Id", m.requestId(),
                "X-IV", m.iv(), "X-Tag", m.tag(), "X-Checksum", m.checksum()), Json.write(Map.of("payload", m.payload()))));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no AES-GCM or no HMAC-SHA-256", e);
        }
    }

    private Answer open(Prepared call, HttpReply reply) throws GeneralSecurityException {
        Answer plain = Answer.read(reply);
        if (plain.header("x-checksum").isEmpty()) {
            return Answer.refused(reply, reply.status() == 401 ? NOT_AUTHENTICATED : "HTTP " + reply.status() + " without the gateway's headers: something else answered");
        }
        String payload = plain.member("payload");
        if (payload.isEmpty()) {
            return Answer.refused(reply, "the reply has no payload");
        }
        Envelope.Message m = new Envelope.Message("", plain.header("x-timestamp"), plain.header("x-request-id"),
            plain.header("x-iv"), plain.header("x-tag"), plain.header("x-checksum"), payload);
        String opened;
        try {
            opened = Envelope.openReply(secret, reply.status(), m);
        } catch (EnvelopeException e) {
            return Answer.refused(reply, e.getMessage());
        }
        if (!m.requestId().equals(call.key())) {
            return Answer.refused(reply, "the reply belongs to another call");
        }
        if (!m.timestamp().matches("[0-9]{1,15}") || Math.abs(clock.millis() - Long.parseLong(m.timestamp())) > MAX_AGE_MILLIS) {
            return Answer.refused(reply, "the reply's time is not now: look at this machine's clock");
        }
        return Answer.read(new HttpReply(reply.status(), reply.headers(), opened.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }
}
