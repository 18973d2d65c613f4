import type { ByteReader } from '../../../tree/content/byte-reader.ts';
import type { ByteWriter } from '../../../tree/content/byte-writer.ts';
import { memoryLimits } from './limits.ts';
import { readBytes, writeBytes } from './value-codec.ts';

/** A terminal of a process. What it shows is data (H-9). */
export interface SavedTerminal {
  readonly pid: number;
  readonly shown: Uint8Array;
  /** What its shell ran. */
  readonly command: string | undefined;
}

const maxPid = 0xffff_ffff;
const mostCommandBytes = 65_536;

export function writeTerminals(terminals: readonly SavedTerminal[], writer: ByteWriter): void {
  writer.varint(terminals.length);
  for (const { pid, shown, command } of terminals) {
    writer.varint(pid);
    writeBytes(shown, writer);
    writer.byte(command === undefined ? 0 : 1);
    if (command !== undefined) writeBytes(new TextEncoder().encode(command), writer);
  }
}

/** @throws RangeError */
export function readTerminals(reader: ByteReader): SavedTerminal[] {
  return Array.from({ length: reader.varint(memoryLimits.terminals) }, () => ({
    pid: reader.varint(maxPid),
    shown: readBytes(reader, memoryLimits.terminalBytes),
    command: reader.byte() === 1 ? new TextDecoder().decode(readBytes(reader, mostCommandBytes)) : undefined,
  }));
}
