package example.galla;

/** HTTP 401: token, client secret, API key, key or clock are wrong. This request did nothing. */
public final class AuthenticationException extends GallaException {
    private static final long serialVersionUID = 1;

    AuthenticationException(String message, About about) {
        super(message, about);
    }
}
