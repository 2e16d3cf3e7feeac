package example.galla;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of a request, by their names on the wire. What is null is left out. {@link #toString} has names only.
 *
 * @param <S> the class of the request
 */
public abstract class Fields<S extends Fields<S>> {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Fields() {}

    @SuppressWarnings("unchecked")
    S put(String name, Object value) {
        values.put(name, value);
        return (S) this;
    }

    /** Whole rupees as a number. */
    static BigDecimal rupees(long rupees) {
        return BigDecimal.valueOf(rupees);
    }

    Map<String, Object> values() {
        Map<String, Object> given = new LinkedHashMap<>(values);
        given.values().removeIf(value -> value == null);
        return given;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + values().keySet();
    }
}
