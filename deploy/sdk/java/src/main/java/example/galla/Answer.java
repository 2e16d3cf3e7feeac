package example.galla;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A reply that was read.
 *
 * @param headers by their names in lower case
 * @param members null where it is no JSON object
 * @param why what is wrong with it, or empty
 */
record Answer(int status, Map<String, String> headers, String text, Map<?, ?> members, String why) {
    /** Reads a plain reply. A list as CSV has no envelope: it is the reply's text. */
    static Answer read(HttpReply reply) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(reply.body())).toString();
            if (reply.status() == 200 && reply.headers().getOrDefault("content-type", "").split(";")[0].strip().equalsIgnoreCase("text/csv")) {
                return new Answer(reply.status(), reply.headers(), text, Map.of("statusCode", "00"), "");
            }
            if (Json.parse(text) instanceof Map<?, ?> members) {
                return new Answer(reply.status(), reply.headers(), text, members, "");
            }
        } catch (CharacterCodingException | Json.Malformed e) {
            // reported below
        }
        return refused(reply, "HTTP " + reply.status() + " that is no JSON object: something else answered");
    }

    /** A reply that is believed nothing. */
    static Answer refused(HttpReply reply, String why) {
        return new Answer(reply.status(), reply.headers(), "", null, why);
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /** A member that is a string, or "". */
    String member(String name) {
        return members != null && members.get(name) instanceof String text ? text : "";
    }

    Attempt judge() {
        if (!why.isEmpty() && status != 401 && status != 429 && status < 500) {
            return new Attempt(Attempt.Happened.NOT_GENUINE, status, "", "", -1, false);
        }
        String after = header("retry-after");
        return new Attempt(Attempt.Happened.REPLY, status, member("statusCode"), member("reference"), after.matches("[0-9]{1,6}") ? Long.parseLong(after) : -1, members != null);
    }

    /** What it says, for messages. */
    String words() {
        return why.isEmpty() ? ("HTTP " + status + ", " + member("statusCode") + " " + member("message")).stripTrailing() : why;
    }

    @Override
    public String toString() {
        return "Answer[status=" + status + "]"; // without its text
    }
}
