package example.galla;

/** HTTP 403, 404, 405, 413, 422: the request is well formed and not allowed. Nothing ran. */
public class RefusedException extends GallaException {
    private static final long serialVersionUID = 1;

    RefusedException(String message, About about) {
        super(message, about);
    }
}
