package example.galla;

/** A callback is not genuine, or cannot be read. */
public final class CallbackException extends GallaException {
    private static final long serialVersionUID = 1;

    private final String reason;

    CallbackException(String reason, String message) {
        super("callback refused: " + message, About.key(""));
        this.reason = reason;
    }

    /** missing-header, bad-timestamp, too-old, bad-signature or bad-body. */
    public String reason() {
        return reason;
    }
}
