package example.galla;

import example.galla.GallaException.About;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.DoubleSupplier;

/** What both clients do alike: prepare a call, send it under one key, and read the reply. It is safe for use by several threads. */
public abstract class BaseClient {
    private static final String REPEAT_SAFELY = "Whether it ran is unknown: repeat it with the same key, which is safe, and pay nothing out before";
    static final String USER_AGENT = "galla-sdk-java/" + RouteTable.VERSION;

    final Transport transport;
    final String baseUrl;
    final String clientId;
    final Clock clock;
    private final String merchantId;
    private final int attempts;
    private final long maxRetryAfter;
    private final Options.Sleeper sleeper;
    private final DoubleSupplier random;

    BaseClient(String baseUrl, String clientId, Options options) {
        if (clientId.isEmpty()) {
            throw new IllegalArgumentException("clientId must not be empty");
        }
        this.baseUrl = checkUrl(baseUrl, options.insecure);
        this.clientId = clientId;
        this.transport = options.transport != null ? options.transport : new Http(options.timeout);
        this.clock = options.clock;
        this.merchantId = options.merchantId;
        this.attempts = options.attempts;
        this.maxRetryAfter = options.maxRetryAfter.toSeconds();
        this.sleeper = options.sleeper;
        this.random = options.random;
    }

    private static String checkUrl(String baseUrl, boolean insecure) {
        URI url;
        try {
            url = URI.create(baseUrl);
        } catch (IllegalArgumentException e) {
            url = URI.create("");
        }
        String host = url.getHost();
        boolean http = "http".equals(url.getScheme());
        if (host == null || !(http || "https".equals(url.getScheme())) || !List.of("", "/").contains(url.getRawPath()) || url.getRawQuery() != null || url.getRawFragment() != null || url.getRawUserInfo() != null) {
            throw new IllegalArgumentException("baseUrl must be scheme and host without a path, such as https://api.example.in");
        }
        if (http && !insecure && !host.equals("localhost") && !host.equals("[::1]") && !host.matches("127(\\.[0-9]{1,3}){3}")) {
            throw new IllegalArgumentException("baseUrl must be https, except for this machine; Options.insecure allows http in a network that you trust");
        }
        return url.getScheme() + "://" + url.getRawAuthority();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[baseUrl=" + baseUrl + ", clientId=" + clientId + "]";
    }

    /** A new identity of an operation: a random UUID. Store it before the call. */
    public static String newKey() {
        return UUID.randomUUID().toString();
    }

    /** Calls a route by its path, as {@link #call(String, String, String, String)}, with a new key. */
    public Result<Object> call(String method, String path, String json) {
        return call(method, path, json, null);
    }

    /**
     * Calls a route by its path, with ?query where there is one. The routes' own methods are typed.
     *
     * @param json the text of a JSON object, which is sent as it is; null: none
     * @param idempotencyKey null: a new one where the route takes one
     * @return data as Map, List, String, BigDecimal and Boolean
     */
    public Result<Object> call(String method, String path, String json, String idempotencyKey) {
        Route route = Route.find(method, path);
        Route untyped = new Route(route.method(), route.path(), route.kind(), route.flags(), route.inPath(), route.inQuery(), route.inBody(), null);
        return Results.cast(perform(new Prepared(untyped, path, key(route, idempotencyKey), Map.of(), json == null && needsBody(route) ? "{}" : json)));
    }

    /** Asks after a pending result for up to two minutes, as {@link #await(Result, Duration)}. */
    public <T> Result<T> await(Result<T> result) {
        return await(result, Duration.ofMinutes(2));
    }

