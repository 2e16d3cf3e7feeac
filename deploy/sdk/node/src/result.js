// What a reply means.

import { inspect } from 'node:util';
import { DeclinedError, PendingError } from './errors.js';

/** A reply: success, declined, reversed or pending. */
export class Result {
  #call;

  constructor(fields, call) {
    Object.assign(this, fields);
    this.#call = call;
  }

  get ok() {
    return this.state === 'success';
  }

  /** Gives the result itself where it is a success, and throws DeclinedError or PendingError otherwise. */
  orThrow() {
    if (this.ok) return this;
    const about = { httpStatus: this.httpStatus, statusCode: this.statusCode, requestId: this.requestId, idempotencyKey: this.idempotencyKey, reference: this.reference, reply: this.reply };
    if (this.state === 'pending') throw new PendingError(this.message, about);
    throw new DeclinedError(`${this.message} (${this.responseCode})`, { ...about, responseCode: this.responseCode, state: this.state });
  }

  /** The answer of a requery, as a result of the call that it is about. */
  static as(answer, call, before) {
    const pending = answer.state === 'pending';
    const reference = answer.reference ?? (pending ? before.reference : undefined);
    const result = new Result({ ...answer, idempotencyKey: call.key, reference }, pending ? call : undefined);
    Object.defineProperty(result, 'reply', { value: answer.reply, enumerable: false });
    return result;
  }

  /** The request, for wait; it may have a capture in it, so nothing shows it. */
  static callOf(result) {
    return result.#call;
  }

  toString() {
    return `${this.state} ${this.statusCode} ${this.message} (key ${this.idempotencyKey}${this.reference ? `, reference ${this.reference}` : ''})`;
  }

  toJSON() {
    const { ok, state, statusCode, message, responseCode, reference, idempotencyKey, replayed, httpStatus, requestId } = this;
    return { ok, state, statusCode, message, responseCode, reference, idempotencyKey, replayed, httpStatus, requestId };
  }

  [inspect.custom]() {
    return `Result(${this.toString()})`;
  }
}

const STATES = { SUCCESS: 'success', REFUNDED: 'success', REVERSED: 'reversed', PENDING: 'pending', FAILED: 'declined' };

/** The state of a reply with HTTP status 200 or 201. What does not say that it succeeded has not. */
function stateOf(route, body) {
  const data = body.data;
  if (body.txnStatus === 'PENDING' || (route.pending && body.message === 'Transaction pending')) return 'pending';
  if (route.bare && body.statusCode === undefined) return 'success';
  if (route.aeps) {
    if (body.statusCode !== '00') return 'declined';
    if (!data) return 'pending'; // the interface: no data is pending, and not failed
    if (data.txnStatus !== undefined) return STATES[data.txnStatus] ?? 'pending';
    return data.ResponseCode === '00' ? 'success' : 'declined';
  }
  if (route.transfer && data?.status !== undefined) {
    const state = STATES[data.status] ?? 'pending';
    return state === 'success' && body.statusCode !== '00' ? 'declined' : state;
  }
  return body.statusCode === '00' ? 'success' : 'declined';
}

/** Builds the result of a reply. */
export function resultOf(call, { status, headers, text }, body, state = stateOf(call.route, body)) {
  const route = call.route;
  const known = ['statusCode', 'message', 'data', 'txnStatus', 'reference'];
  const extra = {};
  for (const name of Object.keys(body)) if (!known.includes(name) && !route.bare) extra[name] = body[name];
  const bare = route.bare && body.statusCode === undefined;
  const fields = {
    state,
    statusCode: bare ? '00' : String(body.statusCode),
    message: bare ? '' : String(body.message ?? ''),
    responseCode: body.data?.ResponseCode ?? (bare ? '00' : String(body.statusCode)),
    data: bare ? body : body.data,
    extra,
    reference: body.reference,
    idempotencyKey: call.key,
    replayed: headers['idempotent-replayed'] === 'true',
    httpStatus: status,
    requestId: headers['x-request-id'],
  };
  const result = new Result(fields, state === 'pending' ? call : undefined);
  Object.defineProperty(result, 'reply', { value: text, enumerable: false });
  return result;
}
