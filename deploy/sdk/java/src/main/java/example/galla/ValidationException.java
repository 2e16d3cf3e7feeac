package example.galla;

import java.util.List;

/** HTTP 400: fields are missing or malformed. Nothing ran, and the key is not used up. */
public final class ValidationException extends GallaException {
    private static final long serialVersionUID = 1;

    private final transient List<FieldError> fields;

    ValidationException(String message, About about, List<FieldError> fields) {
        super(message, about);
        this.fields = fields;
    }

    /** The wrong fields, all at once. */
    public List<FieldError> fields() {
        return fields;
    }
}