    /**
     * Asks after a pending result until it is final, or returns it still pending at the end of the time. It asks by a
     * requery where there is one, and repeats the request under its key otherwise. What is final is returned as it is.
     */
    public <T> Result<T> await(Result<T> pending, Duration timeout) {
        long deadline = clock.millis() + timeout.toMillis();
        Result<T> result = pending;
        for (long pause = 1_000; result.isPending(); pause = Math.min(2 * pause, 10_000)) {
            long left = deadline - clock.millis();
            if (left <= 0) {
                break;
            }
            pause(Math.min(pause, left), result.prepared());
            try {
                result = ask(result, pending.prepared());
            } catch (RateLimitException | OutcomeUnknownException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            } catch (NotSentException e) {
                if (e.httpStatus() != 0 && !pending.prepared().route().aepsRequery() && !pending.prepared().route().transferRequery()) {
                    throw e; // the operation's own end: nothing was sent
                }
            }
        }
        return result;
    }

    <T> Result<T> invoke(Route route, Map<String, Object> given, String idempotencyKey) {
        Map<String, Object> fields = new LinkedHashMap<>(given);
        if (merchantId != null && route.takesMerchant()) {
            fields.putIfAbsent("merchantId", merchantId);
        }
        return Results.cast(perform(prepare(route, fields, key(route, idempotencyKey))));
    }

    String key(Route route, String given) {
        if (given != null) {
            checkKey(given);
            return given;
        }
        return route.identity() ? newKey() : "";
    }

    /** Refuses a key that the entrance does not take. */
    abstract void checkKey(String key);

    /** Whether a request of the route has a body even without fields. */
    abstract boolean needsBody(Route route);

    abstract Prepared prepare(Route route, Map<String, Object> fields, String key);

    /** Sends once. Throws a GallaException where there is no token. */
    abstract Answer attempt(Prepared call) throws IOException, Transport.NotSent, InterruptedException;

    /** One attempt. */
    interface Sender {
        Answer send(Prepared call) throws IOException, Transport.NotSent, InterruptedException;
    }

    private Result<?> perform(Prepared call) {
        return perform(call, this::attempt);
    }

    Result<?> perform(Prepared call, Sender sender) {
        boolean mayHaveRun = false;
        for (int number = 0;; number++) {
            Answer answer = null;
            Attempt attempt;
            String why;
            try {
                answer = sender.send(call);
                attempt = answer.judge();
                why = answer.why();
            } catch (Transport.NotSent e) {
                attempt = Attempt.without(Attempt.Happened.NOT_SENT);
                why = e.getMessage();
            } catch (IOException e) {
                attempt = Attempt.without(Attempt.Happened.NO_REPLY);
                why = e.getMessage();
            } catch (InterruptedException e) {
                throw interrupted(call);
            } catch (GallaException e) {
                throw mayHaveRun ? unknown(call, e.getMessage() + "; an earlier attempt had no reply", null) : e;
            }
            Retry.Decision decision = Retry.decide(attempt, call.route().identity(), call.route().repeatable(), number + 1 >= attempts, maxRetryAfter);
            if (decision != Retry.Decision.REPEAT) {
                return finish(call, decision, attempt, answer, why, mayHaveRun);
            }
            mayHaveRun |= call.route().identity() && (attempt.happened() == Attempt.Happened.NO_REPLY || attempt.status() >= 500 || !attempt.own());
            double seconds = attempt.retryAfter() >= 0 ? Math.min(attempt.retryAfter(), maxRetryAfter) : Retry.backoff(number, random.getAsDouble());
            pause((long) (seconds * 1000), call);
        }
    }

    private void pause(long millis, Prepared call) {
        try {
            sleeper.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(call);
        }
    }

    private static OutcomeUnknownException interrupted(Prepared call) {
        Thread.currentThread().interrupt();
        return unknown(call, "the thread was interrupted", null);
    }

