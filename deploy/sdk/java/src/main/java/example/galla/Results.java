package example.galla;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes results of replies. */
final class Results {
    private Results() {}

    @SuppressWarnings("unchecked")
    static <T> Result<T> cast(Result<?> result) {
        return (Result<T>) result; // the route's data is a T
    }

    static Result<?> of(Prepared call, Answer answer, boolean pending) {
        Route route = call.route();
        Object raw = route.is(Route.Flag.BARE) ? answer.members() : answer.members().get("data");
        Map<?, ?> members = raw instanceof Map<?, ?> m ? m : Map.of();
        State state = pending ? State.PENDING : state(route, answer, members);
        String bank = route.is(Route.Flag.AEPS) ? Read.text(members, "ResponseCode") : null;
        String code = bank != null ? bank : answer.member("statusCode");
        if ((state == State.DECLINED || state == State.REVERSED) && code.equals("00")) {
            code = ""; // the requery of a transfer has no code of the bank
        }
        Map<String, Object> extra = new LinkedHashMap<>();
        if (!route.is(Route.Flag.BARE)) {
            answer.members().forEach((name, value) -> extra.put((String) name, value));
            extra.keySet().removeAll(List.of("statusCode", "message", "data"));
        }
        return new Result<>(state, answer, code, data(route, raw), extra, answer.member("reference"), call.key(), call);
    }

    private static Object data(Route route, Object raw) {
        if (route.data() == null) {
            return raw;
        }
        if (route.is(Route.Flag.LIST)) {
            return raw instanceof List<?> list ? Read.all(list, route.data()) : null;
        }
        return raw instanceof Map<?, ?> members ? route.data().apply(members) : null;
    }

    private static State state(Route route, Answer answer, Map<?, ?> data) {
        if (route.is(Route.Flag.BARE)) {
            return State.SUCCESS;
        }
        if (answer.member("txnStatus").equals("PENDING")) {
            return State.PENDING;
        }
        boolean accepted = answer.member("statusCode").equals("00");
        boolean money = route.kind().equals("money");
        if (route.is(Route.Flag.AEPS) && !data.isEmpty()) {
            Object status = data.get("txnStatus");
            if ("REVERSED".equals(status)) {
                return State.REVERSED;
            }
            return "00".equals(data.get("ResponseCode")) && (status == null || status.equals("SUCCESS")) ? State.SUCCESS : State.DECLINED;
        }
        if ((route.is(Route.Flag.TRANSFER) || money) && data.get("status") instanceof String status) {
            return switch (status) {
                case "SUCCESS", "REFUNDED" -> State.SUCCESS;
                case "PENDING" -> State.PENDING;
                case "REVERSED" -> State.REVERSED;
                default -> State.DECLINED;
            };
        }
        if (money && accepted && data.isEmpty()) {
            return State.PENDING; // 00 alone does not say that money moved
        }
        return accepted ? State.SUCCESS : State.DECLINED;
    }
}
