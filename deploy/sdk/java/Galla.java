// A request through Galla's gateway, in Java, only with javax.crypto.
//
//   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//     java Galla.java call POST /aeps/balance < body.json
//   java Galla.java vectors gateway.json
//
// The route is the direct one; /process is added here. The body is a JSON
// object, from the last argument or (better, since arguments can be read by
// every user of a machine) from standard input; none means {}. The key is 64
// hex or 44 base64 characters, and comes from the environment only.
// GALLA_REQUEST_ID repeats an earlier request: same id, same body.
//
// Copy what stands between parseKey and openReply into your program. It needs
// Java 17 or newer. Java has no JSON of its own: the small reader at the end
// serves this file, and use a better one in your program.

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

public final class Galla {
    private static final int IV_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final long MAX_AGE_MS = 300_000; // of a message, against this machine's clock
    private static final int MAX_REPLY_BYTES = 4 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(60); // the gateway answers "pending" long before

    /** One message: the six headers, and the payload of the body {"payload": "…"}. */
    record Message(String clientId, String timestamp, String requestId, String iv, String tag, String checksum, String payload) {
        Message signed(String checksum) {
            return new Message(clientId, timestamp, requestId, iv, tag, checksum, payload);
        }
    }

    /** What came is not genuine, or what was given cannot be used. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why);
        }
    }

    /** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
    static byte[] fromBase64(String text, String name) throws Refused {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            if (toBase64(bytes).equals(text)) { // the decoder takes missing padding and loose bits
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new Refused(name + " is not padded base64 of the standard alphabet");
    }

    static String toBase64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes); // getMimeEncoder breaks lines: not that one
    }

    /** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
    static byte[] parseKey(String text) throws Refused {
        if (text.matches("[0-9a-fA-F]{64}")) {
            return HexFormat.of().parseHex(text);
        }
        if (text.length() == 44) {
            byte[] key = fromBase64(text, "the key");
            if (key.length == 32) {
                return key;
            }
        }
        throw new Refused("a key is 32 bytes: 64 hex or 44 base64 characters"); // never print the key itself
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The HMAC over lines joined by \n, in lower-case hex. */
    static String checksum(byte[] key, String... lines) throws GeneralSecurityException {
        byte[] checksumKey = hmac(key, "galla/gateway/checksum/v1");
        return HexFormat.of().formatHex(hmac(checksumKey, String.join("\n", lines)));
    }

    static String requestChecksum(byte[] key, String method, String path, Message m) throws GeneralSecurityException {
        return checksum(key, "galla-v1", method, path, m.clientId, m.timestamp, m.requestId, m.iv, m.tag, m.payload);
    }

    static String replyChecksum(byte[] key, int status, Message m) throws GeneralSecurityException {
        return checksum(key, "galla-v1-response", Integer.toString(status), m.requestId, m.timestamp, m.iv, m.tag, m.payload);
    }

