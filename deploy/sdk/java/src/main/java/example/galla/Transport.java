package example.galla;

import java.io.IOException;
import java.util.Map;

/** Sends one HTTP request, once, and follows no redirect. Tests have their own. */
interface Transport {
    /**
     * Sends.
     *
     * @param body null: there is none
     * @throws NotSent there was no connection
     * @throws IOException the connection failed before a whole reply had come
     */
    HttpReply send(String method, String url, Map<String, String> headers, String body) throws IOException, NotSent, InterruptedException;

    /** There was no connection, so nothing was sent. */
    final class NotSent extends Exception {
        private static final long serialVersionUID = 1;

        NotSent(String why) {
            super(why);
        }
    }
}
