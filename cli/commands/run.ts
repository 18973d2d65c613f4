import type { Command } from 'commander';
import { throwIfAborted } from '../../protocol/abort.ts';
import { limits } from '../../protocol/limits.ts';
import type { Cli } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { addExamples } from '../examples.ts';
import {
  type RunCommandOptions,
  runOptions,
  type TypedRunOptions,
  takesRunOptions,
} from '../run/run-options.ts';
import type { Ran } from '../run/run-program.ts';

export function addRun(program: Command, cli: Cli): void {
  const command = takesRunOptions(program.command('run'))
    .description('run a command in a new sandbox, which is deleted afterwards')
    .argument('[words...]', 'a script of this host, - for standard input, text for bash, or a program')
    .passThroughOptions()
    .action((words: string[], options: TypedRunOptions, command: Command) =>
      run(words, runOptions(options), { cli, command }),
    );
  addExamples(command, [
    ["coppice run 'echo hello'", 'text for bash, in a sandbox that is gone afterwards'],
    ['coppice run ./build.sh --fast', 'a script of this host with its arguments'],
    ['curl -s https://example.org/x.sh | coppice run -', 'a script that nobody has read'],
    ['coppice run --timeout 30s --memory 512M -- python3 -c "print(1)"', 'a program, held to limits'],
    ['coppice run --mount-in src --workdir src make', 'on a copy of a folder'],
    [
      'coppice run --allow pypi.org --allow "*.pythonhosted.org" pip download six',
      'with a network of two names',
    ],
    [
      'coppice run --isolation none --mount-in src --workdir src make',
      'without walls, on a machine to throw away',
    ],
    ['coppice run --json --runtime shell "ls /"', 'its result as JSON, from a shell that starts at once'],
    ['coppice run --sandbox work make test', 'in a sandbox that there is, which stays'],
  ]);
}

async function run(
  words: readonly string[],
  options: RunCommandOptions,
  { cli, command }: { readonly cli: Cli; readonly command: Command },
): Promise<never> {
  const { context } = cli;
  const printer = cli.printer(options);
  const isOnHost = options.isolation === 'none';
  if (isOnHost) await allowUnconfined(options, { cli, command });
  else if (words[0] === '-') await cli.prepareToOpen(options);
  const { readTarget } = await import('../run/run-target.ts');
  const isProgram = isAfterDashes(words, command);
  const target = await readTarget({ words, isProgram, text: options.c, isOnHost }, context);
  const { openRunSandbox } = await import('../run/open-run-sandbox.ts');
  const isNamed = command.getOptionValueSource('sandbox') === 'cli';
  const hungUp = new AbortController();
  // Until the command gets it: what was made is deleted.
  using hangUp = context.takeSignals(['SIGHUP'], () => hungUp.abort());
  const signal = AbortSignal.any([context.signal, hungUp.signal]);
  await using opened = await openRunSandbox(options, { cli, isNamed, signal });
  const { sandbox, fellBack } = opened;
  if (fellBack !== undefined && sandbox.info.runtime === 'shell' && options.runtime === undefined)
    printer.note(`coppice: It runs in a shell. ${fellBack}`);
  for (const folder of options.mountIn) {
    for (const path of await opened.copyIn(folder))
      printer.note(`coppice: left out, as it cannot be copied: ${path}`);
  }
  throwIfAborted(signal, 'Cannot run the command');
  if (target.script) await sandbox.files.write(target.script.path, target.script.content, { mode: 0o755 });
  const { runForResult, runOnStreams } = await import('../run/run-program.ts');
  const { exitCodeOf, whyEnded } = await import('../run/describe-end.ts');
  const begin = options.workdir === undefined ? {} : { workdir: await opened.findDirectory(options.workdir) };
  const { describeDenied, watchDenied } = await import('../run/describe-denied.ts');
  const running = { sandbox, context: { ...context, signal }, options: { ...options, ...begin } };
  const takeDenied = await watchDenied(sandbox);
  if (!options.json) hangUp[Symbol.dispose]();
  const ended = options.json ? await runForResult(target, running) : await runOnStreams(target, running);
  const denied = await takeDenied();
  const { runtime, id, name } = sandbox.info;
  if (options.json) {
    const kept = isNamed || options.keep !== undefined ? { sandbox: { id, name } } : {};
    const walls = isOnHost ? { isolation: 'none' } : {};
    printer.result(
      { ...ended, runtime, ...walls, ...kept, ...(denied.length > 0 ? { denied } : {}) },
      () => '',
    );
  }
  const why = whyEnded(ended, options);
  if (why !== undefined) printer.note(`coppice: ${why}`);
  if (ended.droppedBytes > 0 && !options.json)
    printer.note(`coppice: ${ended.droppedBytes} bytes of output were dropped`);
  for (const sentence of describeDenied(denied, { isNew: !isNamed })) printer.note(`coppice: ${sentence}`);
  if (options.verbose) printer.note(summary(ended, isOnHost ? 'on this host' : runtime));
  throw new CliExit(exitCodeOf(ended));
}

/** Says what is given up without walls. @throws as `assertUnconfined` */
async function allowUnconfined(
  options: RunCommandOptions,
  { cli, command }: { readonly cli: Cli; readonly command: Command },
): Promise<void> {
  const { assertUnconfined, unconfinedNote } = await import('../run/assert-unconfined.ts');
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  assertUnconfined(options, { context: cli.context, isGiven });
  cli.printer(options).note(`coppice: ${unconfinedNote}`);
}

/** Commander takes `--` away: what came after it are the last words of the line. */
function isAfterDashes(words: readonly string[], command: Command): boolean {
  // Not in Commander's types: the words as they were typed.
  const { rawArgs = [] }: { readonly rawArgs?: readonly string[] } = Object(command.parent);
  const at = rawArgs.indexOf('--');
  return at >= 0 && rawArgs.length - at - 1 === words.length;
}

function summary({ exitCode, durationMs, cpuMs, maxRssBytes, files }: Ran, where: string): string {
  const changed = [...files.created, ...files.modified, ...files.deleted].length;
  const many = changed >= limits.snapshotPaths ? ' or more' : '';
  const memory = Math.round(maxRssBytes / (1024 * 1024));
  const used = `, ${Math.round(cpuMs)} ms of processor time, ${memory} MiB at most`;
  // Not every runtime counts it.
  const usage = cpuMs === 0 && maxRssBytes === 0 ? '' : used;
  return `coppice: ${where}, exit code ${exitCode} after ${Math.round(durationMs)} ms${usage}, ${changed}${many} ${changed === 1 ? 'file' : 'files'} changed`;
}
