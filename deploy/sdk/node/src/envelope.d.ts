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
export function parseKey(text: string): Buffer;
export function fromBase64(text: string, name: string): Buffer;
export function encrypt(key: Buffer, iv: Buffer, plain: string): { iv: string; tag: string; payload: string };
export function decrypt(key: Buffer, m: { iv: string; tag: string; payload: string }): string;
/** Seals one request. A retry has the same requestId and json, and a new timestamp and IV. */
export function sealRequest(
  key: Buffer,
  m: { method: string; path: string; clientId: string; requestId: string; json: string; timestamp?: number | string; iv?: Buffer },
): Sealed;
/** Opens one reply, or throws where it is not genuine. */
export function openReply(key: Buffer, status: number, m: Omit<Sealed, 'clientId'>): string;
