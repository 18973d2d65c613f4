import { absolutePath } from '../../files/absolute-path.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, type ShellText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import { CopiedFiles } from './copied-files.ts';
import { hostCalls } from './host-calls.ts';
import { type JsCommandLine, jsUsage, parseJsCommandLine } from './js-command-line.ts';
import { JsEngine, UncaughtError } from './js-engine.ts';

type Run = Extract<JsCommandLine, { type: 'run' }>;

const version = 'js (QuickJS 2024-01-13)\n';

/** Runs a script of JavaScript over a copy of the sandbox's files, to which its changes go as they are made. */
export async function runJs(context: ProgramContext): Promise<number> {
  const line = parseJsCommandLine(context.start.args);
  if (line.type === 'run') return await runScript(context, line);
  if (line.type === 'wrong') {
    context.write(2, `js: ${line.message}\n${jsUsage}`);
    return 2;
  }
  context.write(1, line.type === 'help' ? jsUsage : version);
  return 0;
}

async function runScript(context: ProgramContext, line: Run): Promise<number> {
  const { cwd, environment, isTerminal, memoryBytes } = context.start;
  if (line.source === 'stdin' && isTerminal.stdin) {
    context.write(2, 'js: it reads no script from a terminal here: give it a file, -e SCRIPT, or a pipe\n');
    return 2;
  }
  const script = await readScript(context, line);
  if (script === undefined) return 1;
  const changes = new Changes(context);
  const files = new CopiedFiles(await context.copyFiles(), {
    cwd,
    onChange: (change) => changes.add(change),
  });
  const readsStdin = line.source !== 'stdin' && namesStdin.test(script.text) && !isTerminal.stdin;
  const stdin = readsStdin
    ? await context.readStdin()
    : line.source === 'stdin'
      ? new Uint8Array(0)
      : undefined;
  let exited: number | undefined;
  const host = hostCalls(context, {
    files,
    stdin,
    onExit: (exitCode) => {
      exited ??= exitCode;
    },
  });
  const engine = await JsEngine.create({
    host,
    files,
    mainFile: script.file,
    argv: ['/usr/bin/js', ...('file' in script.named ? [script.file] : []), ...line.args],
    environment,
    cwd,
    memoryBytes,
    hasExited: () => exited !== undefined,
  });
  try {
    const isModule = line.isModule || script.file.endsWith('.mjs') || moduleSyntax.test(script.text);
    await engine.run(script.text, { isModule, prints: line.printsResult });
    exited ??= engine.exitCode;
  } catch (error) {
    if (!(error instanceof UncaughtError)) throw error;
    context.write(2, `${error.message}\n`);
    exited ??= 1;
  }
  return (await changes.settle()) ? exited : 1;
}

/** A script that reads its input says so: it is read before the script begins. */
const namesStdin = /\bstdin\b|readFileSync\(\s*0/;
const moduleSyntax =
  /^[ \t]*(?:import\s*(?:[\w$*{]|["'])|export\s+(?:default|const|let|var|function|class|async|[{*]))/m;

interface Script {
  readonly text: string;
  readonly file: ShellText;
  readonly named: { readonly file?: ShellText };
}

/** Tells where it cannot be read. */
async function readScript(context: ProgramContext, { source }: Run): Promise<Script | undefined> {
  const { cwd } = context.start;
  const place = cwd === '/' ? '' : cwd;
  if (source === 'stdin') {
    return { text: withoutHashBang(await context.readStdin()), file: `${place}/[stdin]`, named: {} };
  }
  if ('text' in source) return { text: source.text, file: `${place}/[eval]`, named: {} };
  const file = absolutePath(cwd, source.file);
  try {
    return { text: withoutHashBang(await context.readFile(file)), file, named: { file } };
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    context.write(2, `js: cannot open '${source.file}': ${error.message}\n`);
    return undefined;
  }
}

function withoutHashBang(bytes: Uint8Array): string {
  return decodeText(bytes).toWellFormed().replace(/^#!.*/, '');
}

/** Changes on their way to the sandbox, in the order in which they were made. */
class Changes {
  readonly #context: ProgramContext;
  readonly #answers: Promise<void>[] = [];
  #hasFailed = false;

  constructor(context: ProgramContext) {
    this.#context = context;
  }

  add(change: Parameters<ProgramContext['change']>[0]): void {
    const answer = this.#context.change(change).catch((error: unknown) => {
      this.#hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#context.write(2, `js: ${change.path} changed meanwhile: cannot ${change.type} it: ${reason}\n`);
    });
    this.#answers.push(answer);
  }

  /** Whether all of them were made. */
  async settle(): Promise<boolean> {
    await Promise.all(this.#answers);
    return !this.#hasFailed;
  }
}
