import { type ByteString, readByteString, writeByteString } from '../../tree/content/byte-string.ts';
import { decodeText, encodeText, type ShellText } from '../text.ts';

const nonAscii = /[^\0-\x7f]/;

/** A path or name of the tree as the shell has it. */
export function textOfName(name: ByteString): ShellText {
  if (!nonAscii.test(name)) return name;
  const bytes = new Uint8Array(name.length);
  writeByteString(name, bytes, 0);
  return decodeText(bytes);
}

/** A path or name of the shell as the tree has it. */
export function nameOfText(text: ShellText): ByteString {
  if (!nonAscii.test(text)) return text;
  const bytes = encodeText(text);
  return readByteString(bytes, 0, bytes.length);
}
