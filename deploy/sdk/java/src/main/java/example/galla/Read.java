package example.galla;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Members of replies by their types. What is absent or of another type is null: an archived reply has lost most of its fields. */
final class Read {
    private Read() {}

    static String text(Map<?, ?> m, String name) {
        return m.get(name) instanceof String text ? text : null;
    }

    static BigDecimal number(Map<?, ?> m, String name) {
        return m.get(name) instanceof BigDecimal number ? number : null;
    }

    static Long integer(Map<?, ?> m, String name) {
        try {
            return m.get(name) instanceof BigDecimal number ? Long.valueOf(number.longValueExact()) : null;
        } catch (ArithmeticException e) {
            return null;
        }
    }

    static Boolean bool(Map<?, ?> m, String name) {
        return m.get(name) instanceof Boolean flag ? flag : null;
    }

    static <T> T object(Map<?, ?> m, String name, Function<Map<?, ?>, T> from) {
        return m.get(name) instanceof Map<?, ?> members ? from.apply(members) : null;
    }

    static <T> List<T> objects(Map<?, ?> m, String name, Function<Map<?, ?>, T> from) {
        return m.get(name) instanceof List<?> list ? all(list, from) : null;
    }

    static <T> List<T> all(List<?> list, Function<Map<?, ?>, T> from) {
        List<T> all = new ArrayList<>();
        for (Object one : list) {
            if (one instanceof Map<?, ?> members) {
                all.add(from.apply(members));
            }
        }
        return List.copyOf(all);
    }

    static List<String> texts(Map<?, ?> m, String name) {
        if (!(m.get(name) instanceof List<?> list)) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (Object one : list) {
            if (one instanceof String text) {
                texts.add(text);
            }
        }
        return List.copyOf(texts);
    }

    /** The members that a record does not know. */
    static Map<String, Object> more(Map<?, ?> m, String... known) {
        Map<String, Object> more = new LinkedHashMap<>();
        m.forEach((name, value) -> more.put((String) name, value));
        for (String name : known) {
            more.remove(name);
        }
        return more;
    }
}
