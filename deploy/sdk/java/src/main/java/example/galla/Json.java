package example.galla;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON, since Java has none: objects are maps, arrays lists, numbers {@link BigDecimal}. The
 * reader refuses what two programs could read differently: names that stand twice, and text
 * behind the value.
 */
public final class Json {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_DIGITS = 64; // of a number; BigDecimal takes quadratic time for long ones

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The text is not JSON. Its message never quotes the text. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String why) {
            super(why);
        }
    }

    /** Reads one value. */
    public static Object parse(String text) throws Malformed {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipBlanks();
        if (json.at != text.length()) {
            throw new Malformed("is not JSON");
        }
        return value;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(char c) {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void want(char c) throws Malformed {
        if (!take(c)) {
            throw new Malformed("is not JSON");
        }
    }

    private Object value(int depth) throws Malformed {
        if (depth > MAX_DEPTH) {
            throw new Malformed("is JSON of too many levels");
        }
        if (take('{')) {
            return object(depth);
        }
        if (take('[')) {
            List<Object> array = new ArrayList<>();
            if (take(']')) {
                return array;
            }
            do {
                array.add(value(depth + 1));
            } while (take(','));
            want(']');
            return array;
        }
        if (take('"')) {
            return string();
        }
        return word();
    }

    private Map<String, Object> object(int depth) throws Malformed {
        Map<String, Object> object = new LinkedHashMap<>();
        if (take('}')) {
            return object;
        }
        do {
            want('"');
            String name = string();
            want(':');
            if (object.containsKey(name)) {
                throw new Malformed("has a member twice");
            }
            object.put(name, value(depth + 1));
        } while (take(','));
        want('}');
        return object;
    }

    private Object word() throws Malformed {
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        switch (word) {
            case "null":
                return null;
            case "true":
                return true;
            case "false":
                return false;
            default:
                if (word.length() > MAX_DIGITS || !word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")) {
                    throw new Malformed("is not JSON");
                }
                return new BigDecimal(word);
        }
    }

    private String string() throws Malformed {
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            if (c < ' ') {
                break;
            }
            if (c != '\\') {
                out.append(c);
                continue;
            }
            if (at == text.length()) {
                break;
            }
            char e = text.charAt(at++);
            int plain = "\"\\/bfnrt".indexOf(e);
            if (plain >= 0) {
                out.append("\"\\/\b\f\n\r\t".charAt(plain));
            } else if (e == 'u' && at + 4 <= text.length() && text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                break;
            }
        }
        throw new Malformed("is not JSON");
    }

    /** Writes maps, lists, strings, booleans and exact numbers. Members that are null are left out. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.toString();
    }

    private static void append(StringBuilder out, Object value) {
        if (value == null) {
            out.append("null");
        } else if (value instanceof Map<?, ?> map) {
            appendObject(out, map);
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object item : list) {
                out.append(separator);
                append(out, item);
                separator = ",";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof String text) {
            appendString(out, text);
        } else if (value instanceof BigDecimal number) {
            out.append(number.toPlainString());
        } else if (value instanceof Boolean || value instanceof Integer || value instanceof Long || value instanceof BigInteger) {
            out.append(value);
        } else {
            // A double is no exact number of rupees. The value itself is not named: it may be secret.
            throw new IllegalArgumentException("a " + value.getClass().getName() + " cannot be written as JSON: use String, Boolean, Integer, Long, BigDecimal, List or Map");
        }
    }

    private static void appendObject(StringBuilder out, Map<?, ?> map) {
        String separator = "";
        out.append('{');
        for (Map.Entry<?, ?> member : map.entrySet()) {
            if (member.getValue() == null) {
                continue;
            }
            out.append(separator);
            appendString(out, (String) member.getKey());
            out.append(':');
            append(out, member.getValue());
            separator = ",";
        }
        out.append('}');
    }

    private static void appendString(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
