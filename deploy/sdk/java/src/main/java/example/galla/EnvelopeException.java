package example.galla;

/** What came is not genuine, or what was given cannot be used. */
public final class EnvelopeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    EnvelopeException(String why) {
        super(why);
    }
}
