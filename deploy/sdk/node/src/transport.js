// One HTTP exchange, and how far it came.

import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const MAX_REPLY_BYTES = 4 << 20;
const MAX_FILE_BYTES = 64 << 20;

/** Reads the address of a central. Without insecure, http goes to this machine only. */
export function parseBase(text, insecure) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new Error('baseUrl must be an address such as https://api.example.org');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('baseUrl must begin with https://');
  if (url.username || url.password || url.search || url.hash) throw new Error('baseUrl must have no credentials, query or fragment');
  const here = host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
  if (url.protocol === 'http:' && !here && !insecure) throw new Error('baseUrl is http to another machine, which anyone between can read: use https, or set insecure');
  return { secure: url.protocol === 'https:', host, port: url.port || undefined, prefix: url.pathname.replace(/\/+$/, '') };
}

/**
 * Makes a sender for an address. It gives {status, headers, text}, or throws a Failure whose
 * sent tells whether a byte of the request may have left. Redirects are not followed.
 */
export function sender(base, { timeout, tls }) {
  const agent = base.secure ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const request = base.secure ? httpsRequest : httpRequest;
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      let sent = false;
      const fail = (error) => reject(new Failure(error, sent));
      const content = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const r = request({ host: base.host, port: base.port, method, path: base.prefix + path, agent, headers: { ...content, ...headers } }, (reply) => {
        const parts = [];
        const limit = /^text\/csv/.test(reply.headers['content-type'] ?? '') ? MAX_FILE_BYTES : MAX_REPLY_BYTES;
        let size = 0;
        reply.on('data', (part) => {
          size += part.length;
          if (size > limit) r.destroy(new Error(`the reply has more than ${limit >> 20} MiB`));
          parts.push(part);
        });
        reply.on('error', fail);
        reply.on('aborted', () => fail(new Error('the reply broke off')));
        reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, text: Buffer.concat(parts).toString('utf8') }));
      });
      const clock = setTimeout(() => r.destroy(new Error(`no reply within ${timeout / 1000} s`)), timeout);
      r.on('socket', (socket) => {
        if (r.reusedSocket || (!base.secure && !socket.connecting)) sent = true;
        else socket.once(base.secure ? 'secureConnect' : 'connect', () => (sent = true));
      });
      r.on('error', fail);
      r.on('close', () => clearTimeout(clock));
      r.end(body);
    });
}

/** An exchange without a reply. sent: the other side may have got it. */
export class Failure extends Error {
  constructor(error, sent) {
    super(error.message, { cause: error });
    this.sent = sent;
  }
}
