import example.galla.BaseClient;
import example.galla.Envelope;
import example.galla.EnvelopeException;
import example.galla.GallaException;
import example.galla.GatewayClient;
import example.galla.Json;
import example.galla.Options;
import example.galla.Result;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A request through Galla's gateway.
 *
 * <pre>
 *   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
 *     java -cp galla-sdk-VERSION.jar:out Call call POST /aeps/balance &lt; body.json
 *   java -cp galla-sdk-VERSION.jar:out Call vectors gateway.json
 * </pre>
 *
 * The route is the direct one; /process is added. The body is a JSON object, from the last argument or (better, since
 * arguments can be read by every user of a machine) from standard input; none means {}. The key is 64 hex or 44 base64
 * characters, and comes from the environment only. GALLA_REQUEST_ID repeats an earlier request: same id, same body.
 */
public final class Call {
    private Call() {}

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
        if (args.length < 3 || args.length > 4 || !args[0].equals("call") || !env.keySet().containsAll(List.of("GALLA_GATEWAY", "GALLA_CLIENT_ID", "GALLA_KEY"))) {
            throw new IllegalArgumentException("usage: Call vectors FILE, or: Call call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set");
        }
        String json = (args.length == 4 ? args[3] : System.console() != null ? "" : new String(System.in.readAllBytes(), StandardCharsets.UTF_8)).strip();
        String key = env.getOrDefault("GALLA_REQUEST_ID", BaseClient.newKey());
        GatewayClient client = new GatewayClient(env.get("GALLA_GATEWAY"), env.get("GALLA_CLIENT_ID"), env.get("GALLA_KEY"), new Options().insecure());
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try {
            Result<Object> result = client.call(args[1], args[2], json.isEmpty() ? "{}" : json, key);
            out.print("HTTP " + result.httpStatus() + "\n" + result.reply() + "\n");
        } catch (GallaException e) {
            if (e.reply().isEmpty()) {
                throw new IllegalStateException(e.getMessage() + "\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=" + key);
            }
            out.print("HTTP " + e.httpStatus() + "\n" + e.reply() + "\n");
        }
    }

    /** Checks the package with messages that another program made. */
    private static void checkVectors(Path file) throws Exception {
        List<?> vectors = (List<?>) ((Map<?, ?>) Json.parse(Files.readString(file))).get("vectors");
        for (Object one : vectors) {
            Map<?, ?> v = (Map<?, ?>) one;
            byte[] key = Envelope.parseKey(text(v, "key_hex"));
            expect(v, Arrays.equals(key, Envelope.parseKey(text(v, "key_base64"))), "the two spellings of the key differ");
            Envelope.Message m = new Envelope.Message(text(v, "client_id"), text(v, "timestamp"), text(v, "request_id"), text(v, "iv"), text(v, "tag"), text(v, "checksum"), text(v, "payload"));
            String plain = text(v, "plaintext");
            Envelope.Message sealed = Envelope.encrypt(key, Envelope.fromBase64(m.iv(), "iv"), m.clientId(), m.timestamp(), m.requestId(), plain);
            expect(v, sealed.payload().equals(m.payload()) && sealed.tag().equals(m.tag()), "is sealed differently");
            if (text(v, "direction").equals("request")) {
                expect(v, Envelope.requestChecksum(key, text(v, "method"), text(v, "path"), sealed).equals(m.checksum()), "checksum differs");
                expect(v, Envelope.decrypt(key, m).equals(plain), "opens to another text");
                continue;
            }
            int status = ((BigDecimal) v.get("http_status")).intValueExact();
            expect(v, opens(key, status, m, plain), "opens to another text");
            expect(v, !opens(key, status + 1, m, plain), "opens with another status");
        }
        if (vectors.isEmpty()) {
            throw new IllegalArgumentException(file + " has no vectors");
        }
        System.out.println(vectors.size() + " vectors: all right");
    }

    private static String text(Map<?, ?> v, String name) {
        return v.get(name) instanceof String text ? text : "";
    }

    private static boolean opens(byte[] key, int status, Envelope.Message m, String plain) throws Exception {
        try {
            return Envelope.openReply(key, status, m).equals(plain);
        } catch (EnvelopeException e) {
            return false;
        }
    }

    private static void expect(Map<?, ?> v, boolean ok, String what) {
        if (!ok) {
            throw new IllegalStateException("vector \"" + v.get("name") + "\": " + what);
        }
    }
}
