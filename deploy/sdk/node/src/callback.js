// Verification of callbacks, as Standard Webhooks has them.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { fromBase64 } from './envelope.js';
import { CallbackError } from './errors.js';

const PREFIX = 'whsec_';

/** The bytes of a secret; the error never shows it. */
function secretBytes(secret) {
  const wrong = new Error('a callback secret is whsec_ and the base64 of 24 to 64 bytes');
  if (typeof secret !== 'string' || !secret.startsWith(PREFIX)) throw wrong;
  let bytes;
  try {
    bytes = fromBase64(secret.slice(PREFIX.length), 'the secret');
  } catch {
    throw wrong;
  }
  if (bytes.length < 24 || bytes.length > 64) throw wrong;
  return bytes;
}

/** One header of a plain object, of Headers, or of anything with get. */
function header(headers, name) {
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined;
  for (const key of Object.keys(headers ?? {})) {
    if (key.toLowerCase() === name) return Array.isArray(headers[key]) ? headers[key].join(' ') : headers[key];
  }
  return undefined;
}

/**
 * Verifies a callback and gives its event. body is the body as it arrived, not parsed and
 * written again. Throws CallbackError, after which the answer is 401 and nothing is done.
 */
export function verifyCallback({ body, headers, secrets, tolerance = 300, now = () => Date.now() }) {
  const keys = [secrets].flat().map(secretBytes);
  if (!keys.length) throw new Error('a callback is verified with at least one secret');
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signature = header(headers, 'webhook-signature');
  if (!id || !timestamp || !signature) throw new CallbackError('webhook-id, webhook-timestamp or webhook-signature is missing', 'missing-header');
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new CallbackError('webhook-timestamp is no time in seconds', 'bad-timestamp');
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
  const given = signature.split(' ').filter((s) => s.startsWith('v1,')).map((s) => Buffer.from(s.slice(3)));
  let genuine = false;
  for (const key of keys) {
    const wanted = Buffer.from(createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest('base64'));
    for (const one of given) genuine = (one.length === wanted.length && timingSafeEqual(one, wanted)) || genuine;
  }
  if (!genuine) throw new CallbackError('no signature is that of the body under a secret given', 'bad-signature');
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance) throw new CallbackError(`webhook-timestamp is more than ${tolerance} seconds off: an old message, or a wrong clock`, 'too-old');
  let event;
  try {
    event = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new CallbackError('the body is no JSON', 'bad-body');
  }
  if (typeof event?.type !== 'string' || typeof event.data !== 'object' || event.data === null) throw new CallbackError('the body is no event', 'bad-body');
  return { webhookId: id, type: event.type, timestamp: event.timestamp, data: event.data };
}
