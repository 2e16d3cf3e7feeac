package example.galla;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;

/** HTTP by java.net.http. */
final class Http implements Transport {
    private static final int MAX_REPLY_BYTES = 4 << 20;
    private static final int MAX_CSV_BYTES = 64 << 20;
    private static final Duration MAX_CONNECT = Duration.ofSeconds(10);

    private final HttpClient client;
    private final Duration timeout;

    Http(Duration timeout) {
        this.timeout = timeout;
        this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout.compareTo(MAX_CONNECT) < 0 ? timeout : MAX_CONNECT).build();
    }

    @Override
    public HttpReply send(String method, String url, Map<String, String> headers, String body) throws IOException, NotSent, InterruptedException {
        HttpRequest.BodyPublisher publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).method(method, publisher);
        headers.forEach(request::header);
        // The client's own time-out ends with the headers of the reply; this one is for all of it.
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request.build(), info -> new LimitedBody(info.headers().firstValue("Content-Type").orElse("").startsWith("text/csv") ? MAX_CSV_BYTES : MAX_REPLY_BYTES));
        try {
            HttpResponse<byte[]> reply = sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            Map<String, String> found = new HashMap<>();
            reply.headers().map().forEach((name, values) -> found.put(name.toLowerCase(Locale.ROOT), values.get(0)));
            return new HttpReply(reply.statusCode(), found, reply.body());
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new IOException("no reply in time");
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException || cause instanceof SSLHandshakeException) {
                throw new NotSent("no connection (" + cause.getClass().getSimpleName() + ")");
            }
            // Texts of exceptions can hold bytes of the reply, so only the kind is told.
            throw new IOException("no reply (" + cause.getClass().getSimpleName() + ")");
        }
    }

    /** Collects a body, and ends the connection where it is too long. */
    private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
        private final int limit;
        private Flow.Subscription subscription;

        LimitedBody(int limit) {
            this.limit = limit;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return whole;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                byte[] part = new byte[buffer.remaining()];
                buffer.get(part);
                parts.writeBytes(part);
            }
            if (parts.size() > limit) {
                subscription.cancel();
                whole.completeExceptionally(new IOException("the reply is too long"));
            }
        }

        @Override
        public void onError(Throwable error) {
            whole.completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            whole.complete(parts.toByteArray());
        }
    }
}
