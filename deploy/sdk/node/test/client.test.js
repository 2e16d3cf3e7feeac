import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { AuthenticationError, DeclinedError, DirectClient, GatewayClient, NotSentError, PendingError, newKey, rupees, version } from '@galla/sdk';
import { AADHAAR, KEY, PID, SECRET, approved, fake, opened, pending, withdrawal } from './fake.js';

const declined = [200, { statusCode: '00', message: 'Transaction failed', data: { ResponseCode: '51', txnStatus: 'FAILED' } }];
const reversed = [200, { statusCode: '00', message: 'Transaction reversed', data: { ResponseCode: '22', txnStatus: 'REVERSED' } }];

test('the package has the version of the interface', () => {
  assert.equal(JSON.parse(readFileSync(new URL('../package.json', import.meta.url))).version, version);
});

test('what replies mean', async (t) => {
  const transfer = (status, statusCode = '00') => [200, { statusCode, message: 'm', data: { transactionId: 'x', amount: 1, status } }];
  for (const [answer, method, state, code] of [
    [approved, 'aepsWithdrawal', 'success', '00'], [declined, 'aepsPurchase', 'declined', '51'], [reversed, 'aepsWithdrawal', 'reversed', '22'],
    [pending, 'aepsBalance', 'pending', '00'],
    [[200, { statusCode: '00', message: 'odd' }], 'aepsWithdrawal', 'pending', '00'],
    [[200, { statusCode: '00', message: 'm', data: { ResponseCode: '00' } }], 'aepsReqAuth', 'success', '00'],
    [[200, { statusCode: '00', message: 'm', data: { ResponseCode: 'U3' } }], 'aepsReqAuth', 'declined', 'U3'],
    [[200, { statusCode: '00', message: 'm', data: { ResponseCode: '00', txnStatus: 'LATER' } }], 'aepsWithdrawal', 'pending', '00'],
    [transfer('SUCCESS'), 'dmtTransactionInstant', 'success', '00'], [transfer('FAILED', '55'), 'dmtTransactionInstant', 'declined', '55'],
    [transfer('REVERSED', '22'), 'dmtTransactionInstant', 'reversed', '22'], [transfer('SUCCESS', '55'), 'dmtTransactionInstant', 'declined', '55'],
    [[200, { statusCode: '00', message: 'Transaction pending', data: { amount: 1, status: 'PENDING' }, reference: 'DMT-NR-1' }], 'dmtRefund', 'pending', '00'],
    [[200, { statusCode: '00', message: 'Refund processed successfully', data: { refundId: 'r', amount: 1 } }], 'dmtRefund', 'success', '00'],
    [[200, { statusCode: '01', message: 'no such customer' }], 'dmtCustomerGetDetail', 'declined', '01'],
    [[200, { merchantId: 'm', service: 'AEPS' }], 'aepsInitialize', 'success', '00'],
  ]) {
    const f = await fake(t, answer);
    const result = await f.direct()[method]({ refId: 'r' });
    assert.deepEqual([result.state, result.responseCode], [state, code], `${method} ${JSON.stringify(answer)}`);
    assert.equal(result.reply, JSON.stringify(answer[1]));
    if (state === 'success') assert.equal(result.orThrow(), result);
    else assert.throws(() => result.orThrow(), state === 'pending' ? PendingError : (e) => e instanceof DeclinedError && e.responseCode === code);
  }
  const page = await fake(t, [200, { statusCode: '00', message: 'm', data: [], pagination: { page: 2 } }, { 'Idempotent-Replayed': 'true', 'X-Request-Id': 'q' }]);
  const result = await page.direct().vendorMerchants({ page: 2, limit: 5 });
  assert.deepEqual([result.extra, result.replayed, result.requestId, page.calls[0].url, page.calls[0].body], [{ pagination: { page: 2 } }, true, 'q', '/vendor/merchants?limit=5&page=2', '']);
});

test('fields travel where the interface has them', async (t) => {
  const f = await fake(t, [200, { statusCode: '00', message: 'm', data: {} }]);
  await f.direct({ merchantId: 'm-1' }).dmtCustomerStatusCheck({ referenceid: 'a b' });
  await f.direct().terminalsDelete({ id: 't/1', merchantId: 'm-2' });
  await f.gateway({ merchantId: 'm-1' }).dmtCustomerStatusCheck({ referenceid: 'a b' });
  await f.gateway({ merchantId: 'm-1' }).aepsBanks();
  await f.gateway({ merchantId: 'm-1' }).aepsSubmit({ merchantId: 'm-2' });
  assert.equal(f.calls[0].url, '/dmt/customer/statusCheck?merchantId=m-1&referenceid=a+b');
  assert.deepEqual([f.calls[1].url, f.calls[1].method, f.calls[1].body], ['/terminals/t%2F1', 'DELETE', '{"merchantId":"m-2"}']);
  assert.deepEqual([f.calls[2].url, f.calls[2].method, opened(f.calls[2])], ['/process/dmt/customer/statusCheck', 'GET', { referenceid: 'a b', merchantId: 'm-1' }]);
  assert.deepEqual(opened(f.calls[3]), {});
  assert.deepEqual(opened(f.calls[4]), { merchantId: 'm-2' });
  await assert.rejects(f.direct().operationsGet({}), /needs id/);
  assert.equal(f.gateway().terminalsList, undefined);
});

