import { SandboxError } from '../../protocol/errors.ts';
import { GrowingBytes } from '../../protocol/growing-bytes.ts';
import { importLimits } from './limits.ts';

/** A line without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** `undefined` for one of more than `importLimits.lineBytes`. */
  readonly text: string | undefined;
}

const newline = 0x0a;

/** The lines of a text as it is read. One that is too long is not kept. Bytes that are no UTF-8 become U+FFFD. */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let held = new GrowingBytes();
  let isTooLong = false;
  let number = 0;
  const add = (bytes: Uint8Array) => {
    isTooLong ||= held.length + bytes.length > importLimits.lineBytes;
    if (isTooLong) held = new GrowingBytes();
    else held.add(bytes);
  };
  const finish = (): Line => {
    number += 1;
    const text = isTooLong ? undefined : decoder.decode(held.view).replace(/\r$/, '');
    held = new GrowingBytes();
    isTooLong = false;
    return { number, text };
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      add(piece.subarray(from, end));
      from = end + 1;
      yield finish();
    }
    if (from < piece.length) add(piece.subarray(from));
  }
  if (held.length > 0 || isTooLong) yield finish();
}

/** All of a text that is one document. @throws limit-exceeded */
export async function readDocument(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = new GrowingBytes();
  for await (const piece of pieces) {
    if (bytes.length + piece.length > importLimits.documentBytes) {
      const most = `${importLimits.documentBytes} bytes`;
      throw new SandboxError('limit-exceeded', `Cannot import a document of more than ${most}`);
    }
    bytes.add(piece);
  }
  return new TextDecoder().decode(bytes.view);
}
