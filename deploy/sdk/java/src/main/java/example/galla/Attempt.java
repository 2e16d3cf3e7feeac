package example.galla;

/**
 * One attempt.
 *
 * @param status 0 where no reply came
 * @param retryAfter seconds; -1 where the reply does not say
 * @param own whether the reply is JSON of the central
 */
record Attempt(Happened happened, int status, String statusCode, String reference, long retryAfter, boolean own) {
    /** How an attempt ended. */
    enum Happened {
        /** There was no connection. */
        NOT_SENT,
        /** The connection failed after sending began. */
        NO_REPLY,
        /** A reply came that is not the central's. */
        NOT_GENUINE,
        /** A reply came. */
        REPLY
    }

    /** An attempt without a reply. */
    static Attempt without(Happened happened) {
        return new Attempt(happened, 0, "", "", -1, true);
    }
}
