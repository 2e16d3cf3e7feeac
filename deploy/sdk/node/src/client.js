// The two clients. Both take the same calls; they differ in how a call travels.

import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { openReply, parseKey, sealRequest } from './envelope.js';
import { AuthenticationError } from './errors.js';
import { invoke } from './invoke.js';
import { judge } from './judge.js';
import { DirectRoutes, GatewayRoutes, routes } from './routes.js';
import { Tokens } from './token.js';
import { Failure, parseBase, sender } from './transport.js';
import { wait } from './wait.js';

const MAX_AGE_MS = 300_000; // of a sealed reply, against this machine's clock
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const VISIBLE = /^[!-~]{1,128}$/;

/** A new random key. Store it before the call: a program that crashed repeats the call with it. */
export const newKey = () => randomUUID();

/** An amount in paise as the number of rupees that the interface takes. */
export function rupees(paise) {
  if (!Number.isSafeInteger(paise)) throw new TypeError('paise must be a whole number');
  return paise / 100; // JSON writes the shortest number that is nearest, so never more than two decimals
}

/** Reads the options that both clients have. */
function settle(options) {
  const { timeout = 45, attempts = 4, maxRetryAfter = 30 } = options;
  if (!(timeout > 0) || !Number.isInteger(attempts) || attempts < 1 || !(maxRetryAfter >= 0)) {
    throw new TypeError('timeout must be positive, attempts at least 1, maxRetryAfter at least 0');
  }
  return {
    attempts, maxRetryAfter, merchantId: options.merchantId,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms) => new Promise((done) => setTimeout(done, ms))),
    send: sender(parseBase(options.baseUrl, options.insecure), { timeout: timeout * 1000, tls: options.tls }),
  };
}

/** Puts the fields of a call where they travel. */
function place(route, params, { merchantId, sealed }) {
  const fields = { ...params };
  if (route.acting && merchantId !== undefined && fields.merchantId === undefined) fields.merchantId = merchantId;
  let path = route.path;
  const query = new URLSearchParams();
  for (const [name, where] of Object.entries(route.fields ?? {})) {
    const value = fields[name];
    if (where === 'path') {
      if (value === undefined || String(value) === '') throw new TypeError(`${route.name} needs ${name}`);
      path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
      delete fields[name];
    } else if (!sealed) {
      if (value !== undefined) query.set(name, String(value));
      delete fields[name];
    }
  }
  if (query.size ?? [...query].length) path += `?${query}`;
  const json = sealed || route.method !== 'GET' ? JSON.stringify(fields) : undefined;
  return { path, json, fields };
}

/** Runs the attempts of a call, all with its key. */
async function run(client, call, attempts = client.attempts) {
  let doubt = false;
  for (let n = 1; ; n++) {
    let attempt;
    try {
      attempt = { reply: await client.exchange(call) };
    } catch (failure) {
      if (!(failure instanceof Failure) && !(failure instanceof AuthenticationError)) throw failure;
      attempt = { failure, sent: failure.sent === true };
    }
    const verdict = judge(call, attempt, doubt);
    doubt ||= verdict.doubt === true;
    const pause = verdict.after === undefined ? backoff(n, client.random) : verdict.after * 1000;
    if (verdict.repeat && n < attempts && pause <= client.maxRetryAfter * 1000) {
      await client.sleep(pause);
      continue;
    }
    if (verdict.result) return verdict.result;
    throw verdict.error;
  }
}

/** Milliseconds before attempt n+1: 0.25 s, doubled up to 4 s, with jitter. */
function backoff(n, random) {
  return Math.min(250 * 2 ** (n - 1), 4000) * (0.5 + random() / 2);
}

/** Prepares a call of a route. */
function prepare(route, params, options, { merchantId, sealed }) {
  const key = options.idempotencyKey ?? newKey();
  if (sealed ? !UUID.test(key) : !VISIBLE.test(key)) {
    throw new TypeError(sealed ? 'at the gateway an idempotencyKey is a UUID in lower case' : 'an idempotencyKey has 1 to 128 visible ASCII characters');
  }
  return { route, key, sealed, ...place(route, params, { merchantId, sealed }) };
}