    private static Result<?> finish(Prepared call, Retry.Decision decision, Attempt attempt, Answer answer, String why, boolean mayHaveRun) {
        if (answer != null && (decision == Retry.Decision.RESULT || decision == Retry.Decision.PENDING)) {
            return Results.of(call, answer, decision == Retry.Decision.PENDING);
        }
        // A refusal of a repeat says nothing of an earlier attempt, unless it is the stored reply.
        boolean stored = answer != null && answer.header("idempotent-replayed").equals("true");
        boolean doubtful = !List.of(400, 409, 502).contains(attempt.status()) && !stored;
        if (decision == Retry.Decision.UNKNOWN || mayHaveRun && doubtful) {
            throw unknown(call, !why.isEmpty() || answer == null ? why : answer.words(), answer);
        }
        if (answer == null) {
            throw new NotSentException(call.route() + ": " + why + ". Nothing was sent: try again with the same key", About.key(call.key()));
        }
        String what = call.route() + ": " + answer.words();
        About about = about(call, answer);
        if (decision == Retry.Decision.NOT_SENT) {
            throw new NotSentException(what + ". No money moved: try again with a new key", about);
        }
        if (decision == Retry.Decision.RATE_LIMITED) {
            throw new RateLimitException(what + ". Nothing was done: try again later with the same key", about, Math.max(attempt.retryAfter(), 0));
        }
        throw refusal(what, answer, about);
    }

    private static About about(Prepared call, Answer answer) {
        return answer == null ? About.key(call.key()) : new About(answer.status(), answer.member("statusCode"), answer.header("x-request-id"), call.key(), answer.text());
    }

    private static OutcomeUnknownException unknown(Prepared call, String why, Answer answer) {
        return new OutcomeUnknownException(call.route() + ": " + why + ". " + (call.key().isEmpty() ? "Whether it ran is unknown" : REPEAT_SAFELY), about(call, answer));
    }

    private static GallaException refusal(String what, Answer answer, About about) {
        switch (answer.status()) {
            case 400:
                List<FieldError> fields = fieldErrors(answer);
                StringBuilder words = new StringBuilder(what);
                fields.forEach(one -> words.append("; ").append(one.field()).append(' ').append(one.message()));
                return new ValidationException(words.toString(), about, fields);
            case 401:
                return new AuthenticationException(what, about);
            case 404:
                return new NotFoundException(what, about);
            case 409:
                return new ConflictException(what, about);
            default:
                return new RefusedException(what, about);
        }
    }

    private static List<FieldError> fieldErrors(Answer answer) {
        List<FieldError> fields = new ArrayList<>();
        if (answer.members() != null && answer.members().get("data") instanceof Map<?, ?> data && data.get("errors") instanceof List<?> errors) {
            for (Object one : errors) {
                if (one instanceof Map<?, ?> m) {
                    fields.add(new FieldError(textOf(m, "field"), textOf(m, "rule"), textOf(m, "message")));
                }
            }
        }
        return List.copyOf(fields);
    }

    private static String textOf(Map<?, ?> m, String name) {
        String text = Read.text(m, name);
        return text == null ? "" : text;
    }

    /** Asks once after a pending operation. The result has the operation's own key. */
    private <T> Result<T> ask(Result<T> pending, Prepared call) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (call.fields().get("merchantId") != null) {
            fields.put("merchantId", call.fields().get("merchantId"));
        }
        Object ownReference = call.fields().get("clientRefId");
        if (call.route().transferRequery() && call.fields().get("refId") != null) {
            fields.put("refId", call.fields().get("refId"));
            return requery(RouteTable.DMT_TRANSACTION_REQUERY, fields, pending, call);
        }
        if (call.route().aepsRequery() && (ownReference != null || !pending.reference().isEmpty())) {
            fields.put(ownReference != null ? "clientRefId" : "reference", ownReference != null ? ownReference : pending.reference());
            return requery(RouteTable.AEPS_REQUERY, fields, pending, call);
        }
        return Results.cast(perform(call));
    }

    /** Asks by a requery, and reads its data as that of the operation. */
    private <T> Result<T> requery(Route route, Map<String, Object> fields, Result<T> pending, Prepared call) {
        Route asking = new Route(route.method(), route.path(), route.kind(), route.flags(), route.inPath(), route.inQuery(), route.inBody(), call.route().data());
        Result<T> answer = invoke(asking, fields, null);
        return answer.of(pending, call);
    }
}
