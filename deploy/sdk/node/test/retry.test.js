import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthenticationError, ConflictError, NotSentError, OutcomeUnknownError, RateLimitError, RefusedError, ValidationError, newKey,
} from '@galla/sdk';
import { approved, fake, opened, pending, withdrawal } from './fake.js';

const keys = (calls) => [...new Set(calls.map((c) => c.headers['idempotency-key'] ?? c.headers['x-request-id']))];
const bank = (reference) => [502, { statusCode: '10', message: 'no answer', ...(reference && { reference }) }];
const bodyless = { 429: [429, { statusCode: '07', message: 'busy' }], 503: [503, 'upstream'], 502: [502, '<html>'], 504: [504, ''], 500: [500, { statusCode: '500', message: 'Server error' }] };

for (const door of ['direct', 'gateway']) {
  test(`${door}: what may have run is repeated with one key and one body`, async (t) => {
    for (const first of ['break', bodyless[500], bodyless[502], bodyless[503], bodyless[504], bodyless[429]]) {
      const f = await fake(t, first, first, approved);
      const result = await f[door]().aepsWithdrawal(withdrawal);
      assert.equal(result.state, 'success');
      assert.equal(f.calls.length, 3);
      assert.deepEqual(keys(f.calls), [result.idempotencyKey]);
      assert.deepEqual(f.pauses, [250, 500]);
      const bodies = door === 'direct' ? f.calls.map((c) => c.body) : f.calls.map((c) => JSON.stringify(opened(c)));
      assert.equal(new Set(bodies).size, 1);
      if (door === 'gateway') assert.equal(new Set(f.calls.map((c) => c.headers['x-iv'])).size, 3);
    }
  });

  test(`${door}: after the last attempt the outcome is unknown, and the key told`, async (t) => {
    for (const last of ['break', bodyless[502], bodyless[500]]) {
      const f = await fake(t, last);
      const idempotencyKey = newKey();
      await assert.rejects(f[door]({ attempts: 3 }).aepsWithdrawal(withdrawal, { idempotencyKey }), (e) => {
        assert.ok(e instanceof OutcomeUnknownError, String(e));
        assert.equal(e.idempotencyKey, idempotencyKey);
        return /same key/.test(e.message);
      });
      assert.equal(f.calls.length, 3);
    }
  });

  test(`${door}: refusals are not repeated`, async (t) => {
    const faults = { errors: [{ field: 'TxnAmount', rule: 'decimals', message: 'must have at most two decimals' }] };
    for (const [answer, kind] of [
      [[400, { statusCode: '02', message: 'Invalid request', data: faults }], ValidationError],
      [[403, { statusCode: '01', message: 'Access denied' }], RefusedError],
      [[404, { statusCode: '01', message: 'Merchant not found' }], RefusedError],
      [[409, { statusCode: '09', message: 'used before' }], ConflictError],
      [[413, { statusCode: '06', message: 'long' }], RefusedError],
      [[422, { statusCode: '05', message: 'limit' }], RefusedError],
      [bank(), NotSentError],
    ]) {
      const f = await fake(t, answer);
      await assert.rejects(f[door]().aepsWithdrawal(withdrawal), (e) => e instanceof kind && e.httpStatus === answer[0] && e.statusCode === answer[1].statusCode);
      assert.equal(f.calls.length, 1, String(answer[0]));
    }
    const f = await fake(t, [400, { statusCode: '02', message: 'Invalid request', data: faults }]);
    await assert.rejects(f[door]().aepsWithdrawal(withdrawal), (e) => e.fields.length === 1 && e.fields[0].field === 'TxnAmount' && e.fields[0].rule === 'decimals' && /TxnAmount/.test(e.message));
  });

  test(`${door}: 429 is waited for as Retry-After says`, async (t) => {
    const f = await fake(t, [429, bodyless[429][1], { 'Retry-After': '7' }], approved);
    assert.equal((await f[door]().aepsWithdrawal(withdrawal)).state, 'success');
    assert.deepEqual(f.pauses, [7000]);
    const long = await fake(t, [429, bodyless[429][1], { 'Retry-After': '31' }]);
    await assert.rejects(long[door]().aepsWithdrawal(withdrawal), (e) => e instanceof RateLimitError && e.retryAfter === 31);
    assert.equal(long.calls.length, 1);
  });

  test(`${door}: a record without an identity is not repeated after it was sent`, async (t) => {
    const slab = { vendorId: 'v/1', paymentMethod: 'AEPS', provider: 'NSDL', txnType: 'WITHDRAWAL' };
    for (const last of ['break', bodyless[500], bodyless[502]]) {
      const f = await fake(t, last, [201, { statusCode: '00', message: 'made', data: {} }]);
      await assert.rejects(f[door]().vendorCommissionCreate(slab), OutcomeUnknownError);
      assert.equal(f.calls.length, 1);
      assert.match(f.calls[0].url, /\/vendor-commission\/v%2F1\/commission$/);
    }
    const busy = await fake(t, bodyless[503], [201, { statusCode: '00', message: 'made', data: { id: 's' } }]);
    assert.equal((await busy[door]().vendorCommissionCreate(slab)).data.id, 's');
  });

  test(`${door}: a step of which the bank has not answered is pending after all attempts`, async (t) => {
    const f = await fake(t, bank('AEPS-NR-9'));
    const result = await f[door]().aepsSubmit();
    assert.deepEqual([result.state, result.reference, f.calls.length, keys(f.calls).length], ['pending', 'AEPS-NR-9', 4, 1]);
    const enquiry = await fake(t, bank(), [200, { statusCode: '00', message: '', data: { otpreqid: 'x' } }]);
    assert.equal((await enquiry[door]().aepsRequestOtp()).data.otpreqid, 'x');
    const never = await fake(t, bank());
    await assert.rejects(never[door]().aepsRequestOtp(), NotSentError);
    assert.equal(never.calls.length, 4);
  });

  test(`${door}: after an attempt in doubt nothing says that nothing ran`, async (t) => {
    for (const then of [[403, { statusCode: '01', message: 'Access denied' }], [422, { statusCode: '05', message: 'limit' }], [429, bodyless[429][1]], [401, { statusCode: '03', message: 'Not authenticated' }, {}, 'plain']]) {
      const f = await fake(t, 'break', then);
      await assert.rejects(f[door]().aepsWithdrawal(withdrawal), (e) => e instanceof OutcomeUnknownError && e.cause !== undefined);
    }
    const stored = await fake(t, 'break', [422, { statusCode: '05', message: 'forbidden by the bank' }, { 'Idempotent-Replayed': 'true' }]);
    await assert.rejects(stored[door]().aepsWithdrawal(withdrawal), RefusedError);
  });
}

