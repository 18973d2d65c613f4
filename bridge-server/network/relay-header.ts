/** What a relay says at the beginning of a connection: `struct relay_header` of guest/launch/relay-connect.h. */
export type RelayHeader =
  | { readonly key: string; readonly type: 'stream'; readonly address: string; readonly port: number }
  | { readonly key: string; readonly type: 'question' };

export const relayHeaderBytes = 44;

/** `undefined` for what is none. */
export function parseRelayHeader(bytes: Uint8Array): RelayHeader | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length !== relayHeaderBytes) return undefined;
  const key = view.toString('latin1', 0, 36);
  const kind = view.toString('latin1', 36, 37);
  if (kind === 'q') return { key, type: 'question' };
  if (kind !== 's') return undefined;
  return { key, type: 'stream', port: view.readUInt16BE(38), address: [...view.subarray(40, 44)].join('.') };
}
