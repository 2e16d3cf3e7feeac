#!/usr/bin/env node
// One request through the gateway.
//
//   GALLA_GATEWAY=http://127.0.0.1:7100 GALLA_CLIENT_ID=… GALLA_KEY=… \
//     node examples/call.mjs call POST /aeps/balance < body.json
//   node examples/call.mjs vectors gateway.json
//
// The route is the direct one. The body is a JSON object, from the last argument or (better,
// since arguments can be read by every user of a machine) from standard input; none means {}.
// The key comes from the environment only. GALLA_REQUEST_ID repeats an earlier request: same
// id, same body.

import { readFileSync } from 'node:fs';
import { GatewayClient, newKey } from '@galla/sdk';
import { decrypt, encrypt, fromBase64, openReply, parseKey, sealRequest } from '@galla/sdk/envelope';

/** Checks the SDK's envelope with messages that another program made. */
function checkVectors(file) {
  const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
  for (const v of vectors) {
    const expect = (ok, what) => { if (!ok) throw new Error(`vector "${v.name}": ${what}`); };
    const key = parseKey(v.key_hex);
    expect(key.equals(parseKey(v.key_base64)), 'the two spellings of the key differ');
    const m = { clientId: v.client_id, requestId: v.request_id, timestamp: v.timestamp, iv: v.iv, tag: v.tag, payload: v.payload, checksum: v.checksum };
    if (v.direction === 'request') {
      const sealed = sealRequest(key, {
        method: v.method, path: v.path, clientId: v.client_id, requestId: v.request_id, json: v.plaintext,
        timestamp: v.timestamp, iv: fromBase64(v.iv, 'iv'),
      });
      for (const part of Object.keys(m)) expect(sealed[part] === m[part], `${part} differs`);
      expect(decrypt(key, m) === v.plaintext, 'opens to another text');
      continue;
    }
    expect(openReply(key, v.http_status, m) === v.plaintext, 'opens to another text');
    const again = encrypt(key, fromBase64(v.iv, 'iv'), v.plaintext);
    expect(again.payload === v.payload && again.tag === v.tag, 'is sealed differently');
    let refused = false;
    try { openReply(key, v.http_status + 1, m); } catch { refused = true; }
    expect(refused, 'opens with another status');
  }
  if (!vectors.length) throw new Error(`${file} has no vectors`);
  console.log(`${vectors.length} vectors: all right`);
}

async function call(method, route, given) {
  const env = process.env;
  const body = (given ?? (process.stdin.isTTY ? '' : readFileSync(0, 'utf8'))).trim() || '{}';
  const idempotencyKey = env.GALLA_REQUEST_ID || newKey();
  const client = new GatewayClient({ baseUrl: env.GALLA_GATEWAY, clientId: env.GALLA_CLIENT_ID, key: env.GALLA_KEY });
  try {
    const result = await client.call(method, route, body, { idempotencyKey });
    console.log(`HTTP ${result.httpStatus}\n${result.reply}`);
  } catch (error) {
    if (error.httpStatus >= 400 && error.httpStatus !== 401 && error.reply) {
      console.log(`HTTP ${error.httpStatus}\n${error.reply}`);
      return;
    }
    throw new Error(`${error.message}\nA repeat is safe with the same id and body: GALLA_REQUEST_ID=${idempotencyKey}`);
  }
}

async function main([mode, ...args]) {
  if (mode === 'vectors' && args.length === 1) return checkVectors(args[0]);
  const env = process.env;
  if (mode !== 'call' || args.length < 2 || !env.GALLA_GATEWAY || !env.GALLA_CLIENT_ID || !env.GALLA_KEY) {
    throw new Error('usage: call.mjs vectors FILE, or: call.mjs call METHOD ROUTE [JSON], with GALLA_GATEWAY, GALLA_CLIENT_ID and GALLA_KEY set');
  }
  return call(...args);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
