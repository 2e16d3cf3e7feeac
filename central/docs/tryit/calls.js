// What a call consists of: its example, the values that are filled in, and sending it
// through either entrance.

import { openReply, readHex, sealRequest } from './seal.js';

const pidOptions = '<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" posh="UNKNOWN" env="P"/></PidOptions>';
const variable = /\$([A-Z]+)/g;

// example gives path and body of a route's example. client is who calls: of the direct
// entrance, or a vendor of the gateway. A vendor names the merchant.
export function example(route, door, client) {
  const sealed = door === 'gateway';
  const at = (place) => route.fields.filter((f) => f.in === place);
  const bare = (value) => value.replace(/^"|"$/g, '');
  let path = route.path;
  for (const f of at('path')) path = path.replace(`{${f.name}}`, bare(f.value));
  const query = sealed ? [] : at('query');
  const body = [...at('body'), ...(sealed ? at('query') : [])];
  if (route.acting && (sealed || client?.role === 'vendor')) {
    const merchant = { name: 'merchantId', value: JSON.stringify(client?.merchant || route.merchant) };
    (route.method === 'GET' && !sealed ? query : body).unshift(merchant);
  }
  if (query.length) path += '?' + query.map((f) => `${f.name}=${bare(f.value)}`).join('&');
  return { path, body: bodyText(route, sealed, body) };
}

function bodyText(route, sealed, fields) {
  if (route.form) return fields.map((f) => `${f.name}=${f.value.replace(/^"|"$/g, '')}`).join('&');
  if (fields.length) return '{\n' + fields.map((f) => `  ${JSON.stringify(f.name)}: ${f.value}`).join(',\n') + '\n}';
  return sealed || route.body ? '{}' : '';
}

// variablesIn lists the variables of texts, each once.
export function variablesIn(...texts) {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map((m) => m[1])))];
}

// Caller sends calls. It keeps tokens and the values that replies gave, in memory only. A
// reference of the bank belongs to who called, so each entrance has values of its own, and
// takes those of the other where it has none.
export class Caller {
  constructor(sandbox) {
    this.sandbox = sandbox;
    this.tokens = new Map();
    this.values = { direct: new Map(), gateway: new Map() };
  }

  valuesOf(door) {
    return new Map([...this.values[door === 'direct' ? 'gateway' : 'direct'], ...this.values[door]]);
  }

  // fill replaces the variables of a path and a body. A fingerprint and a one-time password
  // are fetched for this call.
  async fill({ route, door, path, body, finger, inbox }) {
    if (route.pending) await this.makePending(route.pending);
    const now = this.valuesOf(door);
    for (const name of variablesIn(path, body)) {
      if (name === 'PID') now.set(name, await this.capture(finger));
      else if (name === 'OTP') now.set(name, await this.oneTimePassword(inbox));
      else if (route.new?.includes(name)) now.set(name, name === 'PUBLICKEY' ? randomKey() : newID());
      else if (!now.has(name)) throw new Error(`there is no value for $${name} yet: run the calls that come first, or write one`);
      if (route.new?.includes(name)) this.values[door].set(name, now.get(name));
    }
    const filled = (text, write) => text.replace(variable, (whole, name) => (now.has(name) ? write(now.get(name)) : whole));
    return { path: filled(path, encodeURIComponent), body: filled(body, (v) => (route.form ? encodeURIComponent(v) : JSON.stringify(v).slice(1, -1))) };
  }

