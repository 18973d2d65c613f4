import type { Command } from 'commander';
import { throwIfAborted } from '../../protocol/abort.ts';
import { limits } from '../../protocol/limits.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { Cli } from '../cli.ts';
import { CliExit } from '../cli-exit.ts';
import { type RecordedTo, recordTo } from '../record/record-to.ts';
import type { RunCommandOptions } from './run-options.ts';
import type { Ran } from './run-program.ts';
import type { RunTarget } from './run-target.ts';

/** What is to run, in what, and where its recording goes. */
export interface RunParts {
  readonly cli: Cli;
  readonly command: Command;
  /** What runs where there are no words; without it, there have to be some. */
  readonly usual?: RunTarget;
  /** Where a recording of it goes. */
  readonly record?: RecordedTo;
}

/** Runs words of a command line in a new sandbox, or in one that there is, and ends with the exit code of what they are. */
export async function runInSandbox(
  words: readonly string[],
  options: RunCommandOptions,
  { cli, command, usual, record }: RunParts,
): Promise<never> {
  const { context } = cli;
  const printer = cli.printer(options);
  const isOnHost = options.isolation === 'none';
  if (isOnHost) await allowUnconfined(options, { cli, command });
  else if (words[0] === '-') await cli.prepareToOpen(options);
  const { readTarget } = await import('./run-target.ts');
  const isProgram = isAfterDashes(words, command);
  const hasWords = words.length > 0 || options.c !== undefined;
  const target =
    usual && !hasWords ? usual : await readTarget({ words, isProgram, text: options.c, isOnHost }, context);
  const { openRunSandbox } = await import('./open-run-sandbox.ts');
  const isNamed = command.getOptionValueSource('sandbox') === 'cli';
  const hungUp = new AbortController();
  // Until the command gets it: what was made is deleted.
  using hangUp = context.takeSignals(['SIGHUP'], () => hungUp.abort());
  const signal = AbortSignal.any([context.signal, hungUp.signal]);
  await using opened = await openRunSandbox(options, { cli, isNamed, signal });
  const { sandbox, fellBack } = opened;
  if (fellBack !== undefined && !hasImage(sandbox.info) && options.runtime === undefined)
    printer.note(`coppice: It runs in a shell. ${fellBack}`);
  for (const folder of options.mountIn) {
    for (const path of await opened.copyIn(folder))
      printer.note(`coppice: left out, as it cannot be copied: ${path}`);
  }
  throwIfAborted(signal, 'Cannot run the command');
  if (target.script) await sandbox.files.write(target.script.path, target.script.content, { mode: 0o755 });
  await using recording = record && (await recordTo(record, { sandbox, printer, context }));
  const { runForResult, runOnStreams } = await import('./run-program.ts');
  const { exitCodeOf, whyEnded } = await import('./describe-end.ts');
  const begin = options.workdir === undefined ? {} : { workdir: await opened.findDirectory(options.workdir) };
  const { describeDenied, watchDenied } = await import('./describe-denied.ts');
  const running = { sandbox, context: { ...context, signal }, options: { ...options, ...begin } };
  const takeDenied = await watchDenied(sandbox);
  if (!options.json) hangUp[Symbol.dispose]();
  const ended = options.json ? await runForResult(target, running) : await runOnStreams(target, running);
  const denied = await takeDenied();
  await recording?.stop(exitCodeOf(ended));
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
  const { assertUnconfined, unconfinedNote } = await import('./assert-unconfined.ts');
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
