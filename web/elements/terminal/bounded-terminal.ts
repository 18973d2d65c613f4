import { type ITerminalInitOnlyOptions, type ITerminalOptions, Terminal } from '@xterm/xterm';
import { limits } from '../../../protocol/limits.ts';
import { boundTerminal } from '../../../recording/screen/bound-terminal.ts';

/**
 * A terminal in which no control sequence costs more than a screen does. All output goes through `write`, in pieces small
 * enough that xterm.js lets the page work between them.
 */
export class BoundedTerminal extends Terminal {
  constructor(options: ITerminalOptions & ITerminalInitOnlyOptions) {
    super(options);
    boundTerminal(this);
  }

  override write(data: string | Uint8Array, callback?: () => void): void {
    const size = limits.terminalWriteBytes;
    const last = Math.max(0, Math.ceil(data.length / size) - 1) * size;
    for (let at = 0; at < last; at += size) super.write(pieceOf(data, at, at + size));
    super.write(pieceOf(data, last, data.length), callback);
  }
}

function pieceOf(data: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof data === 'string' ? data.slice(from, to) : data.subarray(from, to);
}
