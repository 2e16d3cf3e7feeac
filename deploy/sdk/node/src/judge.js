// The retry rule: what is done after one attempt of a call.

import {
  AuthenticationError, ConflictError, NotSentError, OutcomeUnknownError, RateLimitError, RefusedError, ValidationError,
} from './errors.js';
import { resultOf } from './result.js';

const parse = (text) => {
  try {
    const body = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Judges one attempt. attempt is {reply}, or {failure, sent}. doubt tells that an earlier
 * attempt of the same call may have run. Gives:
 *   result, error  what the caller gets if it is not repeated
 *   repeat         the same call with the same key is safe, and may help
 *   after          seconds to wait first, where the other side said it
 *   doubt          the call may have run
 */
export function judge(call, attempt, doubt) {
  const { route } = call;
  if (attempt.failure) return judgeFailure(call, attempt, doubt);
  const { reply } = attempt;
  const body = parse(reply.text);
  const about = {
    httpStatus: reply.status, statusCode: body?.statusCode, requestId: reply.headers['x-request-id'], idempotencyKey: call.key, reply: reply.text,
  };
  const unknown = (why) => new OutcomeUnknownError(`${why}: it is not known whether the call ran; repeat it with the same key`, about);
  if (!reply.genuine && reply.status !== 401) {
    // At the gateway, what is not sealed proves nothing.
    const busy = reply.status === 429 || reply.status >= 500;
    return { error: unknown(`HTTP ${reply.status} without the gateway's headers: something else answered`), repeat: busy && route.repeatable, after: retryAfter(reply), doubt: true };
  }
  if (reply.status === 200 && /^text\/csv/.test(reply.headers['content-type'] ?? '')) {
    return { result: resultOf(call, reply, { statusCode: '00' }, 'success') }; // a file: its text is reply
  }
  if (reply.status === 200 || reply.status === 201) {
    if (!body) return { error: unknown(`HTTP ${reply.status} with a body that is no JSON object`), repeat: false, doubt: true };
    return { result: resultOf(call, reply, body) };
  }
  const said = body?.message ?? `HTTP ${reply.status}`;
  // What is only true of this attempt says nothing of an earlier one; a stored reply does.
  const withDoubt = (error, rest = {}) =>
    doubt && reply.headers['idempotent-replayed'] !== 'true' ? { error: new OutcomeUnknownError(`${said}, after an attempt whose outcome is not known: repeat the call with the same key`, { ...about, cause: error }), ...rest, doubt } : { error, ...rest };
  switch (reply.status) {
    case 400:
      return { error: new ValidationError(said, { ...about, fields: fieldsOf(body) }) };
    case 401:
      return withDoubt(new AuthenticationError(call.sealed ? 'not authenticated: look at the client id, the key, the clock, and what the checksum covers' : said, about));
    case 409:
      return { error: new ConflictError(said, about) };
    case 429: {
      const after = retryAfter(reply);
      return withDoubt(new RateLimitError(said, { ...about, retryAfter: after }), { repeat: true, after });
    }
    case 502:
      if (body?.statusCode === '10') return judgeBank(call, reply, body, about, said);
  }
  if (reply.status >= 500) {
    return { error: unknown(said), repeat: route.repeatable || reply.status === 503, after: retryAfter(reply), doubt: true };
  }
  if (reply.status >= 400) return withDoubt(new RefusedError(said, about));
  return { error: unknown(`HTTP ${reply.status}`), repeat: false, doubt: true };
}

/** HTTP 502, 10: the bank network was not reached, or has not answered a step that moves no money. */
function judgeBank(call, reply, body, about, said) {
  if (call.route.identity && body.reference) return { result: resultOf(call, reply, body, 'pending'), repeat: true };
  const error = new NotSentError(call.route.identity ? `${said} (this key is used up: a new call needs a new one)` : said, about);
  return { error, repeat: !call.route.identity && call.route.repeatable };
}

function judgeFailure(call, { failure, sent }, doubt) {
  const about = { idempotencyKey: call.key, cause: failure };
  if (failure instanceof AuthenticationError && !doubt) return { error: Object.assign(failure, { idempotencyKey: call.key }) };
  if (sent || doubt) {
    const why = sent ? failure.message : `${failure.message}, after an attempt whose outcome is not known`;
    return {
      error: new OutcomeUnknownError(`${why}: it is not known whether the call ran; repeat it with the same key`, about),
      repeat: call.route.repeatable && !failure.final, doubt: true,
    };
  }
  return { error: new NotSentError(`the central could not be reached, and nothing was sent: ${failure.message}`, about), repeat: !failure.final };
}

function fieldsOf(body) {
  const list = body?.data?.errors;
  if (!Array.isArray(list)) return [];
  return list.map((f) => ({ field: String(f?.field), rule: String(f?.rule), message: String(f?.message) }));
}

function retryAfter(reply) {
  const text = reply.headers['retry-after'];
  return /^[0-9]{1,6}$/.test(text ?? '') ? Number(text) : undefined;
}
