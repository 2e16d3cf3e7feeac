package example.galla;

/** HTTP 409: the key or reference names another operation. This request did not run. */
public final class ConflictException extends GallaException {
    private static final long serialVersionUID = 1;

    ConflictException(String message, About about) {
        super(message, about);
    }
}
