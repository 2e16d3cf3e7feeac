// The envelope of the gateway: AES-256-GCM over the JSON, and a checksum over all the rest.

import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
export function fromBase64(text, name) {
  const bytes = Buffer.from(text, 'base64'); // Node skips what is no base64, so compare
  if (bytes.toString('base64') !== text) throw new Error(`${name} is not padded base64 of the standard alphabet`);
  return bytes;
}

/** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
export function parseKey(text) {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (typeof text === 'string' && text.length === 44) {
    const key = fromBase64(text, 'the key');
    if (key.length === 32) return key;
  }
  throw new Error('a key is 32 bytes: 64 hex or 44 base64 characters'); // never print the key itself
}

/** The HMAC over lines joined by \n, in lower-case hex. */
function checksum(key, lines) {
  const checksumKey = createHmac('sha256', key).update('galla/gateway/checksum/v1').digest();
  return createHmac('sha256', checksumKey).update(lines.join('\n')).digest('hex');
}

const requestLines = (method, path, m) =>
  ['galla-v1', method, path, m.clientId, m.timestamp, m.requestId, m.iv, m.tag, m.payload];
const replyLines = (status, m) =>
  ['galla-v1-response', String(status), m.requestId, m.timestamp, m.iv, m.tag, m.payload];

/** AES-256-GCM. The tag travels in its own header: it is not part of the payload. */
export function encrypt(key, iv, plain) {
  const cipher = createCipheriv(CIPHER, key, iv);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), payload: sealed.toString('base64') };
}

export function decrypt(key, m) {
  const iv = fromBase64(m.iv, 'X-IV');
  const tag = fromBase64(m.tag, 'X-Tag');
  // Node takes tags of 4 bytes; a short tag is a weak one.
  if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES) throw new Error('X-IV must have 12 bytes and X-Tag 16');
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(fromBase64(m.payload, 'payload')), decipher.final()]).toString('utf8');
}

/**
 * Seals one request. json is the text of a JSON object: it is sealed as it is,
 * so write it once and keep it for a retry. The IV must be new for every
 * message, and so must the timestamp; the requestId stays for a retry.
 */
export function sealRequest(key, { method, path, clientId, requestId, json, timestamp = Date.now(), iv = randomBytes(IV_BYTES) }) {
  const m = { clientId, requestId, timestamp: String(timestamp), ...encrypt(key, iv, json) };
  m.checksum = checksum(key, requestLines(method, path, m));
  return m;
}

/** Opens one reply, or throws where it is not genuine. Nothing is decrypted before the checksum is right. */
export function openReply(key, status, m) {
  const wanted = Buffer.from(checksum(key, replyLines(status, m)));
  const given = Buffer.from(m.checksum);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) throw new Error('the checksum is wrong');
  return decrypt(key, m);
}
