package example.galla;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls routes directly, with OAuth client credentials: for merchants, vendors and aggregators. The token is fetched
 * with the first call and renewed in time.
 */
public final class DirectClient extends DirectRoutes {
    private static final Route TOKEN = new Route("POST", "/oauth/token", "enquiry", Set.of(Route.Flag.OPEN, Route.Flag.BARE), List.of(), List.of(), List.of(), null);

    private final String basic;
    private final Object tokenLock = new Object(); // one request for a token at a time
    private String token;
    private long renewAt; // Unix time in milliseconds

    /**
     * Makes a client. It sends nothing.
     *
     * @param baseUrl https://… without a path
     */
    public DirectClient(String baseUrl, String clientId, String clientSecret) {
        this(baseUrl, clientId, clientSecret, new Options());
    }

    /** Makes a client with other settings. */
    public DirectClient(String baseUrl, String clientId, String clientSecret, Options options) {
        super(baseUrl, clientId, options);
        if (clientSecret.isEmpty()) {
            throw new IllegalArgumentException("clientSecret must not be empty");
        }
        String pair = URLEncoder.encode(clientId, StandardCharsets.UTF_8) + ":" + URLEncoder.encode(clientSecret, StandardCharsets.UTF_8);
        this.basic = "Basic " + Envelope.toBase64(pair.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    void checkKey(String key) {
        if (!key.matches("[!-~]{1,128}")) {
            throw new IllegalArgumentException("idempotencyKey must be 1 to 128 visible ASCII characters");
        }
    }

    @Override
    boolean needsBody(Route route) {
        return route.method().equals("POST") || route.method().equals("PUT");
    }

    @Override
    Prepared prepare(Route route, Map<String, Object> fields, String key) {
        List<String> query = new ArrayList<>();
        Map<String, Object> body = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (route.inQuery().contains(name)) {
                query.add(name + "=" + Route.escape(value instanceof BigDecimal number ? number.toPlainString() : value.toString()));
            } else if (route.inBody().contains(name)) {
                body.put(name, value);
            }
        });
        String target = route.fill(fields) + (query.isEmpty() ? "" : "?" + String.join("&", query));
        return new Prepared(route, target, key, fields, body.isEmpty() && !needsBody(route) ? null : Json.write(body));
    }

    @Override
    Answer attempt(Prepared call) throws IOException, Transport.NotSent, InterruptedException {
        if (call.route().is(Route.Flag.OPEN)) {
            return send(call, null);
        }
        String used = freshToken();
        Answer answer = send(call, used);
        if (answer.status() == 401) {
            forget(used);
            answer = send(call, freshToken());
        }
        return answer;
    }

    private Answer send(Prepared call, String bearer) throws IOException, Transport.NotSent, InterruptedException {
        Map<String, String> headers = new LinkedHashMap<>(Map.of("Content-Type", "application/json", "User-Agent", USER_AGENT));
        if (bearer != null) {
            headers.put("Authorization", "Bearer " + bearer);
        }
        if (!call.key().isEmpty()) {
            headers.put("Idempotency-Key", call.key());
        }
        return Answer.read(transport.send(call.route().method(), baseUrl + call.target(), headers, call.text()));
    }

    private void forget(String used) {
        synchronized (tokenLock) {
            if (used.equals(token)) {
                token = null;
            }
        }
    }

    private String freshToken() {
        synchronized (tokenLock) {
            long now = clock.millis();
            if (token != null && now < renewAt) {
                return token;
            }
            Map<?, ?> members = askToken();
            String given = Read.text(members, "access_token");
            Long life = Read.integer(members, "expires_in");
            if (given == null || !given.matches("[!-~]+") || life == null) {
                throw new NotSentException("POST /oauth/token: the reply has no access_token. Nothing else was sent", GallaException.About.key(""));
            }
            renewAt = now + life * 1000 - Math.min(60_000, life * 500);
            token = given;
            return token;
        }
    }

    /** Asks for a token by the rule of all calls. */
    private Map<?, ?> askToken() {
        Prepared call = new Prepared(TOKEN, TOKEN.path(), "", Map.of(), "grant_type=client_credentials");
        Map<String, String> headers = Map.of("Content-Type", "application/x-www-form-urlencoded", "Authorization", basic, "User-Agent", USER_AGENT);
        try {
            return (Map<?, ?>) perform(call, asked -> Answer.read(transport.send("POST", baseUrl + asked.target(), headers, asked.text()))).data();
        } catch (NotSentException | OutcomeUnknownException e) {
            throw new NotSentException("no access token: " + e.getMessage() + ". The call itself was not sent", new GallaException.About(e.httpStatus(), "", "", "", ""));
        }
    }
}
