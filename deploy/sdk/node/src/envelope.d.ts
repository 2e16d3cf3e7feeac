/** A message without its method and path. */
export interface Sealed {
  clientId: string;
  requestId: string;
  timestamp: string;
  iv: string;
  tag: string;
  payload: string;
  checksum: string;
}
/** Reads a vendor's key: 64 hex or 44 base64 characters, 32 bytes. */
export function parseKey(text: string): Uint8Array;
export function fromBase64(text: string, name: string): Uint8Array;
export function encrypt(key: Uint8Array, iv: Uint8Array, plain: string): { iv: string; tag: string; payload: string };
export function decrypt(key: Uint8Array, m: { iv: string; tag: string; payload: string }): string;
/** Seals one request. A retry has the same requestId and json, and a new timestamp and IV. */
export function sealRequest(
  key: Uint8Array,
  m: { method: string; path: string; clientId: string; requestId: string; json: string; timestamp?: number | string; iv?: Uint8Array },
): Sealed;
/** Opens one reply, or throws where it is not genuine. */
export function openReply(key: Uint8Array, status: number, m: Omit<Sealed, 'clientId'>): string;
