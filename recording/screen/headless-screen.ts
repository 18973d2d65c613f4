import type { SerializeAddon } from '@xterm/addon-serialize';
import type { Terminal } from '@xterm/headless';
import { limits } from '../../protocol/limits.ts';
import { boundTerminal } from './bound-terminal.ts';

/** A terminal that nobody sees: what it shows can be painted on another. */
export interface HeadlessScreen extends Disposable {
  /** Takes output at once; what comes in one call takes some ms for 32 KiB. */
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Bytes that paint what it shows, for an empty terminal of its size. */
  paint(): string;
}

interface SynchronousCore {
  writeSync(text: string): void;
}

/** Makes screens. Loads the emulator, which is large, when it is first called. */
export async function loadHeadlessScreen(): Promise<(columns: number, rows: number) => HeadlessScreen> {
  const [{ Terminal: HeadlessTerminal }, { SerializeAddon: Serializer }] = await Promise.all([
    import('@xterm/headless/lib-headless/xterm-headless.mjs'),
    import('@xterm/addon-serialize/lib/addon-serialize.mjs'),
  ]);
  return (columns, rows) => {
    const terminal = new HeadlessTerminal({
      cols: columns,
      rows,
      scrollback: 0,
      allowProposedApi: true,
      // It warns of `writeSync`, which is wrong for handlers that are not done at once: there are none here.
      logLevel: 'off',
    });
    boundTerminal(terminal);
    const serializer = new Serializer();
    terminal.loadAddon(serializer);
    return screenOf(terminal, serializer);
  };
}

function screenOf(terminal: Terminal, serializer: SerializeAddon): HeadlessScreen {
  const core = (terminal as unknown as { readonly _core: SynchronousCore })._core;
  return {
    write: (text) => {
      for (let at = 0; at < text.length; at += limits.terminalWriteBytes)
        core.writeSync(text.slice(at, at + limits.terminalWriteBytes));
    },
    resize: (columns, rows) => terminal.resize(columns, rows),
    paint: () => serializer.serialize({ scrollback: 0 }),
    [Symbol.dispose]: () => terminal.dispose(),
  };
}
