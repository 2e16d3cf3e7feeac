package example.galla;

import java.util.Map;

/**
 * A call that can be sent again: the same text under the same key.
 *
 * @param target the path, with ?query where there is one
 * @param key empty where the route takes none
 * @param fields as the caller gave them
 * @param text the body; null: there is none
 */
record Prepared(Route route, String target, String key, Map<String, Object> fields, String text) {
    @Override
    public String toString() {
        return route + " (key " + key + ")"; // without fields and text
    }
}
