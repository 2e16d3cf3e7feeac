package example.galla;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The clients against a fake central. */
class ClientsTest {
    private static final String AADHAAR = "999941057058";
    private static final Fake.Reply SUCCESS = data("00", "SUCCESS");
    private static final Fake.Reply PENDING = reply(200, "{'statusCode':'00','message':'Transaction pending','txnStatus':'PENDING','reference':'AEPS-NR-1795253400123'}");
    private static final Fake.Reply BANKS = reply(200, "{'statusCode':'00','message':'Bank list','data':[{'iin':'990326','bankName':'Sandbox'}]}");
    private static final Fake.Reply OPEN_STEP = reply(502, "{'statusCode':'10','message':'no','reference':'AEPS-NR-1'}");

    private Fake fake;

    private static Fake.Reply reply(int status, String text, String... headers) {
        return new Fake.Reply(status, text.replace('\'', '"'), headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]));
    }

    private static Fake.Reply refusal(int status, String code) {
        return reply(status, "{'statusCode':'" + code + "','message':'no'}");
    }

    private static Fake.Reply data(String code, String status) {
        return reply(200, "{'statusCode':'00','message':'m','data':{'ResponseCode':'" + code + "','ResponseStatus':'x','STAN':'000042','Balance':'24500.00','AadharNo':'XXXXXXXX7058','txnStatus':'" + status + "'}}");
    }

    private static Fake.Reply transferred(String code, String status) {
        return reply(200, "{'statusCode':'" + code + "','message':'Transaction pending','data':{'transactionId':'GL1','amount':25.5,'status':'" + status + "'},'reference':'DMT-NR-1'}");
    }

    private DirectClient direct(Fake.Reply... replies) {
        return direct(options -> options, replies);
    }

    private DirectClient direct(Function<Options, Options> change, Fake.Reply... replies) {
        fake = new Fake(false, replies);
        return new DirectClient("http://127.0.0.1:1", "shop", "top-secret", change.apply(fake.options()));
    }

    private GatewayClient gateway(Fake.Reply... replies) {
        fake = new Fake(true, replies);
        return new GatewayClient("http://127.0.0.1:1", "vk_test", Fake.KEY, fake.options());
    }

    private static Params.AepsWithdrawal fields() {
        return new Params.AepsWithdrawal().aadharNo(AADHAAR).txnAmount(new BigDecimal("500.50")).latitude("18.5").longitude("73.8").customerName("आशा/\"देवी\"").pidData("<PidData>finger</PidData>");
    }

    private static Params.DmtTransactionInstant transfer() {
        return new Params.DmtTransactionInstant().senderId("s").beneficiaryId(1001L).amount(25).refId("order-1").otp("482913").receiverAccountNo("001234567811");
    }

    private static <T extends Throwable> T refused(Class<T> kind, String words, Executable does) {
        T error = assertThrows(kind, does);
        assertTrue(error.getMessage().contains(words), error.getMessage());
        return error;
    }

    @Test
    void states() {
        Object[][] cases = {
            {SUCCESS, State.SUCCESS, "00"}, {data("51", "FAILED"), State.DECLINED, "51"}, {data("22", "REVERSED"), State.REVERSED, "22"}, {PENDING, State.PENDING, "00"},
            {data("51", "SUCCESS"), State.DECLINED, "51"}, {reply(200, "{'statusCode':'00','message':'Transaction pending'}"), State.PENDING, "00"},
        };
        for (Object[] c : cases) {
            Result<Data.Withdrawal> result = direct((Fake.Reply) c[0]).aepsWithdrawal(fields());
            assertEquals(c[1], result.state());
            assertEquals(c[2], result.responseCode());
            assertEquals(c[1] == State.SUCCESS, result.ok());
            assertEquals(1, fake.requests.size());
        }
        assertEquals("AEPS-NR-1795253400123", refused(PendingException.class, "pay nothing out", () -> direct(PENDING).aepsWithdrawal(fields()).orThrow()).reference());
        assertEquals("51", refused(DeclinedException.class, "declined: 51", () -> direct(data("51", "FAILED")).aepsWithdrawal(fields()).orThrow()).responseCode());
        Result<Data.Withdrawal> good = direct(SUCCESS).aepsWithdrawal(fields());
        assertSame(good, good.orThrow());
        assertEquals("24500.00", good.data().balance());
        assertNull(good.data().authCode());
    }

    @Test
    void transferStates() {
        Object[][] cases = {{"SUCCESS", "00", State.SUCCESS}, {"FAILED", "55", State.DECLINED}, {"REVERSED", "22", State.REVERSED}, {"PENDING", "00", State.PENDING}};
        for (Object[] c : cases) {
            Result<Data.Transfer> result = direct(transferred((String) c[1], (String) c[0])).dmtTransactionInstant(transfer());
            assertEquals(c[2], result.state());
            assertEquals(c[1], result.responseCode());
            assertEquals(new BigDecimal("25.5"), result.data().amount());
        }
        Object[][] asked = {{"SUCCESS", "00", State.SUCCESS}, {"REFUNDED", "00", State.SUCCESS}, {"FAILED", "", State.DECLINED}, {"REVERSED", "", State.REVERSED}, {"PENDING", "00", State.PENDING}};
        for (Object[] c : asked) {
            Result<Data.TransferState> result = direct(transferred("00", (String) c[0])).dmtTransactionRequery(new Params.DmtTransactionRequery().refId("order-1"));
            assertEquals(c[2], result.state());
            assertEquals(c[1], result.responseCode());
        }
    }

    @Test
    void otherReplies() {
        Result<Data.Customer> none = direct(refusal(200, "01")).dmtCustomerGetDetail(new Params.DmtCustomerGetDetail().mobileNumber("9000000001"));
        assertEquals(State.DECLINED, none.state());
        assertNull(none.data());
        assertEquals("AEPS", direct(reply(200, "{'merchantId':'m','service':'AEPS'}")).aepsInitialize().data().service());
        assertEquals(true, direct(reply(200, "{'statusCode':'00','message':'m','data':[],'sandbox':true}")).limits().extra().get("sandbox"));
        assertEquals("990326", direct(BANKS).aepsBanks().data().get(0).iin());
        Data.Progress open = direct(reply(200, "{'statusCode':'00','message':'m','data':{'status':'X','new':1}}")).aepsStatusCheck().data();
        assertEquals("X", open.status());
        assertEquals(Map.of("new", BigDecimal.ONE), open.more());
    }

    @Test
    void bodyAndPlaces() {
        direct(SUCCESS).aepsWithdrawal(fields());
        Fake.Request request = fake.requests.get(0);
        assertEquals("{\"AadharNo\":\"999941057058\",\"TxnAmount\":500.50,\"Latitude\":\"18.5\",\"Longitude\":\"73.8\",\"CustomerName\":\"आशा/\\\"देवी\\\"\",\"PidData\":\"<PidData>finger</PidData>\"}", request.body());
        assertEquals("Bearer token-1", request.headers().get("authorization"));
        DirectClient client = direct(SUCCESS, SUCCESS, SUCCESS, SUCCESS);
        client.vendorCommissionEarnings(new Params.VendorCommissionEarnings().vendorId("a/b").from("2026-11-01").groupBy("day,type"));
        client.terminalsDelete(new Params.TerminalsDelete().id("t1").merchantId("m"));
        client.aepsRequery(new Params.AepsRequery().clientRefId("r").reference(null));
        client.aepsBanks();
        assertEquals(List.of("GET /vendor-commission/a%2Fb/earnings?from=2026-11-01&groupBy=day%2Ctype", "DELETE /terminals/t1", "POST /aeps/requery", "GET /aeps/banks"),
            fake.requests.stream().map(r -> r.method() + " " + r.path()).toList());
        assertEquals(Arrays.asList(null, "{\"merchantId\":\"m\"}", "{\"clientRefId\":\"r\"}", null), fake.bodies());
        refused(IllegalArgumentException.class, "id must be", () -> client.operationsGet(new Params.OperationsGet()));
    }

    @Test
    void merchantOfTheClient() {
        DirectClient client = direct(options -> options.merchantId("mine"), SUCCESS, SUCCESS, BANKS);
        client.aepsRequery(new Params.AepsRequery().clientRefId("r"));
        client.aepsRequery(new Params.AepsRequery().clientRefId("r").merchantId("other"));
        client.aepsBanks();
        assertEquals(Arrays.asList("{\"clientRefId\":\"r\",\"merchantId\":\"mine\"}", "{\"clientRefId\":\"r\",\"merchantId\":\"other\"}", null), fake.bodies());
    }

    @Test
    void addresses() {
        for (String url : List.of("http://api.example.in", "http://10.0.0.1:7100", "http://127.0.0.1.example.in")) {
            refused(IllegalArgumentException.class, "https", () -> new DirectClient(url, "a", "b"));
            new DirectClient(url, "a", "b", new Options().insecure());
        }
        for (String url : List.of("https://api.example.in/v1", "ftp://x", "api.example.in", "https://user:pw@x", "https://x?y", "https://x y")) {
            refused(IllegalArgumentException.class, "baseUrl", () -> new DirectClient(url, "a", "b", new Options().insecure()));
        }
    }

    @Test
    void tokens() {
        DirectClient client = direct(BANKS, BANKS, BANKS);
        client.aepsBanks();
        fake.now += 839_000;
        client.aepsBanks();
        assertEquals(1, fake.tokens.size());
        fake.now += 2_000;
        client.aepsBanks();
        assertEquals(List.of("Bearer token-1", "Bearer token-1", "Bearer token-2"), fake.requests.stream().map(r -> r.headers().get("authorization")).toList());
        assertEquals("grant_type=client_credentials", fake.tokens.get(0).body());
        assertEquals("Basic c2hvcDp0b3Atc2VjcmV0", fake.tokens.get(0).headers().get("authorization"));
        assertTrue(direct(refusal(401, "03"), SUCCESS).aepsWithdrawal(fields()).ok());
        assertEquals(2, fake.tokens.size());
        assertEquals(1, new HashSet<>(fake.keys()).size());
        refused(AuthenticationException.class, "401", () -> direct(refusal(401, "03"), refusal(401, "03")).aepsWithdrawal(fields()));
        assertEquals(2, fake.requests.size());
        DirectClient wrong = direct();
        fake.tokenReplies.add(refusal(401, "03"));
        refused(AuthenticationException.class, "401", wrong::aepsBanks);
        assertEquals(List.of(), fake.requests);
        direct(reply(201, "{'statusCode':'00','message':'m','data':{}}")).terminalsEnrol(new Params.TerminalsEnrol().code("ABCD").publicKey("k").name("n"));
        assertEquals(0, fake.tokens.size());
        assertNull(fake.requests.get(0).headers().get("authorization"));
    }

    @Test
    void threadsShareOneRequestForAToken() throws Exception {
        DirectClient client = direct(Collections.nCopies(8, BANKS).toArray(Fake.Reply[]::new));
        List<Thread> threads = Collections.nCopies(8, (Runnable) client::aepsBanks).stream().map(Thread::new).toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, fake.tokens.size());
        assertEquals(8, fake.requests.size());
    }

    @Test
    void retries() {
        Result<Data.Withdrawal> result = direct(Fake.DROP, Fake.DROP, SUCCESS).aepsWithdrawal(fields());
        assertEquals(Collections.nCopies(3, result.idempotencyKey()), fake.keys());
        assertEquals(1, new HashSet<>(fake.bodies()).size());
        assertEquals(List.of(250L, 500L), fake.sleeps);
        direct(Fake.DROP, SUCCESS).aepsWithdrawal(fields(), "order-1");
        assertEquals(List.of("order-1", "order-1"), fake.keys());
        for (String key : List.of("", "ä", "a b", "x".repeat(129))) {
            refused(IllegalArgumentException.class, "idempotencyKey", () -> direct().aepsWithdrawal(fields(), key));
        }
        OutcomeUnknownException unknown = refused(OutcomeUnknownException.class, "same key", () -> direct(Collections.nCopies(9, Fake.DROP).toArray(Fake.Reply[]::new)).aepsWithdrawal(fields()));
        assertEquals(4, fake.requests.size());
        assertEquals(fake.keys().get(0), unknown.idempotencyKey());
        for (Fake.Reply lost : List.of(Fake.DROP, refusal(500, "500"))) {
            assertThrows(OutcomeUnknownException.class, () -> direct(lost, SUCCESS).terminalsCreate(new Params.TerminalsCreate().name("t")));
            assertEquals(Collections.singletonList(null), fake.keys());
        }
        refused(NotSentException.class, "same key", () -> direct(Fake.CLOSED, Fake.CLOSED, Fake.CLOSED, Fake.CLOSED).terminalsCreate());
        assertTrue(direct(Fake.DROP, BANKS).aepsBanks().ok());
    }

    @Test
    void rates() {
        assertTrue(direct(reply(429, "{'statusCode':'07'}", "retry-after", "7"), SUCCESS).aepsWithdrawal(fields()).ok());
        assertEquals(List.of(7_000L), fake.sleeps);
        RateLimitException limited = refused(RateLimitException.class, "same key", () -> direct(reply(429, "{'statusCode':'07'}", "retry-after", "31"), SUCCESS).aepsWithdrawal(fields()));
        assertEquals(31, limited.retryAfter());
        assertEquals(1, fake.requests.size());
    }

    @Test
    void refusalAfterALostReplyTellsNothingOfTheFirst() {
        for (Fake.Reply second : List.of(refusal(429, "07"), refusal(403, "01"), refusal(404, "04"), refusal(422, "05"), Fake.CLOSED)) {
            assertThrows(OutcomeUnknownException.class, () -> direct(options -> options.attempts(2), Fake.DROP, second).aepsWithdrawal(fields()));
        }
        assertThrows(NotSentException.class, () -> direct(Fake.DROP, refusal(502, "10")).aepsWithdrawal(fields()));
        assertThrows(RefusedException.class, () -> direct(Fake.DROP, reply(422, "{'statusCode':'05','message':'no'}", "idempotent-replayed", "true")).aepsWithdrawal(fields()));
    }

    @Test
    void bankUnreachableAndServerErrors() {
        refused(NotSentException.class, "new key", () -> direct(refusal(502, "10"), SUCCESS).aepsWithdrawal(fields()));
        assertEquals(1, fake.requests.size());
        assertTrue(direct(OPEN_STEP, reply(200, "{'statusCode':'00','message':'m','data':{'status':'X'}}")).aepsSubmit().ok());
        Result<Data.Progress> result = direct(OPEN_STEP, OPEN_STEP, OPEN_STEP, OPEN_STEP).aepsSubmit();
        assertEquals(State.PENDING, result.state());
        assertEquals("AEPS-NR-1", result.reference());
        assertTrue(direct(refusal(502, "10"), refusal(200, "00")).dmtRemitterDetails(new Params.DmtRemitterDetails().senderMobilenumber("9000000001")).ok());
        assertTrue(direct(refusal(500, "500"), reply(503, "<html>busy</html>"), reply(502, ""), SUCCESS).aepsWithdrawal(fields()).ok());
        assertEquals(1, new HashSet<>(fake.keys()).size());
        refused(OutcomeUnknownException.class, "something else answered", () -> direct(reply(200, "<html>portal</html>"), SUCCESS).aepsWithdrawal(fields()));
        assertEquals(1, fake.requests.size());
    }

    @Test
    void refusals() {
        ValidationException invalid = refused(ValidationException.class, "TxnAmount must have", () -> direct(
            reply(400, "{'statusCode':'02','message':'Invalid request','data':{'errors':[{'field':'TxnAmount','rule':'decimals','message':'must have at most two decimals'}]}}")).aepsWithdrawal(fields()));
        assertEquals(List.of(new FieldError("TxnAmount", "decimals", "must have at most two decimals")), invalid.fields());
        assertEquals("02 request-1 400", invalid.statusCode() + " " + invalid.requestId() + " " + invalid.httpStatus());
        Map<Integer, Class<? extends GallaException>> kinds = Map.of(403, RefusedException.class, 404, NotFoundException.class, 409, ConflictException.class, 422, RefusedException.class);
        kinds.forEach((status, kind) -> {
            assertThrows(kind, () -> direct(refusal(status, "05"), SUCCESS).aepsWithdrawal(fields()));
            assertEquals(1, fake.requests.size());
        });
    }

    @Test
    void awaitAeps() {
        DirectClient client = direct(options -> options.attempts(1), PENDING, PENDING, Fake.DROP, SUCCESS);
        Result<Data.Withdrawal> first = client.aepsWithdrawal(fields().merchantId("m"));
        Result<Data.Withdrawal> result = client.await(first);
        assertTrue(result.ok());
        assertEquals("24500.00", result.data().balance());
        assertEquals(first.idempotencyKey(), result.idempotencyKey());
        assertEquals(List.of(1_000L, 2_000L, 4_000L), fake.sleeps);
        assertEquals("/aeps/requery {\"merchantId\":\"m\",\"reference\":\"AEPS-NR-1795253400123\"}", fake.requests.get(1).path() + " " + fake.requests.get(1).body());
        DirectClient other = direct(PENDING, data("51", "FAILED"));
        assertEquals("51", other.await(other.aepsWithdrawal(fields().clientRefId("mine"))).responseCode());
        assertEquals("{\"clientRefId\":\"mine\"}", fake.requests.get(1).body());
        DirectClient patient = direct(Collections.nCopies(9, PENDING).toArray(Fake.Reply[]::new));
        assertTrue(patient.await(patient.aepsWithdrawal(fields()), Duration.ofSeconds(10)).isPending());
        assertEquals(10_000, fake.sleeps.stream().mapToLong(Long::longValue).sum());
        assertSame(result, client.await(result));
    }

    @Test
    void awaitTransferRefundAndStep() {
        Map<String, State> states = Map.of("SUCCESS", State.SUCCESS, "REFUNDED", State.SUCCESS, "FAILED", State.DECLINED, "REVERSED", State.REVERSED);
        states.forEach((status, state) -> {
            DirectClient client = direct(transferred("00", "PENDING"), transferred("00", "PENDING"), transferred("00", status));
            Result<Data.Transfer> result = client.await(client.dmtTransactionInstant(transfer()));
            assertEquals(state, result.state());
            assertEquals("GL1", result.data().transactionId());
            assertEquals("{\"refId\":\"order-1\"}", fake.requests.get(2).body());
        });
        DirectClient client = direct(transferred("00", "PENDING"), reply(200, "{'statusCode':'00','message':'m','data':{'refundId':'GL2','amount':25}}"));
        Result<Data.DmtRefundData> refund = client.await(client.dmtRefund(new Params.DmtRefund().transactionId("GL1").refId("order-1").otp("123456")));
        assertEquals("GL2", refund.data().refundId());
        assertEquals(1, new HashSet<>(fake.keys()).size());
        assertEquals(1, new HashSet<>(fake.bodies()).size());
        DirectClient step = direct(options -> options.attempts(1), OPEN_STEP, refusal(502, "10"));
        assertThrows(NotSentException.class, () -> step.await(step.aepsSubmit()));
    }

    @Test
    void interruption() {
        fake = new Fake(false, Fake.DROP, SUCCESS);
        Options options = fake.options();
        options.sleeper = millis -> {
            throw new InterruptedException();
        };
        refused(OutcomeUnknownException.class, "interrupted", () -> new DirectClient("http://127.0.0.1:1", "shop", "s", options).aepsWithdrawal(fields()));
        assertTrue(Thread.interrupted());
    }

    @Test
    void gatewaySealsAnew() throws Exception {
        fake = new Fake(true, Fake.DROP, reply(429, "{'statusCode':'07'}", "retry-after", "2"), SUCCESS);
        GatewayClient client = new GatewayClient("http://127.0.0.1:1", "vk_test", Fake.KEY, fake.options().merchantId("mine"));
        Result<Data.Withdrawal> result = client.aepsWithdrawal(fields());
        assertTrue(result.ok());
        assertEquals(1, new HashSet<>(List.of(fake.open(0), fake.open(1), fake.open(2))).size());
        assertTrue(fake.open(0).endsWith("\"merchantId\":\"mine\"}"));
        assertEquals(Collections.nCopies(3, result.idempotencyKey()), fake.keys());
        assertEquals(3, new HashSet<>(fake.requests.stream().map(r -> r.headers().get("x-iv")).toList()).size());
        assertEquals("/process/aeps/withdrawal", fake.requests.get(0).path());
        GatewayClient other = gateway(SUCCESS, SUCCESS);
        other.dmtCustomerStatusCheck(new Params.DmtCustomerStatusCheck().referenceid("r"));
        other.vendorCommissionEarnings(new Params.VendorCommissionEarnings().vendorId("v").from("2026-11-01"));
        assertEquals(List.of("{\"referenceid\":\"r\"}", "{\"from\":\"2026-11-01\"}"), List.of(fake.open(0), fake.open(1)));
        for (String key : List.of("order-1", "BD97163B-32D4-49F5-85E5-F63C15CE68B0")) {
            refused(IllegalArgumentException.class, "UUID", () -> gateway().aepsWithdrawal(fields(), key));
        }
        assertThrows(NotFoundException.class, () -> gateway(refusal(404, "01")).aepsWithdrawal(fields()));
    }

    @Test
    void gatewayRefusesWhatIsNotGenuine() {
        Fake.Reply plain401 = reply(401, "{'statusCode':'03'}", "plain", "1");
        Fake.Reply plain429 = new Fake.Reply(429, "{}", Map.of("plain", "1", "retry-after", "1"));
        refused(AuthenticationException.class, "look at the client id, the key, the clock", () -> gateway(plain401).aepsWithdrawal(fields()));
        assertEquals(1, fake.requests.size());
        assertTrue(gateway(plain401, BANKS).aepsBanks().ok());
        refused(AuthenticationException.class, "not authenticated", () -> gateway(plain401, plain401).aepsBanks());
        assertThrows(OutcomeUnknownException.class, () -> gateway(Fake.DROP, plain401).aepsWithdrawal(fields()));
        assertTrue(gateway(plain429, SUCCESS).aepsWithdrawal(fields()).ok());
        assertThrows(OutcomeUnknownException.class, () -> gateway(plain429, plain429, plain429, plain429).aepsWithdrawal(fields()));
        refused(OutcomeUnknownException.class, "something else answered", () -> gateway(reply(200, "{}", "plain", "1")).aepsWithdrawal(fields()));
        Map<String, Function<Envelope.Message, Envelope.Message>> spoils = Map.of(
            "checksum is wrong", m -> m.signed("0".repeat(64)),
            "another call", m -> new Envelope.Message("", m.timestamp(), "bd97163b-32d4-49f5-85e5-f63c15ce68b0", m.iv(), m.tag(), "", m.payload()),
            "not now", m -> new Envelope.Message("", "1700000000000", m.requestId(), m.iv(), m.tag(), "", m.payload()),
            "does not decrypt", m -> new Envelope.Message("", m.timestamp(), m.requestId(), m.iv(), "AAAAAAAAAAAAAAAAAAAAAA==", "", m.payload()),
            "12 bytes", m -> new Envelope.Message("", m.timestamp(), m.requestId(), "AAAA", m.tag(), "", m.payload()));
        spoils.forEach((words, spoil) -> {
            GatewayClient client = gateway(SUCCESS, SUCCESS);
            fake.spoil = spoil::apply;
            refused(OutcomeUnknownException.class, words, () -> client.aepsWithdrawal(fields()));
            assertEquals(1, fake.requests.size());
        });
        for (String key : List.of("", Fake.KEY.substring(1), Fake.KEY + "0")) {
            refused(IllegalArgumentException.class, "64 hex or 44 base64", () -> new GatewayClient("https://g.example.in", "a", key));
        }
    }

    @Test
    void genericCall() {
        Result<Object> result = direct(SUCCESS).call("POST", "/aeps/withdrawal", "{\"TxnAmount\":5e2}", "mine");
        assertEquals("success mine {\"TxnAmount\":5e2}", result.state() + " " + fake.keys().get(0) + " " + fake.bodies().get(0));
        assertTrue(result.data() instanceof Map<?, ?> m && m.get("STAN").equals("000042"));
        Result<Object> csv = direct(reply(200, "id,amount\r\n", "content-type", "text/csv; charset=utf-8")).call("GET", "/vendor/operations?format=csv", null);
        assertEquals("success 00 null id,amount\r\n", csv.state() + " " + csv.statusCode() + " " + csv.data() + " " + csv.reply());
    }

    @Test
    void nothingSecretIsShown() {
        DirectClient client = direct(PENDING, refusal(409, "09"));
        Result<Data.Withdrawal> result = client.aepsWithdrawal(fields());
        ConflictException conflict = assertThrows(ConflictException.class, () -> client.dmtTransactionInstant(transfer()));
        Data.EnrolmentCode code = Data.EnrolmentCode.from(Map.of("code", "ABCD-EFGH", "expiresAt", "2026"));
        String shown = String.join("|", client.toString(), result.toString(), conflict.toString(), fields().toString(), transfer().toString(), result.prepared().toString(), code.toString(),
            new GatewayClient("https://g.example.in", "a", Fake.KEY).toString());
        for (String secret : List.of("top-secret", "dG9wLXNlY3JldA", "token-1", AADHAAR, "finger", Fake.KEY, "482913", "ABCD-EFGH")) {
            assertFalse(shown.contains(secret), secret);
        }
        assertTrue(shown.contains("shop") && shown.contains(result.reference()) && shown.contains("TxnAmount"));
    }
}
