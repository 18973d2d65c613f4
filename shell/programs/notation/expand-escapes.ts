import { simpleEscapes } from '../../simple-escapes.ts';
import type { ShellText } from '../../text.ts';

/** Text with the escapes of `echo -e` expanded; `ends` where `\c` ended it. */
export function expandEscapes(text: ShellText): { text: ShellText; ends: boolean } {
  let ends = false;
  const until = text.replace(
    /\\(c[\s\S]*|0[0-7]{0,3}|[1-7][0-7]{0,2}|x[0-9a-fA-F]{1,2}|[\s\S])/g,
    (whole, body: string) => {
      if (body.startsWith('c')) {
        ends = true;
        return '';
      }
      if (/^[0-7]/.test(body)) return byteText(Number.parseInt(body, 8) & 0xff);
      if (/^x./.test(body)) return byteText(Number.parseInt(body.slice(1), 16));
      return simpleEscapes.get(body) ?? whole;
    },
  );
  return { text: until, ends };
}

/** The text that one byte is. */
export function byteText(byte: number): ShellText {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}
