import type { ExecCommandArgs, SandboxExecResult, WriteStdinArgs } from '@openai/agents-core/sandbox';
import { truncateOutput } from '@openai/agents-core/sandbox/internal';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { cutText } from './cut-text.ts';

/** How long a call waits for a process before it answers with its session, as the SDK's own sandboxes do. */
const usualYieldMs = { exec: 10_000, write: 250 };

type StartOptions = Pick<ExecCommandArgs, 'cmd' | 'tty'> & {
  readonly cwd: string;
  readonly envs: Readonly<Record<string, string>>;
  readonly user: 'user' | 'root';
};

/** The commands of an agent's session; one that has not ended when a call has waited long enough goes on under a number. */
export class AgentProcesses {
  readonly #sandbox: Sandbox;
  readonly #running = new Map<number, AgentProcess>();
  #lastId = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** @throws busy past `limits.agentProcesses` that run, and what starting one fails with */
  async exec(options: StartOptions, args: ExecCommandArgs): Promise<SandboxExecResult> {
    if (this.#running.size >= limits.agentProcesses) this.#forgetEnded();
    if (this.#running.size >= limits.agentProcesses) {
      const ids = [...this.#running.keys()].join(', ');
      throw new SandboxError(
        'busy',
        `Cannot start a command: ${ids} run already; interrupt one with \\u0003`,
      );
    }
    const process = new AgentProcess();
    const id = ++this.#lastId;
    this.#running.set(id, process);
    try {
      await process.start(this.#sandbox, options);
      return await this.#answer(id, process, { yieldTimeMs: usualYieldMs.exec, ...args });
    } catch (error) {
      this.#running.delete(id);
      throw error;
    }
  }

  /** @throws not-found */
  async write({ sessionId, chars = '', ...args }: WriteStdinArgs): Promise<SandboxExecResult> {
    const process = this.#running.get(sessionId);
    if (!process) throw new SandboxError('not-found', `Cannot write to session ${sessionId}: it has ended`);
    await process.write(chars);
    return this.#answer(sessionId, process, { yieldTimeMs: usualYieldMs.write, ...args });
  }

  /** Kills those that run. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(all.map((process) => process.kill()));
  }

  #forgetEnded(): void {
    for (const [id, { hasEnded }] of this.#running) if (hasEnded) this.#running.delete(id);
  }

  async #answer(
    id: number,
    process: AgentProcess,
    { yieldTimeMs = 0, maxOutputTokens }: Pick<ExecCommandArgs, 'yieldTimeMs' | 'maxOutputTokens'>,
  ): Promise<SandboxExecResult> {
    const startedMs = performance.now();
    const exitCode = await process.wait(Math.min(yieldTimeMs, limits.modelCommandMs));
    const { output, stdout, stderr } = process.take();
    const { text, originalTokenCount } = truncateOutput(output, maxOutputTokens);
    if (exitCode !== undefined) this.#running.delete(id);
    return {
      output: cutText(text),
      stdout,
      stderr,
      wallTimeSeconds: (performance.now() - startedMs) / 1000,
      ...(exitCode === undefined ? { sessionId: id } : { exitCode }),
      ...(originalTokenCount === undefined ? {} : { originalTokenCount }),
    };
  }
}

/** One command, with the output that no call has taken yet. */
class AgentProcess {
  hasEnded = false;
  readonly #end = Promise.withResolvers<number>();
  #output = new RecentText();
  #stdout = new RecentText();
  #stderr = new RecentText();
  #write: (data: string) => Promise<void> = async () => undefined;
  #kill: () => Promise<void> = async () => undefined;

  constructor() {
    const note = () => {
      this.hasEnded = true;
    };
    this.#end.promise.then(note, note);
  }

  /** Its exit code, or nothing if it has not ended by then. @throws what has become of its sandbox */
  async wait(milliseconds: number): Promise<number | undefined> {
    const time = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => time.resolve(undefined), milliseconds);
    try {
      return await Promise.race([this.#end.promise, time.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async start(sandbox: Sandbox, { cmd, tty = false, ...options }: StartOptions): Promise<void> {
    if (tty) {
      const decoder = new TextDecoder();
      const pty = await sandbox.pty.create({
        ...options,
        command: cmd,
        columns: 120,
        rows: 40,
        onData: (bytes) => this.#note(this.#stdout, decoder.decode(bytes, { stream: true })),
        onExit: ({ exitCode }) => this.#end.resolve(exitCode),
      });
      this.#write = (data) => pty.sendInput(new TextEncoder().encode(data));
      this.#kill = () => pty.kill();
      return;
    }
    const handle = await sandbox.commands.run(cmd, {
      ...options,
      background: true,
      onStdout: (text) => this.#note(this.#stdout, text),
      onStderr: (text) => this.#note(this.#stderr, text),
    });
    handle.wait().then(({ exitCode }) => this.#end.resolve(exitCode), this.#end.reject);
    this.#kill = () => handle.kill();
    this.#write = async (data) => {
      if (data === '\u0003') return handle.kill();
      if (data === '') return;
      throw new SandboxError(
        'unsupported',
        'Cannot write to the command: start it with tty=true to give it input',
        {
          details: { feature: 'tty' },
        },
      );
    };
  }

  write(data: string): Promise<void> {
    return data === '' ? Promise.resolve() : this.#write(data);
  }

  /** The output since the last call. */
  take(): { readonly output: string; readonly stdout: string; readonly stderr: string } {
    return { output: this.#output.take(), stdout: this.#stdout.take(), stderr: this.#stderr.take() };
  }

  kill(): Promise<void> {
    return this.#kill().catch(() => undefined);
  }

  #note(stream: RecentText, text: string): void {
    stream.push(text);
    this.#output.push(text);
  }
}

/** The last `limits.agentOutputCharacters` of a text that grows, and how much came before. */
class RecentText {
  #text = '';
  #dropped = 0;

  push(text: string): void {
    this.#text += text;
    // Cut seldom, as each time copies.
    if (this.#text.length > 2 * limits.agentOutputCharacters) this.#cut();
  }

  take(): string {
    this.#cut();
    // In the SDK's own words, which it keeps when it cuts the text to a number of tokens.
    const note =
      this.#dropped > 0 ? `[...${this.#dropped} characters truncated from process output...]\n` : '';
    const taken = note + this.#text;
    this.#text = '';
    this.#dropped = 0;
    return taken;
  }

  #cut(): void {
    const excess = this.#text.length - limits.agentOutputCharacters;
    if (excess <= 0) return;
    this.#text = this.#text.slice(excess);
    this.#dropped += excess;
  }
}
