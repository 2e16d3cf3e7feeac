package example.galla;

import java.util.Map;

/**
 * What the central answered.
 *
 * <p>Look at {@link #state} (or {@link #ok}), never at {@link #statusCode} alone, which is "00" of a pending reply,
 * too. {@link #toString} shows neither data nor reply.
 *
 * @param <T> the type of data
 */
public final class Result<T> {
    private final State state;
    private final Answer answer;
    private final String responseCode;
    private final T data;
    private final Map<String, Object> extra;
    private final String reference;
    private final String idempotencyKey;
    private final Prepared prepared;

    Result(State state, Answer answer, String responseCode, T data, Map<String, Object> extra, String reference, String idempotencyKey, Prepared prepared) {
        this.state = state;
        this.answer = answer;
        this.responseCode = responseCode;
        this.data = data;
        this.extra = extra;
        this.reference = reference;
        this.idempotencyKey = idempotencyKey;
        this.prepared = prepared;
    }

    /** This answer of a requery as a result of the operation that it was asked after. */
    Result<T> of(Result<?> pending, Prepared operation) {
        return new Result<>(state, answer, responseCode, data, extra, reference.isEmpty() ? pending.reference : reference, pending.idempotencyKey, operation);
    }

    /** success, declined, reversed or pending. */
    public State state() {
        return state;
    }

    /** Whether the operation succeeded. Pending is not ok, and no failure either. */
    public boolean ok() {
        return state == State.SUCCESS;
    }

    /** Whether the bank has not answered yet: pay nothing out, and call wait. */
    public boolean isPending() {
        return state == State.PENDING;
    }

    /** The reply's statusCode. */
    public String statusCode() {
        return answer.member("statusCode");
    }

    /** Words for people. */
    public String message() {
        return answer.member("message");
    }

    /** The bank's code; empty where the requery of a transfer told a decline, since that has no code. */
    public String responseCode() {
        return responseCode;
    }

    /** The reply's data, or null. Its components are null where the reply has them not. */
    public T data() {
        return data;
    }

    /** The members of the reply beside statusCode, message and data: texts, BigDecimal, Boolean, Map, List. */
    public Map<String, Object> extra() {
        return extra;
    }

    /** Names the operation until the bank has answered. */
    public String reference() {
        return reference;
    }

    /** The operation's identity; empty for calls that are none. */
    public String idempotencyKey() {
        return idempotencyKey;
    }

    /** Whether the reply was stored by an earlier request. */
    public boolean replayed() {
        return "true".equals(answer.header("idempotent-replayed"));
    }

    /** The HTTP status. */
    public int httpStatus() {
        return answer.status();
    }

    /** Names the request in the logs of the central. */
    public String requestId() {
        return answer.header("x-request-id");
    }

    /** The JSON text of the reply as it came. */
    public String reply() {
        return answer.text();
    }

    Prepared prepared() {
        return prepared;
    }

    /**
     * Returns itself after a success.
     *
     * @throws DeclinedException where the bank declined or reversed it
     * @throws PendingException where the bank has not answered
     */
    public Result<T> orThrow() {
        GallaException.About about = new GallaException.About(httpStatus(), statusCode(), requestId(), idempotencyKey, reply());
        return switch (state) {
            case SUCCESS -> this;
            case PENDING -> throw new PendingException(message() + ": pay nothing out, and wait for the end", about, reference);
            default -> throw new DeclinedException(state + ": " + responseCode + " " + message(), about, responseCode);
        };
    }

    @Override
    public String toString() {
        return "Result[state=" + state + ", statusCode=" + statusCode() + ", message=" + message() + ", responseCode=" + responseCode
            + ", reference=" + reference + ", idempotencyKey=" + idempotencyKey + "]";
    }
}
