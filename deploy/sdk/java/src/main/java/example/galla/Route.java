package example.galla;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** One route of the interface, as the OpenAPI document describes it. */
record Route(String method, String path, String kind, Set<Flag> flags, List<String> inPath, List<String> inQuery, List<String> inBody,
             Function<Map<?, ?>, ?> data) {

    /** What a route is. */
    enum Flag {
        /** Takes a key. */
        IDENTITY,
        /** The gateway mirrors it. */
        GATEWAY,
        /** Needs no token. */
        OPEN,
        /** Replies without the envelope. */
        BARE,
        /** txnStatus or ResponseCode in data tells the outcome. */
        AEPS,
        /** status in data tells the outcome. */
        TRANSFER,
        /** data is a list. */
        LIST
    }

    /** A route that the interface does not have. */
    static Route unknown(String method, String path) {
        return new Route(method, path, "", Set.of(), List.of(), List.of(), List.of(), null);
    }

    /** The route of a path, which may have a query; or an unknown one. */
    static Route find(String method, String target) {
        String path = target.split("\\?", 2)[0];
        String[] parts = path.split("/", -1);
        for (Route route : RouteTable.ROUTES) {
            if (route.method.equals(method) && route.matches(parts)) {
                return route;
            }
        }
        return unknown(method, path);
    }

    private boolean matches(String[] parts) {
        String[] names = path.split("/", -1);
        if (names.length != parts.length) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            if (!names[i].equals(parts[i]) && !(names[i].startsWith("{") && !parts[i].isEmpty())) {
                return false;
            }
        }
        return true;
    }

    boolean is(Flag flag) {
        return flags.contains(flag);
    }

    boolean identity() {
        return is(Flag.IDENTITY);
    }

    /** Whether a request that may have arrived can be sent again. */
    boolean repeatable() {
        return identity() || method.equals("GET") || kind.equals("enquiry") || kind.equals("reference");
    }

    /** Whether a pending operation is asked after by aeps/requery. */
    boolean aepsRequery() {
        return identity() && inBody.contains("clientRefId");
    }

    /** Whether a pending operation is asked after by transaction/requery. */
    boolean transferRequery() {
        return path.equals("/dmt/txn/v1/transaction/instant");
    }

    /** Whether a vendor names a merchant. */
    boolean takesMerchant() {
        return inBody.contains("merchantId") || inQuery.contains("merchantId");
    }

    /** The path with its fields, escaped. */
    String fill(Map<String, Object> fields) {
        String filled = path;
        for (String name : inPath) {
            if (!(fields.get(name) instanceof String value) || List.of("", ".", "..").contains(value)) {
                throw new IllegalArgumentException(name + " must be a string that is not empty: it is a part of the path");
            }
            filled = filled.replace("{" + name + "}", escape(value));
        }
        return filled;
    }

    static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
