package example.galla;

/** HTTP 429: too many calls. Nothing was done. */
public final class RateLimitException extends GallaException {
    private static final long serialVersionUID = 1;

    private final long retryAfter;

    RateLimitException(String message, About about, long retryAfter) {
        super(message, about);
        this.retryAfter = retryAfter;
    }

    /** How many seconds to wait. */
    public long retryAfter() {
        return retryAfter;
    }
}
