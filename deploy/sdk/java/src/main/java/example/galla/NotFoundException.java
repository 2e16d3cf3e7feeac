package example.galla;

/** HTTP 404: no such merchant, route or record of the caller's own. */
public final class NotFoundException extends RefusedException {
    private static final long serialVersionUID = 1;

    NotFoundException(String message, About about) {
        super(message, about);
    }
}
