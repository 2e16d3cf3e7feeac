#!/usr/bin/env node
// A request through Galla's gateway, in Node, only with node:crypto.
//
//   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//     node galla.mjs call POST /aeps/balance < body.json
//   node galla.mjs vectors gateway.json
//
// The route is the direct one; /process is added here. The body is a JSON
// object, from the last argument or (better, since arguments can be read by
// every user of a machine) from standard input; none means {}. The key is 64
// hex or 44 base64 characters, and comes from the environment only.
// GALLA_REQUEST_ID repeats an earlier request: same id, same body.
//
// Copy the functions from parseKey to openReply into your program. They need
// Node 18 or newer.

import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_AGE_MS = 300_000; // of a message, against this machine's clock
const MAX_REPLY_BYTES = 4 << 20;
const TIMEOUT_MS = 60_000; // the gateway answers "pending" long before

/** Decodes base64 as the gateway does: padded, standard alphabet, one way to write it. */
function fromBase64(text, name) {
  const bytes = Buffer.from(text, 'base64'); // Node skips what is no base64, so compare
  if (bytes.toString('base64') !== text) throw new Error(`${name} is not padded base64 of the standard alphabet`);
  return bytes;
}

/** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
export function parseKey(text) {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (text.length === 44) {
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
function encrypt(key, iv, plain) {
  const cipher = createCipheriv(CIPHER, key, iv);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), payload: sealed.toString('base64') };
}

function decrypt(key, m) {
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

/** Sends one message. fetch takes no body with GET, so this is node:http. */
function send(base, method, path, m) {
  const body = JSON.stringify({ payload: m.payload });
  const url = new URL(base);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const r = request({
      protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, method, path, timeout: TIMEOUT_MS,
      headers: {
        'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
        'X-Client-Id': m.clientId, 'X-Timestamp': m.timestamp, 'X-Request-Id': m.requestId,
        'X-IV': m.iv, 'X-Tag': m.tag, 'X-Checksum': m.checksum,
      },
    }, (reply) => {
      const parts = [];
      let size = 0;
      reply.on('data', (part) => {
        size += part.length;
        if (size > MAX_REPLY_BYTES) r.destroy(new Error('the reply is too long'));
        parts.push(part);
      });
      reply.on('error', reject);
      reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(parts).toString('utf8') }));
    });
    r.on('timeout', () => r.destroy(new Error('no reply in time')));
    r.on('error', reject);
    r.end(body);
  });
}

/** Seals, sends and opens. Gives { status, json }. */
export async function call({ base, clientId, key, method, route, json, requestId }) {
  const path = '/process' + route;
  const reply = await send(base, method, path, sealRequest(key, { method, path, clientId, requestId, json }));
  const h = reply.headers;
  if (reply.status === 401 && !h['x-checksum']) {
    throw new Error('not authenticated: look at the client id, the key, the clock, and what the checksum covers');
  }
  if (!h['x-checksum']) throw new Error(`HTTP ${reply.status} without the gateway's headers: something else answered`);
  const m = {
    requestId: h['x-request-id'] ?? '', timestamp: h['x-timestamp'] ?? '', iv: h['x-iv'] ?? '', tag: h['x-tag'] ?? '',
    checksum: h['x-checksum'], payload: String(JSON.parse(reply.body).payload),
  };
  const opened = openReply(key, reply.status, m);
  if (m.requestId !== requestId) throw new Error('the reply belongs to another call');
  if (!(Math.abs(Date.now() - Number(m.timestamp)) <= MAX_AGE_MS)) throw new Error("the reply's time is not now");
  return { status: reply.status, json: opened };
}

/** Checks this program with messages that another one made. */
function checkVectors(file) {
  const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
  for (const v of vectors) {
    const expect = (ok, what) => { if (!ok) throw new Error(`vector "${v.name}": ${what}`); };
    const key = parseKey(v.key_hex);
    expect(key.equals(parseKey(v.key_base64)), 'the two spellings of the key differ');
    const m = { clientId: v.client_id, requestId: v.request_id, timestamp: v.timestamp, iv: v.iv, tag: v.tag, payload: v.payload, checksum: v.checksum };
    if (v.direction === 'request') {
      const sealed = sealRequest(key, {
        method: v.method, path: v.path, clientId: v.client_id, requestId: v.request_id, json: v.plaintext,
        timestamp: v.timestamp, iv: fromBase64(v.iv, 'iv'),
      });
      for (const part of Object.keys(m)) expect(sealed[part] === m[part], `${part} differs`);
      expect(decrypt(key, m) === v.plaintext, 'opens to another text');
      continue;
    }
    expect(openReply(key, v.http_status, m) === v.plaintext, 'opens to another text');
    const again = encrypt(key, fromBase64(v.iv, 'iv'), v.plaintext);
    expect(again.payload === v.payload && again.tag === v.tag, 'is sealed differently');
    let refused = false;
    try { openReply(key, v.http_status + 1, m); } catch { refused = true; }
    expect(refused, 'opens with another status');
  }
  if (!vectors.length) throw new Error(`${file} has no vectors`);
  console.log(`${vectors.length} vectors: all right`);
}

async function main([mode, ...args]) {
  if (mode === 'vectors' && args.length === 1) return checkVectors(args[0]);
  const [method, route, given] = args;
  const env = process.env;
  if (mode !== 'call' || !route || !env.GALLA_GATEWAY || !env.GALLA_CLIENT_ID || !env.GALLA_KEY) {
    throw new Error('usage: galla.mjs vectors FILE, or: galla.mjs call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set');
  }
  const json = (given ?? (process.stdin.isTTY ? '' : readFileSync(0, 'utf8'))).trim() || '{}';
  const requestId = env.GALLA_REQUEST_ID || randomUUID();
  try {
    const reply = await call({ base: env.GALLA_GATEWAY, clientId: env.GALLA_CLIENT_ID, key: parseKey(env.GALLA_KEY), method, route, json, requestId });
    console.log(`HTTP ${reply.status}\n${reply.json}`);
  } catch (error) {
    throw new Error(`${error.message}\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=${requestId}`);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
