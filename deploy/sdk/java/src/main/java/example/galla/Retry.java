package example.galla;

/** The rule that says whether a request is sent again. */
final class Retry {
    private Retry() {}

    /** What follows an attempt. */
    enum Decision {
        /** Send it again, with the same key. */
        REPEAT,
        /** The reply is the result. */
        RESULT,
        /** The reply says that the operation is pending. */
        PENDING,
        /** The reply is a refusal (4xx). */
        REFUSED,
        /** Too many calls. */
        RATE_LIMITED,
        /** Nothing was sent to the bank. */
        NOT_SENT,
        /** Whether it ran is unknown. */
        UNKNOWN
    }

    /**
     * Decides. A request that may have run is repeated only where that is safe, and only under the same key.
     *
     * @param identity the route takes a key, so a repeat gets the first one's reply
     * @param repeatable it does, or it changes nothing
     * @param last no attempt is left
     */
    static Decision decide(Attempt attempt, boolean identity, boolean repeatable, boolean last, long maxRetryAfter) {
        int status = attempt.status();
        switch (attempt.happened()) {
            case NOT_SENT:
                return last ? Decision.NOT_SENT : Decision.REPEAT;
            case NOT_GENUINE:
                return Decision.UNKNOWN;
            case NO_REPLY:
                return repeatable && !last ? Decision.REPEAT : Decision.UNKNOWN;
            default:
        }
        if (status == 429) {
            if (!last && attempt.retryAfter() <= maxRetryAfter) {
                return Decision.REPEAT;
            }
            return attempt.own() ? Decision.RATE_LIMITED : Decision.UNKNOWN;
        }
        if (status == 502 && attempt.own() && attempt.statusCode().equals("10")) {
            return bankUnreachable(attempt, identity, repeatable, last);
        }
        if (status >= 500) {
            return (repeatable || status == 503) && !last ? Decision.REPEAT : Decision.UNKNOWN;
        }
        if (status >= 400) {
            return Decision.REFUSED;
        }
        return attempt.own() && status >= 200 && status < 300 ? Decision.RESULT : Decision.UNKNOWN;
    }

    private static Decision bankUnreachable(Attempt attempt, boolean identity, boolean repeatable, boolean last) {
        if (identity) {
            if (attempt.reference().isEmpty()) { // the operation is final, and its key is used up
                return Decision.NOT_SENT;
            }
            return last ? Decision.PENDING : Decision.REPEAT;
        }
        return repeatable && !last ? Decision.REPEAT : Decision.NOT_SENT;
    }

    /** The pause after the attempt with this number (from 0), in seconds; random is from 0 to 1. */
    static double backoff(int attempt, double random) {
        return Math.min(0.25 * Math.pow(2, attempt), 4.0) * (0.5 + random / 2);
    }
}
