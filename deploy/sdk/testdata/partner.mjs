// What a partner's engineer writes on the first day, with the package only: withdraw,
// transfer and refund for one merchant, and take the callback of what was pending.

import { createServer } from 'node:http';
import { DirectClient, GatewayClient, newKey, rupees, verifyCallback } from '@galla/sdk';
import { capture, captureEKYC, otp, placeFinger } from './node_modules/@galla/sdk/examples/sandbox.mjs';

const MERCHANT = 'c0000000-0000-4000-8000-000000000001';
const AGENT = { Latitude: '18.5204', Longitude: '73.8567' };
const baseUrl = 'http://127.0.0.1:7100';
const galla = new GatewayClient({ baseUrl, clientId: process.env.API_KEY, key: process.env.ENCRYPTION_KEY, merchantId: MERCHANT });
const shop = new DirectClient({ baseUrl, clientId: process.env.CLIENT_ID, clientSecret: process.env.CLIENT_SECRET });

// The callbacks' address: a message is believed only if it is signed, and counted once.
const seen = new Map();
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = verifyCallback({ body: Buffer.concat(chunks), headers: request.headers, secrets: process.env.GALLA_CALLBACK_SECRET });
    seen.set(event.webhookId, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(7400, '127.0.0.1');

try {
  // A withdrawal whose answer the bank owes for a while: the paise say so.
  await placeFinger('999941057058');
  const key = newKey();
  const asked = await shop.aepsWithdrawal(
    { ...AGENT, AadharNo: '999941057058', CustomerName: 'Shivshankar Choudhury', TxnAmount: rupees(200_94), PidData: await capture() },
    { idempotencyKey: key },
  );
  console.log(`withdrawal: ${asked.state}`);
  const paid = (await shop.wait(asked)).orThrow();
  console.log(`withdrawal: ${paid.state}`);

  // A customer who has never sent money, then a transfer and its refund.
  const mobile = `97${String(Date.now()).slice(-8)}`;
  const { referenceid } = (await galla.dmtCustomerOnboarding({ name: 'Anisha Jay Kapoor', mobile_no: mobile, city: 'Pune', state: 'Maharashtra' })).orThrow().data;
  const { otpreqid } = (await galla.dmtCustomerRequestOtp({ referenceid })).orThrow().data;
  (await galla.dmtCustomerValidateOtp({ referenceid, otpreqid, otp: await otp(mobile) })).orThrow();
  (await galla.dmtCustomerVerifyUid({ referenceid, aadhaarno: '999990501894' })).orThrow();
  await placeFinger('999990501894');
  (await galla.dmtCustomerUpdatebiodetail({ referenceid, aadhaarno: '999990501894', PidData: await captureEKYC() })).orThrow();
  (await galla.dmtCustomerSubmit({ referenceid })).orThrow();
  const { senderid: senderId } = (await galla.dmtRemitterRegister({ sender_mobilenumber: mobile })).orThrow().data;
  const receiver = { receiver_account_no: '001234567811', receiverIfscCode: 'SBIN0001234' };
  const added = (await galla.dmtBeneficiaryAdd({ senderId, receivername: 'Sunita Choudhury', ...receiver })).orThrow().data;
  (await galla.dmtTransactionOtp({ senderId, amount: 1200, ...receiver })).orThrow();
  const refId = newKey();
  const sent = (await galla.dmtTransactionInstant({
    senderId, BeneficiaryId: added.beneficiaryid, amount: 1200, refId, otp: await otp(mobile), ...receiver, account_holder_name: 'Sunita Choudhury',
  })).orThrow();
  console.log(`transfer: ${sent.state}`);
  const { transactionId } = sent.data;
  (await galla.dmtTransactionRefundOtp({ refereanceId: transactionId })).orThrow();
  const back = (await galla.dmtRefund({ transactionId, refId, otp: await otp(mobile) })).orThrow();
  console.log(`refund: ${back.state}`);

  const end = Date.now() + 60_000;
  const told = () => [...seen.values()].find((data) => data.idempotencyKey === key);
  while (!told()) {
    if (Date.now() > end) throw new Error('no callback has come');
    await new Promise((later) => setTimeout(later, 50));
  }
  if (told().reference !== paid.data.RetailerReferenceNumber) throw new Error('the callback is of another operation');
  console.log(`callback: ${told().txnStatus}`);
} finally {
  server.close();
}
