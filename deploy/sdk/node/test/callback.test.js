import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { CallbackError, verifyCallback } from '@galla/sdk';

const secret = () => `whsec_${randomBytes(32).toString('base64')}`;
const sign = (key, id, at, body) => `v1,${createHmac('sha256', Buffer.from(key.slice(6), 'base64')).update(`${id}.${at}.${body}`).digest('base64')}`;
const body = JSON.stringify({ type: 'operation.finished', timestamp: '2026-11-21T10:30:00.123Z', data: { id: 'o', reference: 'GL1', txnStatus: 'SUCCESS' } });
const at = 1_795_253_400;
const now = () => at * 1000;

function callback(key, more = {}) {
  return { body, headers: { 'Webhook-Id': 'evt_1', 'Webhook-Timestamp': String(at), 'Webhook-Signature': sign(key, 'evt_1', at, body) }, secrets: key, now, ...more };
}

test('a genuine callback', () => {
  const [a, b] = [secret(), secret()];
  const event = verifyCallback(callback(a));
  assert.deepEqual([event.webhookId, event.type, event.data.reference], ['evt_1', 'operation.finished', 'GL1']);
  verifyCallback(callback(a, { secrets: [b, a] }));
  verifyCallback(callback(a, { body: Buffer.from(body), headers: new Headers(callback(a).headers) }));
  const two = callback(a);
  two.headers['Webhook-Signature'] = `v1,AAAA ${sign(b, 'evt_1', at, body)} ${two.headers['Webhook-Signature']}`;
  verifyCallback(two);
  verifyCallback(callback(a, { now: () => (at + 300) * 1000 }));
});

test('a vector of Standard Webhooks', () => {
  const event = verifyCallback({
    body: '{"type":"t","data":{}}', secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: () => 1614265330_000,
    headers: { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"type":"t","data":{}}') },
  });
  assert.equal(event.webhookId, 'msg_p5jXN8AQM9LWM0D4loKWxJek');
  // The specification's own example: its body is {"test": 2432232314}, which is no event.
  const given = { body: '{"test": 2432232314}', secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: () => 1614265330_000 };
  const headers = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' };
  assert.throws(() => verifyCallback({ ...given, headers }), (e) => e.reason === 'bad-body');
});

test('callbacks that must not be believed', () => {
  const key = secret();
  const without = (name) => {
    const c = callback(key);
    delete c.headers[name];
    return c;
  };
  const header = (name, value) => {
    const c = callback(key);
    c.headers[name] = value;
    return c;
  };
  for (const [c, reason] of [
    [without('Webhook-Id'), 'missing-header'], [without('Webhook-Timestamp'), 'missing-header'], [without('Webhook-Signature'), 'missing-header'],
    [header('Webhook-Timestamp', 'soon'), 'bad-timestamp'], [header('Webhook-Timestamp', String(at + 1)), 'bad-signature'], [header('Webhook-Id', 'evt_2'), 'bad-signature'],
    [header('Webhook-Signature', 'v2,AAAA'), 'bad-signature'], [header('Webhook-Signature', 'v1,'), 'bad-signature'],
    [callback(key, { body: body.replace('SUCCESS', 'FAILED') }), 'bad-signature'], [callback(key, { secrets: secret() }), 'bad-signature'],
    [callback(key, { now: () => (at + 301) * 1000 }), 'too-old'], [callback(key, { now: () => (at - 301) * 1000 }), 'too-old'],
  ]) assert.throws(() => verifyCallback(c), (e) => e instanceof CallbackError && e.reason === reason, reason);
  for (const text of ['x', '[]', '{}', '{"type":"t"}', 'null']) {
    const c = { ...callback(key), body: text, headers: { 'webhook-id': 'e', 'webhook-timestamp': String(at), 'webhook-signature': sign(key, 'e', at, text) } };
    assert.throws(() => verifyCallback(c), (e) => e.reason === 'bad-body', text);
  }
  for (const wrong of ['', 'whsec_', 'whsec_AAAA', key.slice(6), `${key}=`]) {
    assert.throws(() => verifyCallback(callback(key, { secrets: wrong })), (e) => !(e instanceof CallbackError) && (wrong.length < 7 || !e.message.includes(wrong)));
  }
  assert.throws(() => verifyCallback(callback(key, { secrets: [] })), /at least one/);
});