/** Finds the route of a path, for call(). A path that is none of the document's is sent as it is. */
function routeOf(method, path) {
  const plain = path.split('?')[0];
  for (const route of Object.values(routes)) {
    if (route.method === method && new RegExp(`^${route.path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(plain)) return route;
  }
  return { name: `${method} ${plain}`, method, path, kind: 'record', repeatable: method === 'GET', gateway: true };
}

/** A call of any path: body is an object, or the text of one. */
function prepareRaw(method, path, body, options, about) {
  if (!path.startsWith('/') || path.startsWith('/process/')) throw new TypeError('the path must be that of the direct route, such as /aeps/balance');
  const route = routeOf(method, path);
  const call = prepare({ ...route, path, fields: undefined, acting: false }, {}, options, about);
  if (body !== undefined && (about.sealed || method !== 'GET')) {
    call.json = typeof body === 'string' ? body : JSON.stringify(body);
  }
  call.route = route;
  try {
    call.fields = JSON.parse(call.json ?? '{}');
  } catch {
    throw new TypeError('the body must be one JSON object');
  }
  return call;
}

/** Calls the central directly, with an access token. */
export class DirectClient extends DirectRoutes {
  #set;
  #about;

  constructor(options) {
    super();
    const { clientId, clientSecret } = options;
    if (!clientId || !clientSecret) throw new TypeError('clientId and clientSecret must be given');
    const set = settle(options);
    const tokens = new Tokens(clientId, clientSecret, set);
    this.#about = `DirectClient(${options.baseUrl}, ${clientId})`;
    this.#set = { ...set, sealed: false, exchange: (call) => direct(set, tokens, call) };
  }

  [invoke](route, params = {}, options = {}) {
    return launch(this.#set, () => prepare(route, params, options, this.#set));
  }

  /** Any path, for what has no method; gives the same result. */
  call(method, path, body, options = {}) {
    return launch(this.#set, () => prepareRaw(method, path, body, options, this.#set));
  }

  wait(result, options) {
    return wait({ ...this.#set, run, client: this }, result, options);
  }

  toString() {
    return this.#about;
  }

  [inspect.custom]() {
    return this.#about;
  }
}

/** Calls the gateway, with sealed messages. */
export class GatewayClient extends GatewayRoutes {
  #set;
  #about;

  constructor(options) {
    super();
    const { clientId } = options;
    if (!clientId || !options.key) throw new TypeError('clientId (the API key) and key (the encryption key) must be given');
    const set = settle(options);
    const key = parseKey(options.key);
    this.#about = `GatewayClient(${options.baseUrl}, ${clientId})`;
    this.#set = { ...set, sealed: true, exchange: (call) => sealed(set, clientId, key, call) };
  }

  [invoke](route, params = {}, options = {}) {
    return launch(this.#set, () => prepare(route, params, options, this.#set));
  }

  /** Any path without /process, for what has no method; gives the same result. */
  call(method, path, body, options = {}) {
    return launch(this.#set, () => prepareRaw(method, path, body, options, this.#set));
  }

  wait(result, options) {
    return wait({ ...this.#set, run, client: this }, result, options);
  }

  toString() {
    return this.#about;
  }

  [inspect.custom]() {
    return this.#about;
  }
}

/** Prepares and runs, so that a mistake of the caller rejects like every other error. */
async function launch(set, prepared) {
  return run(set, prepared());
}

/** One attempt on the direct route; a token that has ended is replaced once. */
async function direct(set, tokens, call) {
  const headers = {};
  if (call.route.method !== 'GET') headers['Idempotency-Key'] = call.key;
  for (let first = true; ; first = false) {
    const token = call.route.open ? undefined : await tokens.get();
    if (token) headers.Authorization = `Bearer ${token}`;
    const reply = await set.send({ method: call.route.method, path: call.path, headers, body: call.json });
    if (reply.status === 401 && token && first) {
      tokens.forget(token);
      continue;
    }
    return { ...reply, genuine: true };
  }
}

/** One attempt through the gateway, with a new IV and time. */
async function sealed(set, clientId, key, call) {
  const path = `/process${call.path}`;
  const { method } = call.route;
  const m = sealRequest(key, { method, path, clientId, requestId: call.key, json: call.json, timestamp: set.now() });
  const reply = await set.send({
    method, path, body: JSON.stringify({ payload: m.payload }),
    headers: {
      'X-Client-Id': clientId, 'X-Timestamp': m.timestamp, 'X-Request-Id': m.requestId, 'X-IV': m.iv, 'X-Tag': m.tag, 'X-Checksum': m.checksum,
    },
  });
  const h = reply.headers;
  if (!h['x-checksum']) return { ...reply, text: reply.status === 401 ? reply.text : '', genuine: false };
  try {
    const sent = {
      requestId: h['x-request-id'] ?? '', timestamp: h['x-timestamp'] ?? '', iv: h['x-iv'] ?? '', tag: h['x-tag'] ?? '',
      checksum: h['x-checksum'], payload: String(JSON.parse(reply.text).payload),
    };
    const text = openReply(key, reply.status, sent);
    if (sent.requestId !== call.key) throw new Error('the reply belongs to another call');
    if (!(Math.abs(set.now() - Number(sent.timestamp)) <= MAX_AGE_MS)) throw new Error("the reply's time is not now");
    return { ...reply, text, genuine: true };
  } catch (error) {
    const failure = new Failure(new Error(`the reply is not genuine: ${error.message}`), true);
    failure.final = true;
    throw failure;
  }
}

