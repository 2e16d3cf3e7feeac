package example.galla;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A fake central: it answers with what a test has queued, and remembers what came. Its time is virtual. */
final class Fake implements Transport {
    static final String KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    /** The connection breaks after the request. */
    static final Reply DROP = new Reply(0, "", Map.of());
    /** There is no connection. */
    static final Reply CLOSED = new Reply(-1, "", Map.of());

    record Reply(int status, String text, Map<String, String> headers) {}

    record Request(String method, String path, Map<String, String> headers, String body) {
        String key() {
            return headers.getOrDefault("idempotency-key", headers.get("x-request-id"));
        }
    }

    final Deque<Reply> replies = new ArrayDeque<>();
    final Deque<Reply> tokenReplies = new ArrayDeque<>();
    final List<Request> requests = new ArrayList<>();
    final List<Request> tokens = new ArrayList<>();
    final List<Long> sleeps = new ArrayList<>();
    UnaryOperator<Envelope.Message> spoil = m -> m;
    long now = 1_795_253_400_000L;
    private final boolean gateway;

    Fake(boolean gateway, Reply... replies) {
        this.gateway = gateway;
        this.replies.addAll(Arrays.asList(replies));
    }

    Options options() {
        Options options = new Options();
        options.transport = this;
        options.random = () -> 1.0;
        options.sleeper = millis -> {
            sleeps.add(millis);
            now += millis;
        };
        options.clock = clock();
        return options;
    }

    Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(now);
            }
        };
    }

    @Override
    public synchronized HttpReply send(String method, String url, Map<String, String> headers, String body) throws IOException, NotSent {
        Map<String, String> lower = new HashMap<>();
        headers.forEach((name, value) -> lower.put(name.toLowerCase(Locale.ROOT), value));
        Request request = new Request(method, url.replaceFirst("https?://[^/]+", ""), lower, body);
        if (request.path().equals("/oauth/token")) {
            tokens.add(request);
            Reply reply = tokenReplies.isEmpty() ? new Reply(200, "{\"access_token\":\"token-" + tokens.size() + "\",\"token_type\":\"Bearer\",\"expires_in\":900}", Map.of()) : tokenReplies.pop();
            return plain(reply);
        }
        Reply reply = replies.isEmpty() ? new Reply(500, "{\"statusCode\":\"500\",\"message\":\"nothing is queued\"}", Map.of()) : replies.pop();
        if (reply == CLOSED) {
            throw new NotSent("no connection (ConnectException)");
        }
        requests.add(request);
        if (reply == DROP) {
            throw new IOException("no reply (EOFException)");
        }
        return gateway && !reply.headers().containsKey("plain") ? seal(request, reply) : plain(reply);
    }

    private static HttpReply plain(Reply reply) {
        Map<String, String> headers = new HashMap<>(Map.of("x-request-id", "request-1"));
        headers.putAll(reply.headers());
        return new HttpReply(reply.status(), headers, reply.text().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private HttpReply seal(Request request, Reply reply) {
        try {
            byte[] key = Envelope.parseKey(KEY);
            Envelope.Message m = spoil.apply(Envelope.encrypt(key, new byte[12], "", Long.toString(now), request.headers().get("x-request-id"), reply.text()));
            String checksum = m.checksum().isEmpty() ? Envelope.replyChecksum(key, reply.status(), m) : m.checksum();
            Map<String, String> headers = new HashMap<>(reply.headers());
            headers.putAll(Map.of("x-request-id", m.requestId(), "x-timestamp", m.timestamp(), "x-iv", m.iv(), "x-tag", m.tag(), "x-checksum", checksum));
            return plain(new Reply(reply.status(), "{\"payload\":\"" + m.payload() + "\"}", headers));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The opened JSON of a sealed request; its checksum must be right. */
    String open(int n) throws Exception {
        Request r = requests.get(n);
        Map<String, String> h = r.headers();
        String payload = (String) ((Map<?, ?>) Json.parse(r.body())).get("payload");
        Envelope.Message m = new Envelope.Message(h.get("x-client-id"), h.get("x-timestamp"), h.get("x-request-id"), h.get("x-iv"), h.get("x-tag"), h.get("x-checksum"), payload);
        byte[] key = Envelope.parseKey(KEY);
        if (!Envelope.requestChecksum(key, r.method(), r.path(), m).equals(m.checksum())) {
            throw new AssertionError("the checksum of the request is wrong");
        }
        return Envelope.decrypt(key, m);
    }

    List<String> keys() {
        return requests.stream().map(Request::key).toList();
    }

    List<String> bodies() {
        return requests.stream().map(Request::body).toList();
    }
}