    private static Cipher cipher(int mode, byte[] key, byte[] iv) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG_BYTES, iv));
        return cipher;
    }

    /** AES-256-GCM. Java appends the tag: it travels in its own header, so cut it off. The checksum is still missing. */
    static Message encrypt(byte[] key, byte[] iv, String clientId, String timestamp, String requestId, String json) throws GeneralSecurityException {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, iv).doFinal(json.getBytes(StandardCharsets.UTF_8));
        int end = sealed.length - TAG_BYTES;
        String tag = toBase64(Arrays.copyOfRange(sealed, end, sealed.length));
        return new Message(clientId, timestamp, requestId, toBase64(iv), tag, "", toBase64(Arrays.copyOf(sealed, end)));
    }

    static String decrypt(byte[] key, Message m) throws GeneralSecurityException, Refused {
        byte[] iv = fromBase64(m.iv, "X-IV");
        byte[] tag = fromBase64(m.tag, "X-Tag");
        if (iv.length != IV_BYTES || tag.length != TAG_BYTES) {
            throw new Refused("X-IV must have 12 bytes and X-Tag 16");
        }
        byte[] payload = fromBase64(m.payload, "payload");
        byte[] sealed = Arrays.copyOf(payload, payload.length + TAG_BYTES);
        System.arraycopy(tag, 0, sealed, payload.length, TAG_BYTES);
        return new String(cipher(Cipher.DECRYPT_MODE, key, iv).doFinal(sealed), StandardCharsets.UTF_8);
    }

    /**
     * Seals one request. json is the text of a JSON object: it is sealed as it is,
     * so write it once and keep it for a retry. The IV must be new for every
     * message, and so must the timestamp; the request id stays for a retry.
     */
    static Message sealRequest(byte[] key, String method, String path, String clientId, String requestId, String json) throws GeneralSecurityException {
        byte[] iv = new byte[IV_BYTES];
        new SecureRandom().nextBytes(iv);
        Message m = encrypt(key, iv, clientId, Long.toString(System.currentTimeMillis()), requestId, json);
        return m.signed(requestChecksum(key, method, path, m));
    }

    /** Opens one reply, or throws where it is not genuine. Nothing is decrypted before the checksum is right. */
    static String openReply(byte[] key, int status, Message m) throws GeneralSecurityException, Refused {
        byte[] wanted = replyChecksum(key, status, m).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(wanted, m.checksum.getBytes(StandardCharsets.UTF_8))) { // constant time
            throw new Refused("the checksum is wrong");
        }
        return decrypt(key, m);
    }

    /** The result of a request: the HTTP status, and the reply's JSON text. */
    record Reply(int status, String json) {}

    /** Seals, sends and opens. */
    static Reply call(String base, String clientId, byte[] key, String method, String route, String json, String requestId) throws Exception {
        String path = "/process" + route;
        Message m = sealRequest(key, method, path, clientId, requestId, json);
        HttpRequest request = HttpRequest.newBuilder(URI.create(base.replaceAll("/+$", "") + path))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header("X-Client-Id", m.clientId).header("X-Timestamp", m.timestamp).header("X-Request-Id", m.requestId)
            .header("X-IV", m.iv).header("X-Tag", m.tag).header("X-Checksum", m.checksum)
            .method(method, HttpRequest.BodyPublishers.ofString("{\"payload\":\"" + m.payload + "\"}"))
            .build();
        HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER).connectTimeout(TIMEOUT).build();
        HttpResponse<InputStream> reply = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        byte[] answer;
        try (InputStream in = reply.body()) {
            answer = in.readNBytes(MAX_REPLY_BYTES + 1);
        }
        if (reply.headers().firstValue("X-Checksum").isEmpty()) {
            throw new Refused(reply.statusCode() == 401
                ? "not authenticated: look at the client id, the key, the clock, and what the checksum covers"
                : "HTTP " + reply.statusCode() + " without the gateway's headers: something else answered");
        }
        if (answer.length > MAX_REPLY_BYTES) {
            throw new Refused("the reply is too long");
        }
        if (!(Json.parse(new String(answer, StandardCharsets.UTF_8)) instanceof Map<?, ?> body) || !(body.get("payload") instanceof String payload)) {
            throw new Refused("the reply has no payload");
        }
        Message r = new Message("", header(reply, "X-Timestamp"), header(reply, "X-Request-Id"),
            header(reply, "X-IV"), header(reply, "X-Tag"), header(reply, "X-Checksum"), payload);
        String opened = openReply(key, reply.statusCode(), r);
        if (!r.requestId.equals(requestId)) {
            throw new Refused("the reply belongs to another call");
        }
        if (Math.abs(System.currentTimeMillis() - Long.parseLong(r.timestamp)) > MAX_AGE_MS) {
            throw new Refused("the reply's time is not now");
        }
        return new Reply(reply.statusCode(), opened);
    }

    private static String header(HttpResponse<?> reply, String name) {
        return reply.headers().firstValue(name).orElse("");
    }

    /** Checks this program with messages that another one made. */
    static void checkVectors(Path file) throws Exception {
        List<?> vectors = (List<?>) ((Map<?, ?>) Json.parse(Files.readString(file))).get("vectors");
        for (Object one : vectors) {
            Map<?, ?> v = (Map<?, ?>) one;
            byte[] key = parseKey(text(v, "key_hex"));
            expect(v, Arrays.equals(key, parseKey(text(v, "key_base64"))), "the two spellings of the key differ");
            Message m = new Message(text(v, "client_id"), text(v, "timestamp"), text(v, "request_id"),
                text(v, "iv"), text(v, "tag"), text(v, "checksum"), text(v, "payload"));
            Message sealed = encrypt(key, fromBase64(m.iv, "iv"), m.clientId, m.timestamp, m.requestId, text(v, "plaintext"));
            if (text(v, "direction").equals("request")) {
                sealed = sealed.signed(requestChecksum(key, text(v, "method"), text(v, "path"), sealed));
                expect(v, decrypt(key, m).equals(text(v, "plaintext")), "opens to another text");
            } else {
                int status = ((Double) v.get("http_status")).intValue();
                sealed = sealed.signed(replyChecksum(key, status, sealed));
                expect(v, openReply(key, status, m).equals(text(v, "plaintext")), "opens to another text");
                boolean refused = false;
                try {
                    openReply(key, status + 1, m);
                } catch (Refused e) {
                    refused = true;
                }
                expect(v, refused, "opens with another status");
            }
            expect(v, sealed.equals(m), "is sealed differently");
        }
        if (vectors.isEmpty()) {
            throw new Refused(file + " has no vectors");
        }
        System.out.println(vectors.size() + " vectors: all right");
    }

    private static String text(Map<?, ?> v, String name) {
        return v.get(name) instanceof String s ? s : "";
    }

    private static void expect(Map<?, ?> v, boolean ok, String what) throws Refused {
        if (!ok) {
            throw new Refused("vector \"" + v.get("name") + "\": " + what);
        }
    }

    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception e) {
            System.err.println(e.getMessage() == null ? e.toString() : e.getMessage());
            System.exit(1);
        }
    }

    private static void run(String[] args) throws Exception {
        if (args.length == 2 && args[0].equals("vectors")) {
            checkVectors(Path.of(args[1]));
            return;
        }
        Map<String, String> env = System.getenv();
        if (args.length < 3 || args.length > 4 || !args[0].equals("call")
            || !env.keySet().containsAll(List.of("GALLA_GATEWAY", "GALLA_CLIENT_ID", "GALLA_KEY"))) {
            throw new Refused("usage: Galla.java vectors FILE, or: Galla.java call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set");
        }
        String json = (args.length == 4 ? args[3] : System.console() != null ? "" : new String(System.in.readAllBytes(), StandardCharsets.UTF_8)).strip();
        String requestId = env.getOrDefault("GALLA_REQUEST_ID", UUID.randomUUID().toString());
        try {
            Reply reply = call(env.get("GALLA_GATEWAY"), env.get("GALLA_CLIENT_ID"), parseKey(env.get("GALLA_KEY")),
                args[1], args[2], json.isEmpty() ? "{}" : json, requestId);
            new PrintStream(System.out, true, StandardCharsets.UTF_8).print("HTTP " + reply.status() + "\n" + reply.json() + "\n");
        } catch (Refused | GeneralSecurityException | IOException e) {
            String why = e.getMessage() == null ? "no reply from the gateway (" + e.getClass().getSimpleName() + ")" : e.getMessage();
            throw new Refused(why
                + "\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=" + requestId);
        }
    }

    /** A small reader of JSON. Objects are maps, arrays lists, numbers doubles. */
    private static final class Json {
        private static final int DEPTH = 64;
        private final String s;
        private int at;

        private Json(String s) {
            this.s = s;
        }

        static Object parse(String text) throws Refused {
            Json j = new Json(text);
            Object value = j.value(0);
            j.skip();
            if (j.at != text.length()) {
                throw new Refused("is not JSON");
            }
            return value;
        }

        private void skip() {
            while (at < s.length() && " \t\r\n".indexOf(s.charAt(at)) >= 0) {
                at++;
            }
        }

        private boolean take(char c) {
            skip();
            if (at < s.length() && s.charAt(at) == c) {
                at++;
                return true;
            }
            return false;
        }

        private void want(char c) throws Refused {
            if (!take(c)) {
                throw new Refused("is not JSON");
            }
        }

        private Object value(int depth) throws Refused {
            if (depth > DEPTH) {
                throw new Refused("is JSON of too many levels");
            }
            skip();
            if (take('{')) {
                Map<String, Object> object = new LinkedHashMap<>();
                if (take('}')) {
                    return object;
                }
                do {
                    want('"');
                    String name = string();
                    want(':');
                    if (object.containsKey(name)) {
                        throw new Refused("has a member twice");
                    }
                    object.put(name, value(depth + 1));
                } while (take(','));
                want('}');
                return object;
            }
            if (take('[')) {
                List<Object> array = new ArrayList<>();
                if (take(']')) {
                    return array;
                }
                do {
                    array.add(value(depth + 1));
                } while (take(','));
                want(']');
                return array;
            }
            if (take('"')) {
                return string();
            }
            int start = at;
            while (at < s.length() && ",]} \t\r\n".indexOf(s.charAt(at)) < 0) {
                at++;
            }
            String word = s.substring(start, at);
            switch (word) {
                case "null":
                    return null;
                case "true":
                    return true;
                case "false":
                    return false;
                default:
                    if (!word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
                        throw new Refused("is not JSON");
                    }
                    return Double.valueOf(word);
            }
        }

        private String string() throws Refused {
            StringBuilder out = new StringBuilder();
            while (at < s.length()) {
                char c = s.charAt(at++);
                if (c == '"') {
                    return out.toString();
                }
                if (c < ' ') {
                    break;
                }
                if (c != '\\') {
                    out.append(c);
                    continue;
                }
                if (at == s.length()) {
                    break;
                }
                char e = s.charAt(at++);
                int plain = "\"\\/bfnrt".indexOf(e);
                if (plain >= 0) {
                    out.append("\"\\/\b\f\n\r\t".charAt(plain));
                } else if (e == 'u' && at + 4 <= s.length() && s.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
                    out.append((char) Integer.parseInt(s.substring(at, at + 4), 16));
                    at += 4;
                } else {
                    break;
                }
            }
            throw new Refused("is not JSON");
        }
    }
}
