import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import example.galla.BaseClient;
import example.galla.CallbackEvent;
import example.galla.CallbackException;
import example.galla.Callbacks;
import example.galla.Data;
import example.galla.DirectClient;
import example.galla.GatewayClient;
import example.galla.GatewayRoutes;
import example.galla.Options;
import example.galla.Params;
import example.galla.Result;
import example.galla.State;
import example.galla.ValidationException;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A partner's day against the sandbox: withdraw, transfer and refund, directly and through the gateway, and a callback
 * for each operation that was pending.
 *
 * <pre>
 *   make run                                  in another terminal
 *   galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla
 *   javac -cp galla-sdk-VERSION.jar -d out examples/*.java
 *   GALLA_CALLBACK_SECRET=whsec_… java -cp galla-sdk-VERSION.jar:out Story
 * </pre>
 */
public final class Story {
    private static final String CUSTOMER = "999971658847";
    private static final String SENDER = "999990501894";

    private final String mobile = "98" + digits(8);
    private final BlockingQueue<CallbackEvent> events = new LinkedBlockingQueue<>();
    private final Callbacks callbacks = new Callbacks(System.getenv("GALLA_CALLBACK_SECRET"));

    public static void main(String[] args) throws Exception {
        new Story().play();
    }

    private void play() throws Exception {
        int port = Integer.parseInt(Sandbox.setting("GALLA_CALLBACK_PORT", "7400"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/galla", this::receive);
        server.start();
        try {
            String baseUrl = Sandbox.setting("GALLA_CENTRAL", "http://127.0.0.1:7100");
            // The sandbox's parties are public, and work nowhere else.
            DirectClient direct = new DirectClient(baseUrl, "merchant-lakshmi", "sandbox-merchant-1");
            GatewayClient gateway = new GatewayClient(baseUrl, "vk_sandbox_sahyadri", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                new Options().merchantId("c0000000-0000-4000-8000-000000000001"));
            String senderId = onboard(direct);
            Map<String, GatewayRoutes> doors = new LinkedHashMap<>();
            doors.put("direct", direct);
            doors.put("gateway", gateway);
            Map<String, String> waiting = new LinkedHashMap<>();
            for (Map.Entry<String, GatewayRoutes> door : doors.entrySet()) {
                waiting.put(door.getKey(), withdraw(door.getKey(), door.getValue()));
                transfer(door.getKey(), door.getValue(), senderId);
            }
            awaitCallbacks(waiting);
            System.out.println("story: all right");
        } finally {
            server.stop(0);
        }
    }

    private static void check(boolean ok, Object what) {
        if (!ok) {
            throw new IllegalStateException("not as expected: " + what);
        }
    }

    private static String digits(int n) {
        return ThreadLocalRandom.current().ints(n, 0, 10).collect(StringBuilder::new, StringBuilder::append, StringBuilder::append).toString();
    }

    /** The fields of a withdrawal, with a new capture. */
    private static Params.AepsWithdrawal withdrawal(String rupees) throws IOException, InterruptedException {
        return new Params.AepsWithdrawal().aadharNo(CUSTOMER).txnAmount(new BigDecimal(rupees)).latitude("18.5204").longitude("73.8567")
            .customerName("Kumar Agarwal").bankName("607094").pidData(Sandbox.capture());
    }

    /** Withdrawals; gives the reference of the one that was pending at first. */
    private String withdraw(String door, GatewayRoutes client) throws IOException, InterruptedException {
        Sandbox.placeFinger(CUSTOMER);
        Result<Data.Withdrawal> paid = client.aepsWithdrawal(withdrawal("100.00"));
        check(paid.ok(), paid);
        System.out.println(door + ": withdraw 100.00: " + paid.state());

        Result<Data.Withdrawal> declined = client.aepsWithdrawal(withdrawal("100.51"));
        check(declined.state() == State.DECLINED && declined.responseCode().equals("51"), declined);
        System.out.println(door + ": withdraw 100.51: " + declined.state() + ", " + declined.responseCode());

        String key = BaseClient.newKey(); // stored by a real program, before it calls
        Result<Data.Withdrawal> result = client.aepsWithdrawal(withdrawal("100.94"), key);
        check(result.isPending(), result);
        System.out.println(door + ": withdraw 100.94: " + result.state());
        result = client.await(result, Duration.ofMinutes(1));
        check(result.ok(), result);
        System.out.println(door + ": withdraw 100.94: " + result.state());

        try {
            client.aepsWithdrawal(withdrawal("1.005"));
            check(false, "three decimals were taken");
        } catch (ValidationException e) {
            check(e.fields().stream().anyMatch(one -> one.field().equals("TxnAmount")), e.getMessage());
            System.out.println(door + ": withdraw 1.005: ValidationError of TxnAmount");
        }
        return result.data().retailerReferenceNumber();
    }

    /** Onboards a customer, once for each: then she is a remitter. Gives her id. */
    private String onboard(DirectClient client) throws Exception {
        String id = client.dmtCustomerOnboarding(new Params.DmtCustomerOnboarding().name("Anisha Jay Kapoor").mobileNo(mobile).city("Pune").state("Maharashtra")).orThrow().data().referenceid();
        String otpreqid = client.dmtCustomerRequestOtp(new Params.DmtCustomerRequestOtp().referenceid(id)).orThrow().data().otpreqid();
        client.dmtCustomerValidateOtp(new Params.DmtCustomerValidateOtp().referenceid(id).otpreqid(otpreqid).otp(Sandbox.otp(mobile))).orThrow();
        client.dmtCustomerVerifyUid(new Params.DmtCustomerVerifyUid().referenceid(id).aadhaarno(SENDER)).orThrow();
        Sandbox.placeFinger(SENDER);
        client.dmtCustomerUpdatebiodetail(new Params.DmtCustomerUpdatebiodetail().referenceid(id).aadhaarno(SENDER).pidData(Sandbox.captureEkyc())).orThrow();
        client.dmtCustomerSubmit(new Params.DmtCustomerSubmit().referenceid(id)).orThrow();
        String senderId = client.dmtRemitterRegister(new Params.DmtRemitterRegister().senderMobilenumber(mobile)).orThrow().data().senderid();
        System.out.println("direct: a new remitter");
        return senderId;
    }

    private void transfer(String door, GatewayRoutes client, String senderId) throws Exception {
        String account = "0012345" + digits(4) + "1";
        String ifsc = "HDFC0000123";
        BigDecimal amount = new BigDecimal("25.00");
        client.dmtBeneficiaryAccountVerification(new Params.DmtBeneficiaryAccountVerification().senderId(senderId).receiverAccountNo(account).receiverIfscCode(ifsc)).orThrow();
        Long beneficiary = client.dmtBeneficiaryAdd(new Params.DmtBeneficiaryAdd().senderId(senderId).receivername("Sunita Choudhury").receiverAccountNo(account).receiverIfscCode(ifsc))
            .orThrow().data().beneficiaryid();
        client.dmtTransactionOtp(new Params.DmtTransactionOtp().senderId(senderId).amount(amount).receiverAccountNo(account).receiverIfscCode(ifsc)).orThrow();
        String refId = BaseClient.newKey(); // the transfer's identity, stored before it is sent
        Result<Data.Transfer> sent = client.dmtTransactionInstant(new Params.DmtTransactionInstant().senderId(senderId).beneficiaryId(beneficiary).amount(amount).refId(refId)
            .otp(Sandbox.otp(mobile)).receiverAccountNo(account).receiverIfscCode(ifsc).accountHolderName("Sunita Choudhury")).orThrow();
        System.out.println(door + ": transfer 25.00: " + sent.state());

        String transaction = sent.data().transactionId();
        client.dmtTransactionRefundOtp(new Params.DmtTransactionRefundOtp().refereanceId(transaction)).orThrow();
        Result<?> back = client.dmtRefund(new Params.DmtRefund().transactionId(transaction).refId(refId).otp(Sandbox.otp(mobile))).orThrow();
        System.out.println(door + ": refund 25.00: " + back.state());
    }

    /** The callbacks' address. */
    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            try {
                CallbackEvent event = callbacks.verify(body, exchange.getRequestHeaders());
                if (isTaken(new String(body, StandardCharsets.UTF_8).replace("SUCCESS", "FAILED"), exchange)) {
                    System.err.println("a changed callback was taken");
                    System.exit(1);
                }
                events.add(event); // by its webhookId, once
                exchange.sendResponseHeaders(204, -1);
            } catch (CallbackException e) {
                System.err.println(e.getMessage());
                exchange.sendResponseHeaders(401, -1);
            }
        }
    }

    private boolean isTaken(String body, HttpExchange exchange) {
        try {
            callbacks.verify(body.getBytes(StandardCharsets.UTF_8), exchange.getRequestHeaders());
            return true;
        } catch (CallbackException e) {
            return false;
        }
    }

    private void awaitCallbacks(Map<String, String> waiting) throws InterruptedException {
        Map<String, String> arrived = new HashMap<>();
        for (Map.Entry<String, String> door : waiting.entrySet()) {
            while (!arrived.containsKey(door.getValue())) {
                CallbackEvent event = events.poll(1, TimeUnit.MINUTES);
                check(event != null, "no callback has arrived");
                arrived.put(event.data().reference(), event.data().txnStatus());
            }
            System.out.println(door.getKey() + ": callback: " + arrived.get(door.getValue()));
        }
    }
}
