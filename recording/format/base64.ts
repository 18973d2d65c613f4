/** Characters of a string that is made from bytes at once: more would be too many arguments. */
const sliceBytes = 24_576;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // A slice is a multiple of 3 bytes, so that only the last has padding.
  for (let at = 0; at < bytes.length; at += sliceBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + sliceBytes)));
  return text;
}

/** Of a text that `decodeEvent` has accepted as base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
