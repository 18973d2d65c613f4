/** Each byte as the character with its number, as in ISO 8859-1. */
export function fromLatin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)));
  return parts.join('');
}

/** The low byte of each UTF-16 unit. */
export function toLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** So many arguments a call can have in every engine. */
const pieceBytes = 8_192;
