import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a shop has and a program does not: a finger on the reader, and a telephone that gets one-time passwords. Here
 * both are the sandbox's.
 */
final class Sandbox {
    private static final String READER = setting("GALLA_READER", "http://127.0.0.1:11100");
    private static final String BANK = setting("GALLA_BANK", "http://127.0.0.1:7300");
    private static final Pattern OTP = Pattern.compile("\"otp\":\"([0-9]+)\"");
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Sandbox() {}

    static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    private static String text(String method, String url, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Accept", "application/json").method(method, HttpRequest.BodyPublishers.ofString(body)).build();
        HttpResponse<String> reply = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 200) {
            throw new IOException("the sandbox answers HTTP " + reply.statusCode() + " at " + url);
        }
        return reply.body();
    }

    /** Lays the finger of one of the sandbox's people on the reader. */
    static void placeFinger(String aadhaar) throws IOException, InterruptedException {
        text("POST", READER + "/sim/finger", "{\"aadhaar\":\"" + aadhaar + "\",\"finger\":\"RIGHT_INDEX\",\"quality\":80}");
    }

    /** One capture, as a registered device's service gives it. It serves one transaction. */
    static String capture() throws IOException, InterruptedException {
        return capture("");
    }

    /** One capture for an e-KYC step, which has UIDAI's wadh besides. */
    static String captureEkyc() throws IOException, InterruptedException, GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest("2.5FYNNN".getBytes(StandardCharsets.US_ASCII));
        return capture("wadh=\"" + Base64.getEncoder().encodeToString(hash) + "\" ");
    }

    private static String capture(String wadh) throws IOException, InterruptedException {
        return text("CAPTURE", READER + "/rd/capture", "<PidOptions ver=\"1.0\"><Opts fCount=\"1\" fType=\"2\" iCount=\"0\" pCount=\"0\" format=\"0\" "
            + "pidVer=\"2.0\" timeout=\"10000\" " + wadh + "posh=\"UNKNOWN\" env=\"P\"/></PidOptions>");
    }

    /** The newest one-time password of a mobile number. */
    static String otp(String mobile) throws IOException, InterruptedException {
        Matcher found = OTP.matcher(text("GET", BANK + "/inbox/" + mobile, ""));
        if (!found.find()) {
            throw new IOException("no one-time password has arrived");
        }
        return found.group(1);
    }
}
