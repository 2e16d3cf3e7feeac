import example.galla.BaseClient;
import example.galla.Data;
import example.galla.DirectClient;
import example.galla.Params;
import example.galla.Result;

public final class Withdraw {
    public static void main(String[] args) throws Exception {
        // The sandbox of `make run`, whose parties are public.
        DirectClient galla = new DirectClient("http://127.0.0.1:7100", "merchant-lakshmi", "sandbox-merchant-1");

        Sandbox.placeFinger("999941057058"); // of a shop: the reader's RD service
        String key = BaseClient.newKey(); // store it before the call
        Result<Data.Withdrawal> result = galla.aepsWithdrawal(new Params.AepsWithdrawal()
            .aadharNo("999941057058").txnAmount(500).latitude("18.5204").longitude("73.8567")
            .customerName("Shivshankar Choudhury").pidData(Sandbox.capture()), key);
        if (result.isPending()) {
            result = galla.await(result); // no cash yet
        }
        System.out.println(result.state()); // success, declined, reversed, or pending after two minutes
        if (result.ok()) {
            System.out.println("give 500.00; " + result.data().retailerReferenceNumber());
        }
    }
}
