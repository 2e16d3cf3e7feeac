package example.galla;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.galla.Attempt.Happened;
import example.galla.Retry.Decision;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Envelope, retry rule, callbacks, JSON, and HTTP by themselves. */
class PartsTest {
    private static final long NOW = 1_795_253_400;
    private static final String BODY = "{\"type\":\"operation.finished\",\"timestamp\":\"2026-11-21T10:30:00.123Z\",\"data\":{\"amount\":\"500.00\",\"txnStatus\":\"SUCCESS\"}}";
    private static final String SECRET = "whsec_" + Envelope.toBase64("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    private static final String OTHER = "whsec_" + Envelope.toBase64(new byte[32]);

    private static Envelope.Message message(Map<?, ?> v) {
        String[] parts = {"client_id", "timestamp", "request_id", "iv", "tag", "checksum", "payload"};
        String[] m = Arrays.stream(parts).map(part -> v.get(part) instanceof String text ? text : "").toArray(String[]::new);
        return new Envelope.Message(m[0], m[1], m[2], m[3], m[4], m[5], m[6]);
    }

    @Test
    void vectors() throws Exception {
        String named = System.getenv("GALLA_VECTORS");
        Path file = named != null ? Path.of(named) : Path.of("../../../../shared/vectors/gateway.json");
        Assumptions.assumeTrue(Files.exists(file), "the gateway's vectors are not beside the repository (../shared/vectors/gateway.json); GALLA_VECTORS names them");
        List<?> vectors = (List<?>) ((Map<?, ?>) Json.parse(Files.readString(file))).get("vectors");
        assertFalse(vectors.isEmpty());
        for (Object one : vectors) {
            Map<?, ?> v = (Map<?, ?>) one;
            byte[] key = Envelope.parseKey((String) v.get("key_hex"));
            assertTrue(Arrays.equals(key, Envelope.parseKey((String) v.get("key_base64"))));
            Envelope.Message m = message(v);
            Envelope.Message sealed = Envelope.encrypt(key, Envelope.fromBase64(m.iv(), "iv"), m.clientId(), m.timestamp(), m.requestId(), (String) v.get("plaintext"));
            if (v.get("direction").equals("request")) {
                assertEquals(m, sealed.signed(Envelope.requestChecksum(key, (String) v.get("method"), (String) v.get("path"), sealed)));
                continue;
            }
            int status = ((BigDecimal) v.get("http_status")).intValueExact();
            assertEquals(m, sealed.signed(Envelope.replyChecksum(key, status, sealed)));
            assertEquals(v.get("plaintext"), Envelope.openReply(key, status, m));
            assertThrows(EnvelopeException.class, () -> Envelope.openReply(key, status + 1, m));
        }
    }

    @Test
    void documentedMessage() throws Exception {
        // deploy/docs/design/gateway.md, section 3.1.
        byte[] key = Envelope.parseKey("04a25cf951ba7137808a3feb103c0de6b12d409d54bbb804e966069d226a33d4");
        Envelope.Message m = Envelope.encrypt(key, Envelope.fromBase64("cKZpGGI4TL7rMcBs", "iv"), "vk_test_alpha", "1767225600001", "46e28008-211a-4e34-b072-b586da5032fd", "{}");
        assertEquals("Lb4= QmsuZhjFtBpEOacw5nHKCQ==", m.payload() + " " + m.tag());
        assertEquals("7562cf4d458c09293e93a72cbd75724b92a887c37dacd2d7e326331d3d7b66f0", Envelope.requestChecksum(key, "GET", "/process/aeps/banks", m));
        for (String text : List.of("AAA", "AB==", "AA==\n", "-_8=", "A A=")) {
            assertThrows(EnvelopeException.class, () -> Envelope.fromBase64(text, "x"));
        }
    }

    private static Attempt reply(int status, String code, String reference, long after, boolean own) {
        return new Attempt(Happened.REPLY, status, code, reference, after, own);
    }

    private static Decision decide(Attempt attempt, boolean identity, boolean repeatable, boolean last) {
        return Retry.decide(attempt, identity, repeatable, last, 30);
    }

    @Test
    void retryRule() {
        Attempt closed = Attempt.without(Happened.NOT_SENT);
        Attempt lost = Attempt.without(Happened.NO_REPLY);
        assertEquals(Decision.REPEAT, decide(closed, false, false, false));
        assertEquals(Decision.NOT_SENT, decide(closed, true, true, true));
        assertEquals(Decision.REPEAT, decide(lost, true, true, false));
        assertEquals(Decision.UNKNOWN, decide(lost, true, true, true));
        assertEquals(Decision.UNKNOWN, decide(lost, false, false, false));
        assertEquals(Decision.UNKNOWN, decide(new Attempt(Happened.NOT_GENUINE, 200, "", "", -1, false), true, true, false));
        assertEquals(Decision.REPEAT, decide(reply(429, "07", "", -1, true), false, false, false));
        assertEquals(Decision.RATE_LIMITED, decide(reply(429, "07", "", 31, true), true, true, false));
        assertEquals(Decision.RATE_LIMITED, decide(reply(429, "07", "", -1, true), true, true, true));
        assertEquals(Decision.UNKNOWN, decide(reply(429, "", "", -1, false), true, true, true));
        assertEquals(Decision.NOT_SENT, decide(reply(502, "10", "", -1, true), true, true, false));
        assertEquals(Decision.REPEAT, decide(reply(502, "10", "AEPS-NR-1", -1, true), true, true, false));
        assertEquals(Decision.PENDING, decide(reply(502, "10", "AEPS-NR-1", -1, true), true, true, true));
        assertEquals(Decision.REPEAT, decide(reply(502, "10", "", -1, true), false, true, false));
        assertEquals(Decision.NOT_SENT, decide(reply(502, "10", "", -1, true), false, true, true));
        assertEquals(Decision.NOT_SENT, decide(reply(502, "10", "", -1, true), false, false, false));
        assertEquals(Decision.REPEAT, decide(reply(502, "", "", -1, false), true, true, false));
        assertEquals(Decision.UNKNOWN, decide(reply(500, "500", "", -1, true), false, false, false));
        assertEquals(Decision.REPEAT, decide(reply(503, "07", "", -1, true), false, false, false));
        assertEquals(Decision.UNKNOWN, decide(reply(504, "", "", -1, false), true, true, true));
        for (int status : new int[] {400, 401, 403, 404, 409, 413, 422}) {
            assertEquals(Decision.REFUSED, decide(reply(status, "02", "", -1, true), true, true, false));
        }
        assertEquals(Decision.RESULT, decide(reply(200, "51", "", -1, true), true, true, false));
        assertEquals(Decision.UNKNOWN, decide(reply(302, "", "", -1, true), true, true, false));
        assertEquals(List.of(0.25, 0.5, 4.0, 0.125), List.of(Retry.backoff(0, 1), Retry.backoff(1, 1), Retry.backoff(9, 1), Retry.backoff(0, 0)));
    }

    private static Map<String, List<String>> headers(String secret, String body, long at) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Envelope.fromBase64(secret.substring(6), "secret"), "HmacSHA256"));
        String signature = "v1," + Envelope.toBase64(mac.doFinal(("evt_1." + at + "." + body).getBytes(StandardCharsets.UTF_8)));
        return new HashMap<>(Map.of("Webhook-id", List.of("evt_1"), "Webhook-timestamp", List.of(Long.toString(at)), "webhook-signature", List.of(signature)));
    }

    private static Callbacks callbacks(String... secrets) {
        return new Callbacks(Duration.ofMinutes(5), Clock.fixed(Instant.ofEpochSecond(NOW), ZoneOffset.UTC), secrets);
    }

    private static void refused(String reason, Map<String, List<String>> headers, String body) {
        CallbackException error = assertThrows(CallbackException.class, () -> callbacks(SECRET).verify(body.getBytes(StandardCharsets.UTF_8), headers));
        assertEquals(reason, error.reason());
        assertFalse(error.getMessage().contains(SECRET.substring(6)));
    }

    @Test
    void callbacksAreVerified() throws Exception {
        CallbackEvent event = callbacks(OTHER, SECRET).verify(BODY.getBytes(StandardCharsets.UTF_8), headers(SECRET, BODY, NOW - 300));
        assertEquals("evt_1 operation.finished SUCCESS null", event.webhookId() + " " + event.type() + " " + event.data().txnStatus() + " " + event.data().rrn());
        Map<String, List<String>> two = headers(SECRET, BODY, NOW);
        two.put("webhook-signature", List.of("v1,AAAA " + two.get("webhook-signature").get(0)));
        callbacks(SECRET).verify(BODY.getBytes(StandardCharsets.UTF_8), two);

        Map<String, List<String>> good = headers(SECRET, BODY, NOW);
        refused("bad-signature", good, BODY.replace("500", "900"));
        refused("bad-signature", headers(OTHER, BODY, NOW), BODY);
        refused("too-old", headers(SECRET, BODY, NOW - 301), BODY);
        refused("too-old", headers(SECRET, BODY, NOW + 301), BODY);
        for (Map.Entry<String, String> change : Map.of("Webhook-id", "evt_2", "Webhook-timestamp", Long.toString(NOW + 1)).entrySet()) {
            Map<String, List<String>> changed = new HashMap<>(good);
            changed.put(change.getKey(), List.of(change.getValue()));
            refused("bad-signature", changed, BODY);
            changed.remove(change.getKey());
            refused("missing-header", changed, BODY);
            changed.put(change.getKey(), List.of(change.getValue(), change.getValue()));
            refused("missing-header", changed, BODY);
        }
        Map<String, List<String>> wordy = new HashMap<>(good);
        wordy.put("Webhook-timestamp", List.of("now"));
        refused("bad-timestamp", wordy, BODY);
        for (String body : List.of("[]", "{}", "{\"type\":1,\"timestamp\":\"\",\"data\":{}}", "[".repeat(5000))) {
            refused("bad-body", headers(SECRET, body, NOW), body);
        }
        for (String secret : List.of("", "whsec_", "whsec_AAAA", SECRET.substring(6), SECRET.substring(0, SECRET.length() - 1))) {
            assertTrue(assertThrows(IllegalArgumentException.class, () -> new Callbacks(secret)).getMessage().contains("24 to 64 bytes"));
        }
        assertThrows(IllegalArgumentException.class, Callbacks::new);
    }

    @Test
    void json() throws Exception {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("a", new BigDecimal("1E+2"));
        members.put("b", null);
        members.put("c", List.of(true, 1L, "x\"\n\u0001é", Map.of()));
        String text = "{\"a\":100,\"c\":[true,1,\"x\\\"\\n\\u0001é\",{}]}";
        assertEquals(text, Json.write(members));
        assertEquals(text, Json.write(Json.parse(text)));
        assertThrows(IllegalArgumentException.class, () -> Json.write(Map.of("amount", 1.5)));
        for (String bad : List.of("", "{", "{\"a\":1,\"a\":2}", "NaN", "01", "1 2", "\"\\x\"", "\"a", "[1,]", "{\"a\" 1}", "1e9999", "9".repeat(65), "[".repeat(5000), "\"\u0000\"")) {
            assertThrows(Json.Malformed.class, () -> Json.parse(bad), bad);
        }
        assertEquals(new BigDecimal("500.10"), ((Map<?, ?>) Json.parse(" {\"a\" : 500.10 } ")).get("a"));
    }

    /** Serves one connection with each text: "" only reads, and null keeps the connection open. */
    private static String serve(List<Socket> kept, AtomicReference<String> seen, String... answers) throws IOException {
        ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread server = new Thread(() -> {
            try (listener) {
                for (String answer : answers) {
                    Socket peer = listener.accept();
                    kept.add(peer);
                    InputStream in = peer.getInputStream();
                    byte[] first = new byte[4096];
                    int n = in.read(first);
                    seen.set(new String(first, 0, Math.max(n, 0), StandardCharsets.UTF_8));
                    if (answer != null) {
                        try (OutputStream out = peer.getOutputStream()) {
                            out.write(answer.getBytes(StandardCharsets.UTF_8));
                        } catch (IOException e) {
                            // the client has hung up
                        }
                    }
                }
            } catch (IOException e) {
                seen.set(e.toString());
            }
        });
        server.setDaemon(true);
        server.start();
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    @Test
    void http() throws Exception {
        List<Socket> kept = new ArrayList<>();
        AtomicReference<String> seen = new AtomicReference<>("");
        String head = "HTTP/1.1 200 OK\r\nConnection: close\r\nX-There:  yes \r\nContent-Length: ";
        String base = serve(kept, seen, head + "2\r\n\r\n{}", "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "",
            head + "100\r\n\r\n{", head + ((4 << 20) + 1) + "\r\n\r\n" + " ".repeat((4 << 20) + 1), head + "100\r\n\r\n{", null);
        Http http = new Http(Duration.ofSeconds(5));
        HttpReply reply = http.send("DELETE", base + "/a%2Fb?x=%20", Map.of("X-A", "b"), "{\"k\":1}");
        assertEquals("200 yes {}", reply.status() + " " + reply.headers().get("x-there") + " " + new String(reply.body(), StandardCharsets.UTF_8));
        assertTrue(seen.get().startsWith("DELETE /a%2Fb?x=%20 HTTP/1.1\r\n") && seen.get().contains("X-A: b\r\n"), seen.get());
        assertEquals(302, http.send("GET", base + "/redirect", Map.of(), null).status());
        for (String path : List.of("/drop", "/cut", "/long", "/cut")) {
            assertThrows(IOException.class, () -> http.send("POST", base + path, Map.of(), "{}"), path);
        }
        assertThrows(IOException.class, () -> new Http(Duration.ofMillis(300)).send("POST", base + "/hang", Map.of(), "{}"));
        for (Socket peer : kept) {
            peer.close();
        }
        int free;
        try (ServerSocket unused = new ServerSocket(0)) {
            free = unused.getLocalPort();
        }
        assertThrows(Transport.NotSent.class, () -> http.send("GET", "http://127.0.0.1:" + free, Map.of(), null));
        assertThrows(Transport.NotSent.class, () -> http.send("GET", "http://nowhere.invalid", Map.of(), null));
    }
}
