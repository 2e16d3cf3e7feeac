package example.galla;

/** The bank has not answered; only Result.orThrow throws it. Pay nothing out, and wait. */
public final class PendingException extends GallaException {
    private static final long serialVersionUID = 1;

    private final String reference;

    PendingException(String message, About about, String reference) {
        super(message, about);
        this.reference = reference;
    }

    /** Names the operation until the bank has answered. */
    public String reference() {
        return reference;
    }
}
