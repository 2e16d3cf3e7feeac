// A central that answers what a test says.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { DirectClient, GatewayClient } from '@galla/sdk';
import { decrypt, encrypt, parseKey } from '@galla/sdk/envelope';
import { createHmac, randomBytes } from 'node:crypto';

export const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
export const SECRET = 'sandbox-merchant-1';
export const AADHAAR = '999941057058';
export const PID = '<PidData>finger-of-somebody</PidData>';
export const withdrawal = { AadharNo: AADHAAR, TxnAmount: 500, Latitude: '1', Longitude: '2', CustomerName: 'A', PidData: PID };

/**
 * Starts a fake central. answers are taken in their order, the last one for ever:
 * [status, body, headers], or 'break' (the connection breaks after the request).
 */
export async function fake(t, ...answers) {
  const calls = [];
  const tokens = { given: 0, life: 900, status: 200, delay: 0 };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString('utf8');
    if (request.url === '/oauth/token') {
      tokens.given++;
      tokens.last = { headers: request.headers, body };
      if (tokens.delay) await new Promise((done) => setTimeout(done, tokens.delay));
      const reply = tokens.status === 200 ? { access_token: `token-${tokens.given}`, token_type: 'Bearer', expires_in: tokens.life } : { error: 'invalid_client' };
      response.writeHead(tokens.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
      return;
    }
    calls.push({ method: request.method, url: request.url, headers: request.headers, body });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === 'break') return request.socket.destroy();
    const [status, reply, headers = {}, how] = answer;
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
    if (request.url.startsWith('/process/') && how !== 'plain') return seal(request, response, status, text, headers, how);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const pauses = [];
  const options = { baseUrl, random: () => 1, sleep: async (ms) => void pauses.push(ms) };
  return {
    calls, tokens, pauses, baseUrl, server,
    direct: (more) => new DirectClient({ ...options, clientId: 'merchant', clientSecret: SECRET, ...more }),
    gateway: (more) => new GatewayClient({ ...options, clientId: 'vk_1', key: KEY, ...more }),
  };
}

/** Answers as the gateway does, or spoiled as how says. */
function seal(request, response, status, text, headers, how) {
  const key = parseKey(KEY);
  const m = {
    timestamp: String(Date.now() - (how === 'old' ? 400_000 : 0)),
    requestId: how === 'other' ? '00000000-0000-4000-8000-000000000000' : request.headers['x-request-id'],
    ...encrypt(key, randomBytes(12), text),
  };
  const sumKey = createHmac('sha256', key).update('galla/gateway/checksum/v1').digest();
  const lines = ['galla-v1-response', String(how === 'status' ? status + 1 : status), m.requestId, m.timestamp, m.iv, m.tag, m.payload];
  response
    .writeHead(status, {
      ...headers, 'X-Timestamp': m.timestamp, 'X-Request-Id': m.requestId, 'X-IV': m.iv, 'X-Tag': m.tag,
      'X-Checksum': createHmac('sha256', sumKey).update(lines.join('\n')).digest('hex'),
    })
    .end(JSON.stringify({ payload: m.payload }));
}

/** The JSON that a message to the fake gateway holds. */
export function opened(call) {
  const { payload } = JSON.parse(call.body);
  return JSON.parse(decrypt(parseKey(KEY), { iv: call.headers['x-iv'], tag: call.headers['x-tag'], payload }));
}

export const approved = [200, { statusCode: '00', message: 'Transaction successful', data: { ResponseCode: '00', txnStatus: 'SUCCESS', RetailerReferenceNumber: 'GL1', AadharNo: 'XXXXXXXX7058' } }];
export const pending = [200, { statusCode: '00', message: 'Transaction pending', txnStatus: 'PENDING', reference: 'AEPS-NR-1' }];
