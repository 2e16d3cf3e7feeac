// The end of a pending operation.

import { NotSentError, OutcomeUnknownError, RateLimitError } from './errors.js';
import { Result } from './result.js';

/** Asks until a pending result is final or the time is over; then it gives the newest pending one. */
export async function wait(set, result, { timeout = 120 } = {}) {
  if (!(result instanceof Result)) throw new TypeError('wait takes the result of a call');
  const call = Result.callOf(result);
  const end = set.now() + timeout * 1000;
  let pause = 1000;
  while (result.state === 'pending') {
    const left = end - set.now();
    if (left <= 0) return result;
    await set.sleep(Math.min(pause, left));
    pause = Math.min(pause * 2, 10_000);
    try {
      result = await ask(set, call, result);
    } catch (error) {
      if (!passing(error, requeried(call.route))) throw error;
    }
  }
  return result;
}

/** Tells whether a requery asks for the state of a call. Otherwise the call itself is repeated. */
const requeried = (route) => (route.aeps && route.identity) || route.name === 'dmtTransactionInstant';

/**
 * Tells whether a later question may be answered. Where the call itself is repeated, HTTP 502
 * says that it was never sent to the bank, which is final for its key.
 */
const passing = (error, asked) =>
  error instanceof OutcomeUnknownError || error instanceof RateLimitError || (error instanceof NotSentError && (asked || error.httpStatus === undefined));

/** Asks once for the state of a call. */
async function ask(set, call, result) {
  const { route } = call;
  if (route.aeps && route.identity) return about(call, await requery(set, call, result), result);
  if (route.name === 'dmtTransactionInstant') {
    return about(call, await set.client.dmtTransactionRequery(acting(call, { refId: call.fields.refId })), result);
  }
  return set.run(set, call, 1); // the same key and body: it runs nothing again
}

/** Asks for an AEPS transaction by the name that it has. */
async function requery(set, call, result) {
  const by = name(call.fields.clientRefId, result.reference);
  if (by) return set.client.aepsRequery(acting(call, by));
  if (!set.client.operationsGet) {
    throw Object.assign(new Error('the pending reply has no reference: repeat the call with the same key'), { idempotencyKey: call.key });
  }
  const operation = (await set.client.operationsGet({ id: call.key })).orThrow();
  return set.client.aepsRequery(acting(call, { RetailerReferenceNumber: operation.data.reference }));
}

function name(clientRefId, reference) {
  if (clientRefId) return { clientRefId };
  if (!reference) return undefined;
  return reference.startsWith('GL') ? { RetailerReferenceNumber: reference } : { reference };
}

/** A question names the same merchant as the call. */
const acting = (call, params) => (call.fields.merchantId === undefined ? params : { ...params, merchantId: call.fields.merchantId });

/** The answer to a question, as the result of the call itself. */
const about = (call, answer, before) => Result.as(answer, call, before);