  async capture(aadhaar) {
    const { reader } = this.sandbox;
    const placed = await reach(`${reader}/sim/finger`, 'reader', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ aadhaar, finger: 'RIGHT_INDEX', quality: 80 }) });
    if (!placed.ok) throw new Error(`the reader at ${reader} takes no finger: ${await placed.text()}`);
    const captured = await reach(`${reader}/rd/capture`, 'reader', { method: 'CAPTURE', body: pidOptions });
    const text = await captured.text();
    const [, code] = text.match(/errCode="(-?\d+)"/) ?? [];
    if (code !== '0') throw new Error(`the reader at ${reader} captured nothing: ${text}`);
    return text;
  }

  // makePending makes a withdrawal that the sandbox's bank reverses after some seconds, and
  // waits until its callback was tried once.
  async makePending(aadhaar) {
    const as = async (id) => ({ Authorization: 'Bearer ' + (await this.token(this.sandbox.clients.find((c) => c.id === id))) });
    const body = { AadharNo: aadhaar, TxnAmount: 500.93, Latitude: '17.385044', Longitude: '78.486671', CustomerName: 'Shivshankar Choudhury', PidData: await this.capture(aadhaar) };
    const headers = { ...(await as('merchant-lakshmi')), 'Idempotency-Key': newID(), 'Content-Type': 'application/json' };
    const sent = await reach('/aeps/withdrawal', 'central', { method: 'POST', headers, body: JSON.stringify(body) });
    if (!sent.ok) throw new Error(`the withdrawal that becomes pending: HTTP ${sent.status} ${await sent.text()}`);
    const vendor = await as('vendor-sahyadri');
    for (const until = Date.now() + 60_000; Date.now() < until; await new Promise((on) => setTimeout(on, 500))) {
      if ((await (await reach('/vendor/callbacks', 'central', { headers: vendor })).text()).includes('"triedAt"')) return;
    }
    throw new Error('no callback was tried within a minute: does the merchant have an endpoint and a secret?');
  }

  async oneTimePassword(mobile) {
    const { bank } = this.sandbox;
    const reply = await reach(`${bank}/inbox/${encodeURIComponent(mobile)}`, 'bank', { headers: { Accept: 'application/json' } });
    const message = reply.ok && (await reply.json()).find((m) => m.otp);
    if (!message) throw new Error(`there is no one-time password in the inbox of ${mobile}: request one first`);
    return message.otp;
  }

  async token(client) {
    const kept = this.tokens.get(client.id);
    if (kept && kept.until > Date.now()) return kept.token;
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret });
    const reply = await reach('/oauth/token', 'central', { method: 'POST', body: form });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${client.id} gets no token: HTTP ${reply.status} ${text}`);
    const got = JSON.parse(text);
    this.tokens.set(client.id, { token: got.access_token, until: Date.now() + (got.expires_in - 60) * 1000 });
    return got.access_token;
  }

  // direct makes the request of a filled call.
  async direct({ route, client, identity, path, body }) {
    const headers = {};
    if (client) headers.Authorization = 'Bearer ' + (await this.token(client));
    if (identity) headers['Idempotency-Key'] = identity;
    if (body) headers['Content-Type'] = route.form ? 'application/x-www-form-urlencoded' : 'application/json';
    return { method: route.method, path, headers, body };
  }

  // seal makes the gateway's request of a filled call.
  async seal({ route, client, identity, path, body }) {
    if (!crypto.subtle) throw new Error('this browser seals pages of 127.0.0.1, localhost and https only: open the page under one of them');
    const sealed = await sealRequest(readHex(client.keyHex), {
      method: route.method, path: '/process' + path, clientId: client.apiKey, requestId: identity, json: body,
      now: Date.now(), iv: crypto.getRandomValues(new Uint8Array(12)),
    });
    return {
      method: route.method, path: '/process' + path, headers: { 'Content-Type': 'application/json', ...sealed.headers }, body: sealed.body,
      plain: body, signed: sealed.signed, client, identity,
    };
  }

  // send sends a request of direct or seal, and opens a sealed reply.
  async send(request) {
    const { method, path, headers, body } = request;
    const began = performance.now();
    const reply = await reach(path, 'central', { method, headers, body: body || undefined });
    const text = await reply.text();
    const got = { status: reply.status, headers: [...reply.headers], text, time: Math.round(performance.now() - began) };
    if (request.signed && reply.headers.has('X-Checksum')) {
      try {
        const opened = await openReply(readHex(request.client.keyHex), { status: reply.status, header: (name) => reply.headers.get(name), body: text, requestId: request.identity, now: Date.now() });
        Object.assign(got, { opened: opened.json, signed: opened.signed });
      } catch (error) {
        got.forged = error.message;
      }
    }
    try {
      got.json = JSON.parse(got.opened ?? text);
    } catch {
      got.json = null; // shown as it came
    }
    return got;
  }

  // keep notes the values that later calls use. It reports whether the call succeeded.
  keep({ route, door, identity }, reply) {
    const data = reply.json?.data;
    const fields = { ...reply.json, ...(Array.isArray(data) ? data[0] : data) };
    const good = reply.status < 300 && !reply.forged && ['00', undefined].includes(reply.json?.statusCode);
    for (const [name, field] of good ? Object.entries(route.saves ?? {}) : []) {
      if (fields[field] !== undefined) this.values[door].set(name, String(fields[field]));
    }
    if (route.operation && door === 'direct') this.values.direct.set('KEY', identity); // GET /operations is direct
    return good;
  }
}

// reach is fetch with an error that says what to do. Nothing is sent with it but what the
// call has.
async function reach(url, who, options) {
  try {
    return await fetch(url, { credentials: 'omit', cache: 'no-store', redirect: 'error', ...options });
  } catch (error) {
    throw new Error(`the ${who} at ${new URL(url, location.href).origin} does not answer: does the whole sandbox run (make run)? ${error.message}`);
  }
}

function randomKey() {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

// newID is a random UUID. crypto.randomUUID is missing on pages that are neither of this
// machine nor https.
export function newID() {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6] & 0x0f) | 0x40;
  b[8] = (b[8] & 0x3f) | 0x80;
  return Array.from(b, (n, i) => ([4, 6, 8, 10].includes(i) ? '-' : '') + n.toString(16).padStart(2, '0')).join('');
}

// command writes a request for a shell.
export function command({ method, path, headers, body }) {
  const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
  const parts = [`curl -s -i -X ${method} ${quoted(location.origin + path)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) parts.push(`--data-binary ${quoted(body)}`);
  return parts.join(' \\\n  ');
}
