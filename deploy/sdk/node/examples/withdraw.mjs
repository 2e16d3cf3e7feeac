import { DirectClient, newKey, rupees } from '@galla/sdk';
import { capture, placeFinger } from './sandbox.mjs'; // of a shop: the reader's RD service

const galla = new DirectClient({
  baseUrl: 'http://127.0.0.1:7100', // the sandbox of `make run`, whose parties are public
  clientId: 'merchant-lakshmi',
  clientSecret: 'sandbox-merchant-1',
});

await placeFinger('999941057058');
const idempotencyKey = newKey(); // store it before the call
let result = await galla.aepsWithdrawal(
  {
    AadharNo: '999941057058', TxnAmount: rupees(500_00), Latitude: '18.5204', Longitude: '73.8567',
    CustomerName: 'Shivshankar Choudhury', PidData: await capture(),
  },
  { idempotencyKey },
);
if (result.state === 'pending') result = await galla.wait(result); // no cash yet
console.log(result.state); // success, declined, reversed, or pending after two minutes
if (result.ok) console.log(`give 500.00; ${result.data.RetailerReferenceNumber}`);
