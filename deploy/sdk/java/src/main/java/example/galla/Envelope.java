package example.galla;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The gateway's sealed message, version 1: AES-256-GCM, and a checksum over the rest.
 *
 * <p>{@link GatewayClient} does all of this by itself. The methods are here for programs that
 * bring an HTTP client of their own, and for tests against the vectors.
 */
public final class Envelope {
    private static final int IV_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Envelope() {}

    /** One message: the six headers, and the payload of the body {"payload": "…"}. A reply has no client id. */
    public record Message(String clientId, String timestamp, String requestId, String iv, String tag, String checksum, String payload) {
        Message signed(String checksum) {
            return new Message(clientId, timestamp, requestId, iv, tag, checksum, payload);
        }
    }

    /** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
    public static byte[] fromBase64(String text, String name) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            if (toBase64(bytes).equals(text)) { // the decoder takes missing padding and loose bits
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new EnvelopeException(name + " is not padded base64 of the standard alphabet");
    }

    /** Encodes as the gateway reads it. */
    public static String toBase64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes); // getMimeEncoder breaks lines: not that one
    }

    /** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
    public static byte[] parseKey(String text) {
        if (text.matches("[0-9a-fA-F]{64}")) {
            return HexFormat.of().parseHex(text);
        }
        if (text.length() == 44) {
            byte[] key = fromBase64(text, "the key");
            if (key.length == 32) {
                return key;
            }
        }
        throw new EnvelopeException("a key is 32 bytes: 64 hex or 44 base64 characters"); // never print the key itself
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The HMAC over lines joined by \n, in lower-case hex. */
    public static String checksum(byte[] key, String... lines) throws GeneralSecurityException {
        byte[] checksumKey = hmac(key, "galla/gateway/checksum/v1");
        return HexFormat.of().formatHex(hmac(checksumKey, String.join("\n", lines)));
    }

    /** The checksum of a request. */
    public static String requestChecksum(byte[] key, String method, String path, Message m) throws GeneralSecurityException {
        return checksum(key, "galla-v1", method, path, m.clientId, m.timestamp, m.requestId, m.iv, m.tag, m.payload);
    }

    /** The checksum of a reply. */
    public static String replyChecksum(byte[] key, int status, Message m) throws GeneralSecurityException {
        return checksum(key, "galla-v1-response", Integer.toString(status), m.requestId, m.timestamp, m.iv, m.tag, m.payload);
    }

    private static Cipher cipher(int mode, byte[] key, byte[] iv) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG_BYTES, iv));
        return cipher;
    }

    /** AES-256-GCM. Java appends the tag: it travels in its own header, so cut it off. The checksum is still missing. */
    public static Message encrypt(byte[] key, byte[] iv, String clientId, String timestamp, String requestId, String json) throws GeneralSecurityException {
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, iv).doFinal(json.getBytes(StandardCharsets.UTF_8));
        int end = sealed.length - TAG_BYTES;
        String tag = toBase64(Arrays.copyOfRange(sealed, end, sealed.length));
        return new Message(clientId, timestamp, requestId, toBase64(iv), tag, "", toBase64(Arrays.copyOf(sealed, end)));
    }

    /** Opens a payload. */
    public static String decrypt(byte[] key, Message m) throws GeneralSecurityException {
        byte[] iv = fromBase64(m.iv, "X-IV");
        byte[] tag = fromBase64(m.tag, "X-Tag");
        if (iv.length != IV_BYTES || tag.length != TAG_BYTES) {
            throw new EnvelopeException("X-IV must have 12 bytes and X-Tag 16");
        }
        byte[] payload = fromBase64(m.payload, "payload");
        byte[] sealed = Arrays.copyOf(payload, payload.length + TAG_BYTES);
        System.arraycopy(tag, 0, sealed, payload.length, TAG_BYTES);
        try {
            return new String(cipher(Cipher.DECRYPT_MODE, key, iv).doFinal(sealed), StandardCharsets.UTF_8);
        } catch (AEADBadTagException e) {
            throw new EnvelopeException("the payload does not decrypt");
        }
    }

    /**
     * Seals one request. json is the text of a JSON object: it is sealed as it is,
     * so write it once and keep it for a retry. The IV must be new for every
     * message, and so must the timestamp; the request id stays for a retry.
     */
    public static Message sealRequest(byte[] key, String method, String path, String clientId, String requestId, String json, long nowMillis) throws GeneralSecurityException {
        byte[] iv = new byte[IV_BYTES];
        RANDOM.nextBytes(iv);
        Message m = encrypt(key, iv, clientId, Long.toString(nowMillis), requestId, json);
        return m.signed(requestChecksum(key, method, path, m));
    }

    /** Opens one reply, or throws where it is not genuine. Nothing is decrypted before the checksum is right. */
    public static String openReply(byte[] key, int status, Message m) throws GeneralSecurityException {
        byte[] wanted = replyChecksum(key, status, m).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(wanted, m.checksum.getBytes(StandardCharsets.UTF_8))) { // constant time
            throw new EnvelopeException("the checksum is wrong");
        }
        return decrypt(key, m);
    }
}
