#!/usr/bin/env node
// A partner's day against the sandbox: withdraw, transfer and refund, directly and through
// the gateway, and a callback for each operation that was pending.
//
//   make run                                  in another terminal
//   galla-central callback set --sandbox c0000000-0000-4000-8000-000000000001 http://127.0.0.1:7400/galla
//   GALLA_CALLBACK_SECRET=whsec_… node examples/story.mjs

import { createServer } from 'node:http';
import { CallbackError, DirectClient, GatewayClient, ValidationError, newKey, rupees, verifyCallback } from '@galla/sdk';
import { capture, captureEKYC, otp, placeFinger } from './sandbox.mjs';

const env = process.env;
const baseUrl = env.GALLA_CENTRAL ?? 'http://127.0.0.1:7100';
const port = Number(env.GALLA_CALLBACK_PORT ?? 7400);
const secrets = env.GALLA_CALLBACK_SECRET;

// The sandbox's parties are public, and work nowhere else.
const direct = new DirectClient({ baseUrl, clientId: 'merchant-lakshmi', clientSecret: 'sandbox-merchant-1' });
const gateway = new GatewayClient({
  baseUrl, clientId: 'vk_sandbox_sahyadri', key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
  merchantId: 'c0000000-0000-4000-8000-000000000001',
});
const customer = { aadhaar: '999971658847', name: 'Kumar Agarwal', bank: '607094' };
const digits = (n) => Array.from({ length: n }, () => Math.floor(Math.random() * 10)).join('');
const sender = { aadhaar: '999990501894', name: 'Anisha Jay Kapoor', mobile: `98${digits(8)}` };

function check(ok, what) {
  if (!ok) throw new Error(`not as expected: ${what}`);
}

async function withdrawal(paise) {
  return {
    AadharNo: customer.aadhaar, TxnAmount: rupees(paise), Latitude: '18.5204', Longitude: '73.8567',
    CustomerName: customer.name, BankName: customer.bank, PidData: await capture(),
  };
}

/** Withdrawals; gives the key of the one that was pending at first. */
async function withdraw(door, client) {
  await placeFinger(customer.aadhaar);
  const paid = await client.aepsWithdrawal(await withdrawal(100_00));
  check(paid.ok, paid);
  console.log(`${door}: withdraw 100.00: ${paid.state}`);

  const declined = await client.aepsWithdrawal(await withdrawal(100_51));
  check(declined.state === 'declined' && declined.responseCode === '51', declined);
  console.log(`${door}: withdraw 100.51: ${declined.state}, ${declined.responseCode}`);

  const idempotencyKey = newKey(); // stored by a real program, before it calls
  let result = await client.aepsWithdrawal(await withdrawal(100_94), { idempotencyKey });
  check(result.state === 'pending', result);
  console.log(`${door}: withdraw 100.94: ${result.state}`);
  result = await client.wait(result, { timeout: 60 });
  check(result.ok, result);
  console.log(`${door}: withdraw 100.94: ${result.state}`);

  try {
    await client.aepsWithdrawal(await withdrawal(100_00).then((w) => ({ ...w, TxnAmount: 1.005 })));
    check(false, 'three decimals were taken');
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    check(error.fields.some((f) => f.field === 'TxnAmount'), error.message);
    console.log(`${door}: withdraw 1.005: ValidationError of TxnAmount`);
  }
  return result.data.RetailerReferenceNumber;
}

/** Onboards a customer, once for each: then she is a remitter. Gives her id. */
async function onboard(client) {
  const { aadhaar, name, mobile } = sender;
  const { referenceid } = (await client.dmtCustomerOnboarding({ name, mobile_no: mobile, city: 'Pune', state: 'Maharashtra' })).orThrow().data;
  const { otpreqid } = (await client.dmtCustomerRequestOtp({ referenceid })).orThrow().data;
  (await client.dmtCustomerValidateOtp({ referenceid, otpreqid, otp: await otp(mobile) })).orThrow();
  (await client.dmtCustomerVerifyUid({ referenceid, aadhaarno: aadhaar })).orThrow();
  await placeFinger(aadhaar);
  (await client.dmtCustomerUpdatebiodetail({ referenceid, aadhaarno: aadhaar, PidData: await captureEKYC() })).orThrow();
  (await client.dmtCustomerSubmit({ referenceid })).orThrow();
  const remitter = (await client.dmtRemitterRegister({ sender_mobilenumber: mobile })).orThrow();
  console.log('direct: a new remitter');
  return remitter.data.senderid;
}

async function transfer(door, client, senderId) {
  const receiver = { receiver_account_no: `0012345${digits(4)}1`, receiverIfscCode: 'HDFC0000123' };
  (await client.dmtBeneficiaryAccountVerification({ senderId, ...receiver })).orThrow();
  const beneficiary = (await client.dmtBeneficiaryAdd({ senderId, receivername: 'Sunita Choudhury', ...receiver })).orThrow().data;
  const amount = rupees(25_00);
  (await client.dmtTransactionOtp({ senderId, amount, ...receiver })).orThrow();
  const refId = newKey(); // the transfer's identity, stored before it is sent
  const sent = (
    await client.dmtTransactionInstant({
      senderId, BeneficiaryId: beneficiary.beneficiaryid, amount, refId, otp: await otp(sender.mobile), ...receiver, account_holder_name: 'Sunita Choudhury',
    })
  ).orThrow();
  console.log(`${door}: transfer 25.00: ${sent.state}`);

  const { transactionId } = sent.data;
  (await client.dmtTransactionRefundOtp({ refereanceId: transactionId })).orThrow();
  const back = (await client.dmtRefund({ transactionId, refId, otp: await otp(sender.mobile) })).orThrow();
  check(back.data.amount === 25, back);
  console.log(`${door}: refund 25.00: ${back.state}`);
}

/** Serves the callbacks' address; gives verified events, by their reference. */
function receive() {
  const events = new Map();
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const callback = { body: Buffer.concat(parts), headers: request.headers, secrets };
    try {
      const event = verifyCallback(callback);
      events.set(event.data.reference, event); // by its webhookId, once
      response.writeHead(204).end();
      const forged = Buffer.from(callback.body.toString().replace('SUCCESS', 'FAILED'));
      try {
        verifyCallback({ ...callback, body: forged });
        console.error('a changed callback was taken');
        process.exitCode = 1;
      } catch (error) {
        if (!(error instanceof CallbackError)) throw error;
      }
    } catch (error) {
      response.writeHead(401).end();
      console.error(error.message);
    }
  });
  return new Promise((ready) => server.listen(port, '127.0.0.1', () => ready({ events, server })));
}

async function main() {
  const { events, server } = await receive();
  try {
    const waiting = [];
    const senderId = await onboard(direct);
    for (const [door, client] of [['direct', direct], ['gateway', gateway]]) {
      waiting.push([door, await withdraw(door, client)]);
      await transfer(door, client, senderId);
    }
    const end = Date.now() + 60_000;
    for (const [door, reference] of waiting) {
      while (!events.has(reference)) {
        check(Date.now() < end, `no callback of ${reference}`);
        await new Promise((later) => setTimeout(later, 50));
      }
      console.log(`${door}: callback: ${events.get(reference).data.txnStatus}`);
    }
    console.log('story: all right');
  } finally {
    server.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