test('nothing was sent where nobody listens', async (t) => {
  const f = await fake(t, approved);
  const client = f.gateway();
  f.server.close();
  f.server.closeAllConnections?.();
  await assert.rejects(client.aepsWithdrawal(withdrawal), (e) => e instanceof NotSentError && /nothing was sent/.test(e.message));
  assert.equal(f.pauses.length, 3);
});

test('pending is a result, and not repeated', async (t) => {
  const f = await fake(t, pending);
  const result = await f.direct().aepsWithdrawal(withdrawal);
  assert.deepEqual([result.state, result.ok, result.reference, result.data, f.calls.length], ['pending', false, 'AEPS-NR-1', undefined, 1]);
});

test('the gateway believes no reply that is not genuine', async (t) => {
  for (const [how, says] of [['status', 'checksum'], ['old', 'time is not now'], ['other', 'another call']]) {
    const f = await fake(t, [200, approved[1], {}, how]);
    await assert.rejects(f.gateway().aepsWithdrawal(withdrawal), (e) => e instanceof OutcomeUnknownError && e.message.includes(says));
    assert.equal(f.calls.length, 1);
  }
  const plain = await fake(t, [200, approved[1], {}, 'plain']);
  await assert.rejects(plain.gateway().aepsWithdrawal(withdrawal), (e) => e instanceof OutcomeUnknownError && /something else answered/.test(e.message));
  const wrong = await fake(t, [401, { statusCode: '03', message: 'Not authenticated' }, {}, 'plain']);
  await assert.rejects(wrong.gateway().aepsWithdrawal(withdrawal), AuthenticationError);
  assert.equal(wrong.calls.length, 1);
  const busy = await fake(t, [429, '', {}, 'plain']);
  await assert.rejects(busy.gateway().aepsWithdrawal(withdrawal), OutcomeUnknownError);
  assert.equal(busy.calls.length, 4);
});
