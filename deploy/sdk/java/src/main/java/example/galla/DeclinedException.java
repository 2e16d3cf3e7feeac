package example.galla;

/** The bank declined or reversed the operation; only Result.orThrow throws it. */
public final class DeclinedException extends GallaException {
    private static final long serialVersionUID = 1;

    private final String responseCode;

    DeclinedException(String message, About about, String responseCode) {
        super(message, about);
        this.responseCode = responseCode;
    }

    /** The bank's code. */
    public String responseCode() {
        return responseCode;
    }
}
