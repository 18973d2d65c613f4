import startJq from 'jq-wasm/dist/build/jq.js';
import { absolutePath } from '../../files/absolute-path.ts';
import { shellLimits } from '../../limits.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import { type JqSystem, jqSystemCalls } from './jq-system-calls.ts';
import { OutputReplay } from './output-replay.ts';

type File = ReturnType<JqSystem['open']>;
type Source = { readonly type: 'stdin' } | { readonly type: 'file'; readonly path: ShellText };

/** Thrown through jq, which cannot wait, where it reads what is not there yet. */
class Missing {
  readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }
}

const exitOfCrash = 5;

/**
 * The real jq, with its own command line. It reads files at once, which only another thread has: when it reads one that is not there
 * yet it is stopped, and begins anew with it. What it does depends on nothing but what it reads (its clock stands still), so it
 * comes to the same place, and what it had written by then is not written again.
 */
export async function runJq(context: ProgramContext): Promise<number> {
  const { args, cwd } = context.start;
  const files = new Map<ShellText, File>();
  for (const argument of new Set(args)) {
    const isFile = argument !== '' && !argument.startsWith('-') && !/[\s{}|\0]/.test(argument);
    if (isFile && bytesOf(files) < shellLimits.copiedBytes)
      await fetchFile(context, { files, path: absolutePath(cwd, argument), isGuess: true });
  }
  let stdin: Uint8Array | undefined;
  const output = new OutputReplay((fd, bytes) => context.writeBytes(fd, bytes));
  const nowMs = Date.now();
  for (;;) {
    output.restart();
    const ended = await runOnce(context, { files, stdin, output, nowMs });
    if (typeof ended === 'number') {
      output.flush();
      return ended;
    }
    if (ended.source.type === 'stdin') stdin = await context.readStdin();
    else await fetchFile(context, { files, path: ended.source.path, isGuess: false });
  }
}

/** The exit code, or what is missing. */
async function runOnce(
  { start }: ProgramContext,
  {
    files,
    stdin,
    output,
    nowMs,
  }: {
    files: ReadonlyMap<ShellText, File>;
    stdin: Uint8Array | undefined;
    output: OutputReplay;
    nowMs: number;
  },
): Promise<number | Missing> {
  let missing: Missing | undefined;
  const stopAt = (source: Source): never => {
    missing = new Missing(source);
    throw missing;
  };
  const system: JqSystem = {
    environment: start.environment,
    cwd: start.cwd,
    isTerminal: (fd) => (fd === 0 && start.isTerminal.stdin) || (fd === 1 && start.isTerminal.stdout),
    nowMs,
    open: (name) => {
      const path = absolutePath(start.cwd, name);
      return files.get(path) ?? stopAt({ type: 'file', path });
    },
    write: (fd, bytes) => output.write(fd, bytes),
    stdin: () => stdin ?? stopAt({ type: 'stdin' }),
  };
  try {
    const jq = await instantiate(system);
    const exitCode: unknown = jq.callMain([...start.args]);
    return missing ?? Number(exitCode);
  } catch (error) {
    if (missing !== undefined) return missing;
    output.write(
      2,
      new TextEncoder().encode(`jq: error: ${error instanceof Error ? error.message : error}\n`),
    );
    return exitOfCrash;
  }
}

/** Makes a new instance of jq that has `system` in place of the library's own. */
async function instantiate(system: JqSystem): Promise<{ callMain(args: string[]): unknown }> {
  const instantiateWasm = WebAssembly.instantiate;
  let exports: WebAssembly.Exports = {};
  const memory = (): ArrayBuffer => (exports.E as WebAssembly.Memory).buffer;
  const replaced = async (bytes: BufferSource, { a = {} }: WebAssembly.Imports) => {
    compiled ??= await WebAssembly.compile(bytes);
    const imports = { a: { ...a, ...jqSystemCalls(system, memory), ...(a.k && { l: a.k }) } };
    const instance = await instantiateWasm(compiled, imports);
    exports = instance.exports;
    return { module: compiled, instance };
  };
  Object.assign(WebAssembly, { instantiate: replaced });
  try {
    return await startJq({ thisProgram: 'jq' });
  } finally {
    Object.assign(WebAssembly, { instantiate: instantiateWasm });
  }
}

let compiled: WebAssembly.Module | undefined;

/** Of a guess only a file that is there is kept. */
async function fetchFile(
  context: ProgramContext,
  { files, path, isGuess }: { files: Map<ShellText, File>; path: ShellText; isGuess: boolean },
): Promise<void> {
  try {
    if (bytesOf(files) > shellLimits.programMemoryBytes) throw new ShellError('ENOSPC');
    files.set(path, await context.readFile(path));
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    if (!isGuess) files.set(path, codeOf(error));
  }
}

/** Each file is held until jq has ended. */
function bytesOf(files: ReadonlyMap<ShellText, File>): number {
  let bytes = 0;
  for (const file of files.values()) bytes += typeof file === 'string' ? 0 : file.length;
  return bytes;
}

function codeOf({ code }: ShellError): File {
  return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'EACCES' ? code : 'EIO';
}
