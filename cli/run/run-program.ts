import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import type { CommandResult } from '../../sdk/commands.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { CliContext } from '../context.ts';
import { PassThrough } from '../terminal/pass-through.ts';
import { CappedOutput } from './capped-output.ts';
import type { RunCommandOptions } from './run-options.ts';
import type { RunTarget } from './run-target.ts';

export interface Ran extends ExitStatus {
  readonly droppedBytes: number;
}

interface Running {
  readonly sandbox: Sandbox;
  readonly context: CliContext;
  readonly options: Pick<
    RunCommandOptions,
    'timeout' | 'limit' | 'fileSize' | 'outputCap' | 'env' | 'user' | 'workdir' | 'tty'
  >;
}

/** The words to run, held to the most that a file may grow to. */
function limitedCommand(
  command: readonly string[],
  { fileSize }: Pick<RunCommandOptions, 'fileSize'>,
): readonly string[] {
  if (fileSize === undefined) return command;
  const blocks = Math.ceil(fileSize / 1024);
  return ['/bin/bash', '-c', 'ulimit -f "$0" && exec "$@"', String(blocks), ...command];
}

/**
 * Runs it on this process's streams, byte for byte. The first SIGINT goes to it, and so do SIGTERM, SIGQUIT and SIGHUP; a second
 * one kills it. @throws as `exec` where it does not start
 */
export async function runOnStreams(target: RunTarget, { sandbox, context, options }: Running): Promise<Ran> {
  const { outputCap, timeout } = options;
  const capped = outputCap === undefined ? undefined : cappedStreams(context, outputCap);
  // One that was read to its end would never say so again.
  const stdin = target.hasReadInput ? Readable.from([]) : context.stdin;
  using streams = new PassThrough({ ...context, ...capped, stdin }, { terminal: options.tty === true });
  const sent = new Set<NodeJS.Signals>();
  using _signals = context.takeSignals(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'], (signal) => {
    void streams.kill(sent.has(signal) ? 'SIGKILL' : (signal as 'SIGTERM')).catch(() => undefined);
    sent.add(signal);
  });
  let isLate = false;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          void streams.kill('SIGKILL').catch(() => undefined);
        }, timeout);
  try {
    const status = await streams.run(sandbox.connection, {
      command: limitedCommand(target.command, options),
      envs: options.env,
      user: options.user,
      ...(options.workdir === undefined ? {} : { cwd: options.workdir }),
      ...(options.limit === undefined ? {} : { limits: options.limit }),
    });
    await flush(capped);
    const droppedBytes = capped ? capped.stdout.droppedBytes + capped.stderr.droppedBytes : 0;
    return { ...status, ...(isLate ? { reason: 'timeout', limit: 'time' } : {}), droppedBytes };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs it for its result. Standard input is passed on unless it is a terminal. @throws aborted by SIGINT; as `exec` */
export async function runForResult(
  target: RunTarget,
  { sandbox, context, options }: Running,
): Promise<CommandResult> {
  const { stdin, signal } = context;
  const { timeout, limit, workdir, outputCap } = options;
  const handle = await sandbox.commands.run(limitedCommand(target.command, options), {
    background: true,
    stdin: true,
    signal,
    envs: options.env,
    user: options.user,
    ...(workdir === undefined ? {} : { cwd: workdir }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(limit === undefined ? {} : { limits: limit }),
  });
  const feed = async () => {
    if (!target.hasReadInput && !stdin.isTTY) for await (const bytes of stdin) await handle.sendStdin(bytes);
    await handle.closeStdin();
  };
  // A command that ends before it has read all of it does so every day.
  feed().catch(() => undefined);
  try {
    return cutOutput(await handle.wait(), outputCap);
  } finally {
    stdin.destroy();
  }
}

function cutOutput(result: CommandResult, capBytes: number | undefined): CommandResult {
  if (capBytes === undefined) return result;
  const [stdout, stderr] = [Buffer.from(result.stdout), Buffer.from(result.stderr)];
  const cut = [stdout, stderr].reduce((sum, { length }) => sum + Math.max(0, length - capBytes), 0);
  return {
    ...result,
    stdout: stdout.toString('utf8', 0, capBytes),
    stderr: stderr.toString('utf8', 0, capBytes),
    droppedBytes: result.droppedBytes + cut,
  };
}

function cappedStreams(
  { stdout, stderr }: CliContext,
  capBytes: number,
): { readonly stdout: CappedOutput; readonly stderr: CappedOutput } {
  return { stdout: new CappedOutput(stdout, capBytes), stderr: new CappedOutput(stderr, capBytes) };
}

async function flush(capped: ReturnType<typeof cappedStreams> | undefined): Promise<void> {
  if (!capped) return;
  await Promise.all(
    [capped.stdout, capped.stderr].map((output) => finished(output.end()).catch(() => undefined)),
  );
}
