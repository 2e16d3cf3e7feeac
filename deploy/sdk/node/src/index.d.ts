import type { DirectRoutes, Extra, GatewayRoutes } from './routes.js';

export * from './routes.js';

export type State = 'success' | 'declined' | 'reversed' | 'pending';

/** What both clients take. */
export interface ClientOptions {
  /** The central's address: https://… ; http only for this machine, or with insecure. */
  baseUrl: string;
  /** Whom calls act for, where a route has merchantId and the call has none. Vendors need it. */
  merchantId?: string;
  /** Seconds for one attempt; 45. */
  timeout?: number;
  /** Attempts of one call, all with its key; 4. With 1 nothing is repeated. */
  attempts?: number;
  /** The longest Retry-After that is waited for, in seconds; 30. */
  maxRetryAfter?: number;
  /** Allows http to another machine. */
  insecure?: boolean;
  /** Options of node:tls, such as ca. */
  tls?: { ca?: string | Uint8Array | Array<string | Uint8Array>; servername?: string };
  /** For tests: the clock in milliseconds, the pause, and randomness from 0 to 1. */
  now?: () => number;
  sleep?: (ms: number) => Promise<void>;
  random?: () => number;
}

export interface DirectOptions extends ClientOptions {
  clientId: string;
  clientSecret: string;
}

export interface GatewayOptions extends ClientOptions {
  /** The API key. */
  clientId: string;
  /** The encryption key: 64 hex or 44 base64 characters. */
  key: string;
}

export interface CallOptions {
  /** The operation's identity; by default a random one. At the gateway a UUID in lower case. */
  idempotencyKey?: string;
}

/** A reply. A decline of the bank and a pending operation are results, too. */
export declare class Result<T> {
  private constructor();
  /** Whether state is success. */
  readonly ok: boolean;
  readonly state: State;
  readonly statusCode: string;
  readonly message: string;
  /** The bank's code: data.ResponseCode of AEPS, otherwise statusCode. */
  readonly responseCode: string;
  /** Absent while pending, and mostly when declined. */
  readonly data?: T;
  /** What stands beside data, such as pagination. */
  readonly extra: Extra;
  /** Names a pending operation. */
  readonly reference?: string;
  /** The key of the call, to repeat it. */
  readonly idempotencyKey: string;
  /** The stored reply of an earlier call. */
  readonly replayed: boolean;
  readonly httpStatus: number;
  readonly requestId?: string;
  /** The text of the reply. */
  readonly reply: string;
  /** Gives the result where it is a success; throws DeclinedError or PendingError otherwise. */
  orThrow(): Result<T> & { readonly data: T };
  /** Names state, code, message, key and reference only. So does JSON.stringify. */
  toString(): string;
}

interface Client {
  /** Asks until a pending result is final, or for so many seconds (120); then gives the newest pending one. */
  wait<T>(result: Result<T>, options?: { timeout?: number }): Promise<Result<T>>;
  /** Any path, such as POST /aeps/balance, for what has no method. A text is sent as it is. */
  call(method: string, path: string, body?: object | string, options?: CallOptions): Promise<Result<unknown>>;
}

/** Calls the central directly: for merchants, vendors and aggregators. */
export declare class DirectClient extends DirectRoutes {
  constructor(options: DirectOptions);
}
export interface DirectClient extends Client {}

/** Calls the gateway with sealed messages: for vendors. */
export declare class GatewayClient extends GatewayRoutes {
  constructor(options: GatewayOptions);
}
export interface GatewayClient extends Client {}

/** A new random key. Store it before the call, to repeat the call after a crash. */
export declare function newKey(): string;
/** An amount in paise as the rupees that the interface takes: 11050 is 110.5. */
export declare function rupees(paise: number): number;

/** A pending operation that ended. */
export interface Event {
  /** The same at each delivery: remember it. */
  webhookId: string;
  type: 'operation.finished' | (string & {});
  timestamp: string;
  data: import('./routes.js').FinishedOperation;
}

/** Verifies a callback and gives its event. Throws CallbackError. */
export declare function verifyCallback(callback: {
  /** The body as it arrived. */
  body: string | Uint8Array;
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>;
  /** whsec_…; two while the secret is changed. */
  secrets: string | string[];
  /** Seconds; 300. */
  tolerance?: number;
  now?: () => number;
}): Event;

/** An error of a call. */
export declare class GallaError extends Error {
  readonly httpStatus?: number;
  readonly statusCode?: string;
  readonly requestId?: string;
  /** Repeats the call. */
  readonly idempotencyKey?: string;
  /** The text of the reply, where there was one. */
  readonly reply?: string;
}
export interface FieldFault {
  field: string;
  rule: string;
  message: string;
}
/** 400: nothing ran, and no key was used up. */
export declare class ValidationError extends GallaError {
  readonly fields: FieldFault[];
}
/** 401: the client, its secret or key, or the clock. */
export declare class AuthenticationError extends GallaError {}
/** 403, 404, 405, 413, 422: message says why. */
export declare class RefusedError extends GallaError {}
/** 409: the key or reference belongs to another request, or the record exists. This request did not run. */
export declare class ConflictError extends GallaError {}
/** 429 after all attempts: nothing ran. */
export declare class RateLimitError extends GallaError {
  readonly retryAfter?: number;
}
/** Nothing was sent to the bank, and no money moved. A new call with a new key is safe. */
export declare class NotSentError extends GallaError {}
/** It may have run or not: repeat it with the same key and body, never with another key. */
export declare class OutcomeUnknownError extends GallaError {}
/** By orThrow: the bank said no, or gave the money back. */
export declare class DeclinedError extends GallaError {
  readonly responseCode: string;
  readonly state: State;
  readonly reference?: string;
}
/** By orThrow: neither success nor failure yet. */
export declare class PendingError extends GallaError {
  readonly reference?: string;
}
export declare class CallbackError extends GallaError {
  readonly reason: 'missing-header' | 'bad-timestamp' | 'too-old' | 'bad-signature' | 'bad-body';
}
