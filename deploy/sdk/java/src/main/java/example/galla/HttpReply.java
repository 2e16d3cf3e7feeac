package example.galla;

import java.util.Map;

/**
 * A reply as it came.
 *
 * @param headers by their names in lower case
 */
record HttpReply(int status, Map<String, String> headers, byte[] body) {
    @Override
    public String toString() {
        return "HttpReply[status=" + status + "]"; // without its body
    }
}
