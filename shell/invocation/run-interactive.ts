import { expandPrompt } from '../expand/expand.ts';
import { runSource, tellProblem } from '../interpret/run-source.ts';
import type { Shell } from '../interpret/shell.ts';
import { KeyReader } from '../terminal/keys.ts';
import { LineEditor } from '../terminal/line-editor.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { complete } from './complete.ts';
import { InputReader } from './input-reader.ts';
import { liveEnvironment } from './live-environment.ts';

/** The longest command that is told to the host with a mark (protocol/init/command-marks.ts). */
const markedCharacters = 4000;

/** Runs what is entered at a terminal's prompt, until its end or `exit`. */
export async function runInteractive(shell: Shell, terminal: Terminal): Promise<void> {
  const show = (text: string) => void terminal.show(new TextEncoder().encode(text));
  const editor = new LineEditor({
    write: show,
    columns: () => terminal.columns,
    history: () => shell.history,
    complete: async (line, cursor) => complete(shell, line, cursor),
  });
  const keys = new KeyReader();
  const decoder = new TextDecoder();
  terminal.onResize = () => {
    setSize(shell, terminal);
    shell.process.send('SIGWINCH');
    // A command that runs does so after its current step.
    if (editor.isReading) void shell.runPendingTraps().then(() => editor.redraw());
  };
  const press = async (bytes: Uint8Array): Promise<void> => {
    for (const key of keys.read(decoder.decode(bytes, { stream: true }))) {
      if (editor.isReading) await editor.press(key);
      else void terminal.input(new TextEncoder().encode(key.text));
    }
  };
  /** Keys are pressed one after the other, however they come. */
  let pressed = Promise.resolve();
  const readLine = async (prompt: string) => {
    const before = terminal.takeTypedAhead();
    const reading = editor.read(prompt);
    terminal.keys = (bytes) => {
      pressed = pressed.then(() => press(bytes));
    };
    if (before.length > 0) terminal.keys(before);
    const ended = whenAborted(shell.process.signal);
    try {
      return await Promise.race([reading, ended.promise]);
    } finally {
      ended.stop();
      terminal.keys = undefined;
    }
  };
  shell.process.environ = () => liveEnvironment(shell);
  for (;;) {
    await shell.flushWarnings();
    shell.signals.dropInterrupt();
    setSize(shell, terminal);
    const source = await readCommand(shell, readLine);
    if (source === undefined) return;
    if (source.trim() === '') continue;
    remember(shell, source);
    show(`\x1b]6973;C;    1  ${source.trim().slice(0, markedCharacters).replaceAll('\n', '\r\n')}\x07`);
    try {
      await runSource(shell, source);
      // What was interrupted leaves the cursor behind its `^C`.
      if (shell.lastStatus === 130) show('\r\n');
    } finally {
      show(`\x1b]6973;D;${shell.lastStatus & 0xff}\x07`);
    }
  }
}

type Read = (prompt: string) => ReturnType<LineEditor['read']>;

/** A whole command, of one line or several; `''` where it was given up, nothing at the end. */
async function readCommand(shell: Shell, readLine: Read): Promise<string | undefined> {
  const input = new InputReader(shell, { line: 1 });
  for (;;) {
    const variable = input.source === '' ? 'PS1' : 'PS2';
    const read = await readLine(await expandPrompt(shell.variables.get(variable) ?? '', shell.scope));
    if (read.type === 'interrupt') {
      shell.lastStatus = 130;
      return '';
    }
    if (read.type === 'end' && input.source === '') return undefined;
    if (read.type === 'line') input.add(`${read.line}\n`);
    const state = input.state({ isAtEnd: read.type === 'end' });
    if (state.type === 'incomplete') continue;
    if (state.type === 'complete') return input.source;
    await tellProblem(shell, state.problem, undefined);
    remember(shell, input.source);
    return '';
  }
}

function remember(shell: Shell, source: string): void {
  const line = source.trim();
  if (line === '' || shell.history.at(-1) === line) return;
  shell.remember(line);
}

function setSize(shell: Shell, { columns, rows }: Terminal): void {
  shell.variables.set('COLUMNS', String(columns));
  shell.variables.set('LINES', String(rows));
}

/** Rejects when the process is ended. */
function whenAborted(signal: AbortSignal): { readonly promise: Promise<never>; stop(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) };
}
