import { once } from 'node:events';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { ExitStatus, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { OpenShellOptions, Shell } from '../../sdk/shells.ts';
import type { CliContext, CliOutput } from '../context.ts';

/** A shell of a sandbox that lines are typed at. It goes on after a checkout, in the state of then or else in a new one. */
export class ShellSession implements AsyncDisposable {
  readonly sandbox: Sandbox;
  /** What `%reset` goes back to. */
  readonly base: SnapshotInfo['id'];
  readonly #context: CliContext;
  readonly #options: OpenShellOptions;
  #shell: Shell;
  /** Shells that are this session's: it has another one where a snapshot lacks that of before. */
  readonly #opened: string[];
  #running: ProcessHandle | undefined;
  #interrupts = 0;
  /** Whether the last output ended in the midst of a line. */
  #isMidLine = false;

  private constructor(
    parts: { readonly sandbox: Sandbox; readonly base: SnapshotInfo['id']; readonly shell: Shell },
    { context, options }: { readonly context: CliContext; readonly options: OpenShellOptions },
  ) {
    this.sandbox = parts.sandbox;
    this.base = parts.base;
    this.#shell = parts.shell;
    this.#opened = [parts.shell.id];
    this.#context = context;
    this.#options = options;
  }

  static async open(
    sandbox: Sandbox,
    { context, options }: { readonly context: CliContext; readonly options: OpenShellOptions },
  ): Promise<ShellSession> {
    const { id: base } = await sandbox.createSnapshot({ ifChanged: true });
    const shell = await sandbox.shell(options);
    return new ShellSession({ sandbox, base, shell }, { context, options });
  }

  /** Runs a command to its end; its output goes to standard output and standard error, byte for byte. */
  async run(command: string): Promise<ExitStatus> {
    const { stdout, stderr } = this.#context;
    const ended = Promise.withResolvers<ExitStatus>();
    this.#interrupts = 0;
    this.#isMidLine = false;
    const request = { id: this.#shell.id, command };
    this.#running = await this.sandbox.connection.shells.run(request, async (event) => {
      if (event.type === 'exit') return ended.resolve(event);
      this.#isMidLine = event.bytes.at(-1) !== 10;
      await write(event.type === 'stdout' ? stdout : stderr, event.bytes);
    });
    try {
      // What was asked for while it was being started.
      if (this.#interrupts > 0) this.#kill();
      return await ended.promise;
    } finally {
      this.#running = undefined;
      if (this.#isMidLine && stdout.isTTY) stdout.write('\n');
    }
  }

  /** Interrupts what runs; the second time it is killed. */
  interrupt(): void {
    this.#interrupts++;
    this.#kill();
  }

  /** Where it is. */
  async directory(): Promise<string> {
    return (await this.#shell.info()).cwd;
  }

  /** Goes to a snapshot. */
  async restore(id: SnapshotInfo['id']): Promise<SnapshotInfo['id']> {
    const { previousHead } = await this.sandbox.checkout(id);
    const there = new Set((await this.sandbox.shells()).map(({ id }) => id));
    // A snapshot of before this shell may have the one that was there before a `%reset`, or none.
    const known = this.#opened.findLast((id) => there.has(id));
    this.#use(await this.sandbox.shell(known === undefined ? this.#options : { id: known }));
    return previousHead;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const there = new Set((await this.sandbox.shells()).map(({ id }) => id));
    for (const id of this.#opened.filter((id) => there.has(id))) {
      await (await this.sandbox.shell({ id })).close();
    }
  }

  #use(shell: Shell): void {
    this.#shell = shell;
    if (!this.#opened.includes(shell.id)) this.#opened.push(shell.id);
  }

  #kill(): void {
    this.#running?.kill(this.#interrupts > 1 ? 'SIGKILL' : 'SIGINT').catch(() => undefined);
  }
}

async function write(output: CliOutput, bytes: Uint8Array): Promise<void> {
  if (output.write(bytes)) return;
  // One that is destroyed never drains.
  await Promise.race([once(output, 'drain'), once(output, 'close')]);
}
