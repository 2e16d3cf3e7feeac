// Access tokens by OAuth client credentials.

import { AuthenticationError } from './errors.js';
import { Failure } from './transport.js';

const EARLY_MS = 60_000; // a token is renewed so long before its end

const form = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export class Tokens {
  #basic;
  #set;
  #token;
  #renewAt = 0;
  #asking;

  constructor(clientId, clientSecret, set) {
    this.#basic = `Basic ${Buffer.from(`${form(clientId)}:${form(clientSecret)}`).toString('base64')}`;
    this.#set = set;
  }

  /** Gives a token that still lives. Calls at the same time share one request. */
  async get() {
    if (this.#token && this.#set.now() < this.#renewAt) return this.#token;
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Drops a token that was refused, unless another one is in use by now. */
  forget(token) {
    if (this.#token === token) this.#token = undefined;
  }

  async #ask() {
    const began = this.#set.now();
    let reply;
    try {
      reply = await this.#set.send({
        method: 'POST', path: '/oauth/token', body: 'grant_type=client_credentials',
        headers: { Authorization: this.#basic, 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
      });
    } catch (error) {
      throw new Failure(new Error(`no access token: ${error.message}`), false); // the call itself was not sent
    }
    if (reply.status === 400 || reply.status === 401) {
      throw new AuthenticationError('no access token: the client id or secret is wrong, or the client is suspended', { httpStatus: reply.status, statusCode: '03' });
    }
    let body;
    try {
      body = JSON.parse(reply.text);
    } catch {
      body = undefined;
    }
    if (reply.status !== 200 || typeof body?.access_token !== 'string' || !(body.expires_in > 0)) {
      throw new Failure(new Error(`no access token: HTTP ${reply.status} from /oauth/token`), false);
    }
    const life = body.expires_in * 1000;
    this.#token = body.access_token;
    this.#renewAt = began + (life > 2 * EARLY_MS ? life - EARLY_MS : life / 2);
    return this.#token;
  }
}
