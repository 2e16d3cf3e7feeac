// The gateway's message (/docs/gateway), with WebCrypto: AES-256-GCM, and an HMAC-SHA-256
// whose key is made of the encryption key.

const utf8 = new TextEncoder();
const label = 'galla/gateway/checksum/v1';
const tagBytes = 16;
const maxAge = 300_000; // milliseconds between a reply and this clock

// readHex reads bytes written as hex.
export function readHex(text) {
  return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
}

function toHex(bytes) {
  return Array.from(new Uint8Array(bytes), (b) => b.toString(16).padStart(2, '0')).join('');
}

function toBase64(bytes) {
  let text = '';
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)));
}

async function checksum(key, text) {
  return toHex(await hmac(await hmac(key, label), text));
}

// sealRequest seals the text of a JSON object. A message is accepted once: the initialisation
// vector and the time are new for each.
export async function sealRequest(key, { method, path, clientId, requestId, json, now, iv }) {
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, tagLength: 8 * tagBytes }, aes, utf8.encode(json)));
  const cut = sealed.length - tagBytes; // WebCrypto puts the tag behind the ciphertext
  const payload = toBase64(sealed.subarray(0, cut));
  const headers = { 'X-Client-Id': clientId, 'X-Timestamp': String(now), 'X-Request-Id': requestId, 'X-IV': toBase64(iv), 'X-Tag': toBase64(sealed.subarray(cut)) };
  const signed = ['galla-v1', method, path, ...Object.values(headers), payload].join('\n');
  headers['X-Checksum'] = await checksum(key, signed);
  return { headers, signed, body: JSON.stringify({ payload }) };
}

// openReply checks a reply before it opens it; an error says what is not genuine. header
// gives a header by its name.
export async function openReply(key, { status, header, body, requestId, now }) {
  const [id, time, iv, tag] = ['X-Request-Id', 'X-Timestamp', 'X-IV', 'X-Tag'].map((name) => header(name) ?? '');
  const payload = String(JSON.parse(body).payload);
  const signed = ['galla-v1-response', String(status), id, time, iv, tag, payload].join('\n');
  if ((await checksum(key, signed)) !== header('X-Checksum')) throw new Error('the checksum of the reply is wrong');
  if (id !== requestId) throw new Error('the reply belongs to another request');
  if (!(Math.abs(now - Number(time)) <= maxAge)) throw new Error("the reply's time is not now: is this computer's clock right?");
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const sealed = new Uint8Array([...fromBase64(payload), ...fromBase64(tag)]);
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: fromBase64(iv), tagLength: 8 * tagBytes }, aes, sealed);
  return { json: new TextDecoder('utf-8', { fatal: true }).decode(plain), signed };
}