test('keys are checked before anything is sent', async (t) => {
  const f = await fake(t, approved);
  for (const idempotencyKey of ['', 'with space', 'é', 'x'.repeat(129)]) await assert.rejects(f.direct().aepsSubmit({}, { idempotencyKey }), TypeError);
  for (const idempotencyKey of ['shop-1', newKey().toUpperCase()]) await assert.rejects(f.gateway().aepsSubmit({}, { idempotencyKey }), TypeError);
  await f.direct().aepsWithdrawal(withdrawal, { idempotencyKey: 'shop-1-0001' });
  assert.equal(f.calls.length, 1);
  assert.equal(f.calls[0].headers['idempotency-key'], 'shop-1-0001');
  assert.notEqual(newKey(), newKey());
});

test('a token is asked for once, renewed before its end, and once after a 401', async (t) => {
  const f = await fake(t, approved);
  f.tokens.delay = 20;
  let now = 1_000_000;
  const client = f.direct({ now: () => now });
  await Promise.all([client.aepsSubmit(), client.aepsSubmit(), client.aepsSubmit()]);
  assert.equal(f.tokens.given, 1);
  assert.equal(f.tokens.last.headers.authorization, `Basic ${Buffer.from(`merchant:${SECRET}`).toString('base64')}`);
  assert.equal(f.tokens.last.headers['content-type'], 'application/x-www-form-urlencoded');
  now += 839_000;
  await client.aepsSubmit();
  assert.equal(f.tokens.given, 1);
  now += 2_000;
  await client.aepsSubmit();
  assert.equal(f.tokens.given, 2);
  assert.equal(f.calls.at(-1).headers.authorization, 'Bearer token-2');

  const ended = await fake(t, [401, { statusCode: '03', message: 'Not authenticated' }], approved);
  assert.ok((await ended.direct().aepsWithdrawal(withdrawal)).ok);
  assert.deepEqual([ended.calls.length, ended.tokens.given, ended.calls[0].headers['idempotency-key'] === ended.calls[1].headers['idempotency-key']], [2, 2, true]);
  const refused = await fake(t, [401, { statusCode: '03', message: 'Not authenticated' }]);
  await assert.rejects(refused.direct().aepsWithdrawal(withdrawal), AuthenticationError);
  assert.equal(refused.calls.length, 2);

  const wrong = await fake(t, approved);
  wrong.tokens.status = 401;
  await assert.rejects(wrong.direct().aepsWithdrawal(withdrawal), (e) => e instanceof AuthenticationError && !e.message.includes(SECRET));
  assert.equal(wrong.calls.length, 0);
  const open = await fake(t, [201, { statusCode: '00', message: 'm', data: {} }]);
  await open.direct().terminalsEnrol({ code: 'c', publicKey: 'p', name: 'n' });
  assert.deepEqual([open.tokens.given, open.calls[0].headers.authorization], [0, undefined]);
});

