package example.galla;

/** The base of all exceptions of this package; none of them quotes what was sent. */
public class GallaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int httpStatus;
    private final String statusCode;
    private final String requestId;
    private final String idempotencyKey;
    private final transient String reply;

    GallaException(String message, About about) {
        super(message);
        this.httpStatus = about.httpStatus();
        this.statusCode = about.statusCode();
        this.requestId = about.requestId();
        this.idempotencyKey = about.idempotencyKey();
        this.reply = about.reply();
    }

    /** Where an exception comes from. */
    record About(int httpStatus, String statusCode, String requestId, String idempotencyKey, String reply) {
        static About key(String key) {
            return new About(0, "", "", key, "");
        }

        @Override
        public String toString() {
            return "About[httpStatus=" + httpStatus + "]"; // without the reply
        }
    }

    /** The HTTP status; 0 where no reply came. */
    public int httpStatus() {
        return httpStatus;
    }

    /** The reply's statusCode; empty where none came. */
    public String statusCode() {
        return statusCode;
    }

    /** Names the request in the logs of the central. */
    public String requestId() {
        return requestId;
    }

    /** The identity of the operation; empty for calls that are none. */
    public String idempotencyKey() {
        return idempotencyKey;
    }

    /** The JSON text of the reply; empty where none came. */
    public String reply() {
        return reply == null ? "" : reply;
    }
}
