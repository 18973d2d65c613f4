import { isFile } from '../../tree/live/file-mode.ts';
import { absolutePath } from '../files/tree-files.ts';
import type { Builtin } from '../interpret/builtin.ts';
import { BuiltinCall } from '../interpret/builtin-call.ts';
import type { CallFrame } from '../interpret/call-frame.ts';
import { findProgram, programEnvironment } from '../interpret/command-lookup.ts';
import { ShellExit } from '../interpret/control-flow.ts';
import { inFrame } from '../interpret/function-calls.ts';
import { join } from '../interpret/read-line.ts';
import { runSource } from '../interpret/run-source.ts';
import type { Shell } from '../interpret/shell.ts';
import { shellLimits } from '../limits.ts';
import { NotExecutableError } from '../processes/program-launcher.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import { decodeText, type ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `eval [words]` */
export const evalBuiltin: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: '' });
  if (!options) return 2;
  const source = options.operands.join(' ');
  if (source.trim() === '') return 0;
  const { line } = shell;
  shell.evaluationDepth += 1;
  if (shell.evaluationDepth > shellLimits.depth) {
    throw new ShellLimitError('depth', `eval: more than ${shellLimits.depth} within each other`);
  }
  try {
    const { status, hasSyntaxProblem } = await runSource(shell, source, { line, origin: 'eval' });
    if (hasSyntaxProblem && shell.options.has('posix') && !call.isByCommand) throw new ShellExit(status);
    return status;
  } finally {
    shell.evaluationDepth -= 1;
    shell.line = line;
  }
};

/** `source file [arguments]` and `. file [arguments]` */
export const source: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: '', usage: `${call.name} filename [arguments]` });
  if (!options) return 2;
  const [file, ...args] = options.operands;
  if (file === undefined) {
    await shell.tell(`${call.name}: filename argument required`);
    shell.warnPlain(`${call.name}: usage: ${call.name} filename [arguments]`);
    return 2;
  }
  let text: ShellText;
  try {
    text = await readSourced(shell, file);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    const isMissing = error.code === 'ENOENT' && !file.includes('/');
    await shell.tell(isMissing ? `${file}: No such file or directory` : `${file}: ${error.message}`);
    if (shell.options.has('posix') && !shell.isInteractive && !call.isByCommand) throw new ShellExit(1);
    return 1;
  }
  const frame: CallFrame = {
    type: 'source',
    name: 'source',
    source: file,
    callLine: shell.line,
  };
  const { positional, timesSet } = shell;
  if (args.length > 0) shell.positional = args;
  try {
    return await inFrame(shell, frame, async () => (await runSource(shell, text)).status);
  } finally {
    // What `set` has set in the file stays.
    if (args.length > 0 && shell.timesSet === timesSet) shell.positional = positional;
  }
};

/** In `PATH` where the name has no slash, and then in the working directory. */
async function readSourced(shell: Shell, file: ShellText): Promise<ShellText> {
  const found =
    file.includes('/') || !shell.options.hasShopt('sourcepath') ? file : (pathOf(shell, file) ?? file);
  const opened = shell.scope.files.open(absolutePath(shell.cwd, found), { read: true }, shell);
  try {
    if (opened.type === 'directory') throw new ShellError('EISDIR');
    let lengthBytes = 0;
    const chunks: Uint8Array[] = [];
    for (;;) {
      const bytes = await opened.read(65_536, shell.process.signal);
      if (bytes.length === 0) break;
      lengthBytes += bytes.length;
      if (lengthBytes > shellLimits.sourceBytes) throw new ShellError('EFBIG');
      chunks.push(bytes);
    }
    return decodeText(join(chunks));
  } finally {
    opened.release();
  }
}

function pathOf(shell: Shell, file: ShellText): ShellText | undefined {
  for (const directory of (shell.variables.get('PATH') ?? '').split(':')) {
    const path = absolutePath(shell.cwd, directory === '' ? file : `${directory}/${file}`);
    if (shell.host.files.exists(path) && isFile(shell.host.files.stat(path).mode)) return path;
  }
  return undefined;
}

/** `exec [-cl] [-a name] [command [arguments]]` */
export const exec: Builtin = async (shell, call) => {
  const usage = 'exec [-cl] [-a name] [command [argument ...]] [redirection ...]';
  const options = readOptions(shell, call, { letters: 'cla:', usage });
  if (!options) return 2;
  const [name] = options.operands;
  if (name === undefined) {
    call.keepsRedirections = true;
    return 0;
  }
  const path = findProgram(shell, name);
  if (path === undefined) {
    await shell.tell(
      name.includes('/') ? `exec: ${name}: No such file or directory` : `exec: ${name}: not found`,
    );
    return await execFailed(shell, 127);
  }
  const { launcher, executables } = shell.host;
  const absolute = absolutePath(shell.cwd, path);
  try {
    executables.open(absolute);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    await shell.tell(`${path}: ${error.message}`);
    return await execFailed(shell, error.code === 'ENOENT' ? 127 : 126);
  }
  const argv = [options.values.get('a') ?? name, ...options.operands.slice(1)];
  const ignored = shell.traps.ignored();
  for (const [trap, command] of shell.traps.list()) if (command !== '') shell.traps.reset(trap);
  const run = launcher.execute({
    argv: options.on.has('l') ? [`-${argv[0]}`, ...argv.slice(1)] : argv,
    path: absolute,
    environment: options.on.has('c') ? new Map() : programEnvironment(shell, path),
    cwd: shell.cwd,
    uid: shell.uid,
    gid: shell.gid,
    umask: shell.umask,
    descriptors: shell.descriptors.clone(),
    process: shell.process,
    ignored,
  });
  throw new ShellExit(
    await run.catch(async (error: unknown) => {
      if (!(error instanceof NotExecutableError)) throw error;
      await shell.tell(`${path}: ${error.message}`);
      return error.exitCode;
    }),
  );
};

async function execFailed(shell: Shell, status: number): Promise<number> {
  if (shell.isInteractive || shell.options.hasShopt('execfail')) return status;
  throw new ShellExit(status);
}

/** `builtin name [arguments]` */
export const builtinBuiltin: Builtin = async (shell, call) => {
  const args = call.args[0] === '--' ? call.args.slice(1) : call.args;
  const [name, ...rest] = args;
  if (name === undefined) return 0;
  const builtin = shell.builtin(name);
  if (!builtin) {
    await shell.tell(`builtin: ${name}: not a shell builtin`);
    return 1;
  }
  return await runInner(shell, call, { name, args: rest });
};

/** Runs a built-in by another one: its arrays and redirections are those of the call. */
export async function runInner(
  shell: Shell,
  call: BuiltinCall,
  { name, args }: { name: string; args: readonly ShellText[] },
): Promise<number> {
  const builtin = shell.builtin(name);
  if (!builtin) return 127;
  const skipped = call.args.length - args.length;
  const arrays = new Map([...call.arrays].map(([index, assignment]) => [index - skipped, assignment]));
  const inner = new BuiltinCall({ name, args, arrays, isByCommand: true });
  try {
    return await builtin(shell, inner);
  } finally {
    call.keepsRedirections = inner.keepsRedirections;
  }
}