test('wait asks until the end', async (t) => {
  const aeps = await fake(t, pending, bodyBusy(), pending, approved);
  const client = aeps.gateway({ merchantId: 'm-1' });
  const first = await client.aepsWithdrawal(withdrawal);
  const last = await client.wait(first);
  assert.deepEqual([last.state, last.idempotencyKey, last.data.RetailerReferenceNumber], ['success', first.idempotencyKey, 'GL1']);
  assert.deepEqual(aeps.calls.slice(1).map((c) => c.url), Array(aeps.calls.length - 1).fill('/process/aeps/requery'));
  assert.deepEqual(opened(aeps.calls.at(-1)), { reference: 'AEPS-NR-1', merchantId: 'm-1' });
  assert.equal(await client.wait(last), last);

  const gl = await fake(t, [200, { ...pending[1], reference: 'GL9' }], approved);
  await gl.direct().aepsWithdrawal(withdrawal).then((r) => gl.direct().wait(r));
  assert.equal(gl.calls[1].body, '{"RetailerReferenceNumber":"GL9"}');

  const nameless = await fake(t, [200, { statusCode: '00', message: 'Transaction pending', txnStatus: 'PENDING' }], [200, { statusCode: '00', message: 'm', data: { reference: 'GL7', status: 'pending' } }], approved);
  const d = nameless.direct();
  const unnamed = await d.aepsWithdrawal(withdrawal);
  assert.ok((await d.wait(unnamed)).ok);
  assert.deepEqual([nameless.calls[1].url, nameless.calls[2].body], [`/operations/${unnamed.idempotencyKey}`, '{"RetailerReferenceNumber":"GL7"}']);

  const sent = await fake(t, [200, { statusCode: '00', message: 'Transaction pending', data: { amount: 1, status: 'PENDING' } }], [200, { statusCode: '00', message: 'm', data: { status: 'FAILED', transactionId: 'x', amount: 1 } }]);
  const s = sent.direct();
  const transfer = await s.wait(await s.dmtTransactionInstant({ refId: 'r-1', otp: '1234' }));
  assert.deepEqual([transfer.state, sent.calls[1].url, sent.calls[1].body], ['declined', '/dmt/txn/v1/transaction/requery', '{"refId":"r-1"}']);

  const back = await fake(t, [200, { statusCode: '00', message: 'Transaction pending', data: { amount: 1, status: 'PENDING' } }], [200, { statusCode: '00', message: 'Refund processed successfully', data: { refundId: 'f', amount: 1 } }]);
  const b = back.gateway();
  const refund = await b.wait(await b.dmtRefund({ transactionId: 't', refId: 'r', otp: '1' }));
  assert.deepEqual([refund.data.refundId, back.calls[0].headers['x-request-id'] === back.calls[1].headers['x-request-id'], back.calls[1].url], ['f', true, '/process/dmt/txn/v1/refund']);

  const step = [502, { statusCode: '10', message: 'later', reference: 'AEPS-NR-2' }];
  const lost = await fake(t, step, step, step, step, bodyBusy());
  const l = lost.direct();
  await assert.rejects(l.wait(await l.aepsSubmit()), NotSentError); // it was never sent: no later question helps
  assert.equal(lost.calls.length, 5);

  let now = 0;
  const never = await fake(t, pending);
  const n = never.direct({ now: () => now, sleep: async (ms) => void (now += ms) });
  const still = await n.wait(await n.aepsWithdrawal(withdrawal), { timeout: 33 });
  assert.deepEqual([still.state, now, never.calls.length], ['pending', 33_000, 1 + 6]); // after 1, 3, 7, 15, 25 and 33 s
});

const bodyBusy = () => [502, { statusCode: '10', message: 'later' }];

test('nothing shows what is secret', async (t) => {
  const f = await fake(t, pending, [400, { statusCode: '02', message: 'Invalid request', data: { errors: [{ field: 'PidData', rule: 'x', message: 'is old' }] } }], 'break');
  const direct = f.direct({ attempts: 1 });
  const result = await direct.aepsWithdrawal({ ...withdrawal, otp: '918273' });
  const errors = [];
  for (let i = 0; i < 2; i++) await direct.aepsWithdrawal({ ...withdrawal, otp: '918273' }).catch((e) => errors.push(e));
  assert.equal(errors.length, 2);
  const gateway = f.gateway();
  const shown = [direct, gateway, result, ...errors].flatMap((x) => [String(x), inspect(x, { depth: 10, showHidden: true }), JSON.stringify(x), String(x.stack)]).join('\n');
  for (const secret of [SECRET, KEY, AADHAAR, PID, 'token-1', '918273', Buffer.from(KEY, 'hex').toString('base64')]) {
    assert.ok(!shown.includes(secret), `it shows ${secret}`);
  }
  assert.match(shown, /DirectClient\(http:.*merchant\)/);
});

test('settings that are wrong', () => {
  const good = { baseUrl: 'https://api.example.org', clientId: 'c', clientSecret: 's' };
  for (const [bad, says] of [
    [{ baseUrl: 'http://api.example.org' }, /use https/], [{ baseUrl: 'ftp://x' }, /https/], [{ baseUrl: 'x' }, /address/], [{ baseUrl: 'https://a:b@x' }, /credentials/],
    [{ clientSecret: '' }, /clientSecret/], [{ attempts: 0 }, /attempts/], [{ timeout: 0 }, /timeout/],
  ]) assert.throws(() => new DirectClient({ ...good, ...bad }), says);
  new DirectClient({ ...good, baseUrl: 'http://central:7100', insecure: true });
  for (const key of ['', KEY.slice(1), 'x'.repeat(44)]) assert.throws(() => new GatewayClient({ baseUrl: 'https://x', clientId: 'c', key }), (e) => !key || !e.message.includes(key));
  assert.equal(rupees(11050), 110.5);
  assert.throws(() => rupees(1.5), TypeError);
});
