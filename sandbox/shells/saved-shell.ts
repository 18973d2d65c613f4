import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { isObject } from '../../protocol/schema.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { decodeHistory, decodeState, encodeHistory, encodeState, parseLost } from './saved-state.ts';
import { latestCommands, type ShellState } from './shell-state.ts';

/** What `shells.save` gives of a shell. */
interface ShellSave {
  readonly user: 'user' | 'root';
  readonly state: ShellState;
  /** Names of variables that its sandbox gives to all processes: the state has none that are as it gave them. */
  readonly envs?: readonly string[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const separator = Uint8Array.of(0);

/** A shell as bytes: JSON of who, of what is lost and of what its sandbox gave, the state and the history, with a NUL between them (SN-15). */
export function encodeShell({ user, state, envs = [] }: ShellSave): Uint8Array {
  const given = envs.length > 0 ? { envs } : {};
  const head = encoder.encode(JSON.stringify({ user, lost: state.lost, ...given }));
  const pieces = [head, separator, encodeState(state), separator, encodeHistory(state.history)];
  return joinBytes(
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}

/** Reads what a client says is a shell. @throws invalid-argument */
export function decodeShell(bytes: Uint8Array): ShellSave {
  if (bytes.length > limits.savedShellBytes)
    throw refused(`it has more than ${limits.savedShellBytes} bytes`);
  try {
    const headEnd = bytes.indexOf(0);
    const historyStart = bytes.lastIndexOf(0) + 1;
    if (headEnd < 0 || historyStart <= headEnd + 1)
      throw new RangeError('Cannot read a shell: it ends early');
    const head: unknown = JSON.parse(decoder.decode(bytes.subarray(0, headEnd)));
    if (!isObject(head)) throw new RangeError('Cannot read a shell: it does not begin with an object');
    const { cwd, script } = decodeState(bytes.subarray(headEnd + 1, historyStart - 1));
    const history = latestCommands(decodeHistory(bytes.subarray(historyStart)));
    const state = { cwd, script, history, lost: parseLost(head.lost) };
    const envs = parseNames(head.envs);
    return { user: head.user === 'root' ? 'root' : 'user', state, ...(envs.length > 0 ? { envs } : {}) };
  } catch {
    throw refused('it is nothing that `save` gave');
  }
}

function parseNames(names: unknown): readonly string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function refused(why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot restore the shell from its saved state: ${why}`);
}
