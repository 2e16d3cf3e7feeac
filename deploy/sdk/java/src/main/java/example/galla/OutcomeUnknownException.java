package example.galla;

/** It is unknown whether the operation ran. Repeat it with the same key, which is safe. Pay nothing out. */
public final class OutcomeUnknownException extends GallaException {
    private static final long serialVersionUID = 1;

    OutcomeUnknownException(String message, About about) {
        super(message, about);
    }
}
