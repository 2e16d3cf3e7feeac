// What a shop has and a program does not: a finger on the reader, and a telephone that gets
// one-time passwords. Here both are the sandbox's.

import { createHash } from 'node:crypto';

const env = process.env;
const READER = env.GALLA_READER ?? 'http://127.0.0.1:11100';
const BANK = env.GALLA_BANK ?? 'http://127.0.0.1:7300';
// What a capture for an e-KYC step has besides: UIDAI's wadh of it.
const EKYC = createHash('sha256').update('2.5FYNNN').digest('base64');
const options = (wadh) =>
  `<PidOptions ver="1.0"><Opts fCount="1" fType="2" iCount="0" pCount="0" format="0" pidVer="2.0" timeout="10000" ${wadh ? `wadh="${wadh}" ` : ''}posh="UNKNOWN" env="P"/></PidOptions>`;

async function text(address, init) {
  const reply = await fetch(address, init);
  if (!reply.ok) throw new Error(`the sandbox answers HTTP ${reply.status}: does make run run?`);
  return reply.text();
}

/** Lays the finger of one of the sandbox's people on the reader. */
export const placeFinger = (aadhaar) =>
  text(`${READER}/sim/finger`, { method: 'POST', body: JSON.stringify({ aadhaar, finger: 'RIGHT_INDEX', quality: 80 }) });

/** One capture, as a registered device's service gives it. It serves one transaction. */
export const capture = () => text(`${READER}/rd/capture`, { method: 'CAPTURE', body: options() });

/** One capture for an e-KYC step. */
export const captureEKYC = () => text(`${READER}/rd/capture`, { method: 'CAPTURE', body: options(EKYC) });

/** The newest one-time password of a mobile number. */
export async function otp(mobile) {
  const texts = JSON.parse(await text(`${BANK}/inbox/${mobile}`, { headers: { Accept: 'application/json' } }));
  return texts.find((t) => t.otp).otp;
}
