// The errors of the SDK. None holds a body, a secret or a token.

/** An error of a call. idempotencyKey repeats the call; it is absent for what is no call. */
export class GallaError extends Error {
  constructor(message, { httpStatus, statusCode, requestId, idempotencyKey, reply, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.httpStatus = httpStatus;
    this.statusCode = statusCode;
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
    // Not shown where an error is printed.
    Object.defineProperty(this, 'reply', { value: reply, enumerable: false });
  }
}

/** 400: nothing ran, and no key was used up. fields has every wrong field at once. */
export class ValidationError extends GallaError {
  constructor(message, { fields = [], ...rest } = {}) {
    super(fields.length ? `${message}: ${fields.map((f) => `${f.field} ${f.message}`).join('; ')}` : message, rest);
    this.fields = fields;
  }
}

/** 401: the client, its secret or key, or the clock. */
export class AuthenticationError extends GallaError {}

/** 403, 404, 405, 413, 422: nothing ran, or the bank's word forbade it. message says why. */
export class RefusedError extends GallaError {}

/** 409: the key, clientRefId or refId belongs to another request, or the record exists. This request did not run. */
export class ConflictError extends GallaError {}

/** 429 after all attempts: nothing ran. retryAfter is in seconds, where the central said it. */
export class RateLimitError extends GallaError {
  constructor(message, { retryAfter, ...rest } = {}) {
    super(message, rest);
    this.retryAfter = retryAfter;
  }
}

/** Nothing was sent to the bank, and no money moved. A new call, with a new key, is safe. */
export class NotSentError extends GallaError {}

/** No genuine final reply came: it may have run or not. Repeat it with the same key and body, never with another key. */
export class OutcomeUnknownError extends GallaError {}

/** By Result.orThrow(): the bank said no, or gave the money back. */
export class DeclinedError extends GallaError {
  constructor(message, { responseCode, state, reference, ...rest } = {}) {
    super(message, rest);
    this.responseCode = responseCode;
    this.state = state;
    this.reference = reference;
  }
}

/** By Result.orThrow(): neither success nor failure yet. */
export class PendingError extends GallaError {
  constructor(message, { reference, ...rest } = {}) {
    super(message, rest);
    this.reference = reference;
  }
}

/** A callback that must not be believed. reason: missing-header, bad-timestamp, too-old, bad-signature or bad-body. */
export class CallbackError extends GallaError {
  constructor(message, reason) {
    super(message);
    this.reason = reason;
  }
}
