package example.galla;

/** Nothing reached the bank, and no money moved. After HTTP 502 the key is used up: try again with a new one. Where no connection could be made (httpStatus is 0), the same key is as good. */
public final class NotSentException extends GallaException {
    private static final long serialVersionUID = 1;

    NotSentException(String message, About about) {
        super(message, about);
    }
}
