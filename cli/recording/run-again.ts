import { createHash } from 'node:crypto';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Recording } from '../../recording/read/recording.ts';
import {
  type ChangedPath,
  type CompareOptions,
  compareStep,
  compareTree,
  type Difference,
  isSameButNoise,
  type RanAgain,
} from '../../recording/verify/compare-step.ts';
import type { RecordedStep } from '../../recording/verify/recorded-steps.ts';
import type { CommandResult } from '../../sdk/commands.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { Shell } from '../../sdk/shells.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';

/** Files whose texts are compared without noise. */
const readFiles = 64;
const readBytes = 1_048_576;

export interface RunAgainOptions extends CompareOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Where and as whom a command runs. */
interface As {
  readonly cwd?: string;
  readonly user?: 'user' | 'root';
}

/** Runs the commands of a recording again in a sandbox of its image, from the files that it began with. */
export class RunAgain {
  readonly #sandbox: Sandbox;
  readonly #options: RunAgainOptions;
  /** Commands that were typed at one terminal share a shell. */
  readonly #shells = new Map<number, Shell>();

  private constructor(sandbox: Sandbox, options: RunAgainOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /**
   * Brings the recording's snapshots into the sandbox and its files to the first of them.
   * @throws unsupported for a recording without one, conflict for another image; as an import
   */
  static async begin(recording: Recording, sandbox: Sandbox, options: RunAgainOptions): Promise<RunAgain> {
    const { begin, image } = recording.header.coppice;
    const hasFiles = recording.landmarks.some(({ event }) => event.type === 'snapshot' && event.id === begin);
    if (begin === undefined || !hasFiles)
      throw new SandboxError(
        'unsupported',
        'Cannot verify the recording: it has no files that it begins with',
      );
    assertImage(image, sandbox);
    for (const { event } of recording.landmarks) {
      options.signal.throwIfAborted();
      if (event.type === 'snapshot') await importSnapshot(recording, event.id, sandbox);
    }
    await sandbox.checkout(begin);
    return new RunAgain(sandbox, options);
  }

  /** Runs a command, and tells what differs. What cannot be run again is a difference, and no error. @throws aborted, connection-lost */
  async step(step: RecordedStep): Promise<readonly Difference[]> {
    if (step.by === 'client') return this.#takeFiles(step);
    if (step.text.includes('<secret:') || step.argv?.some((each) => each.includes('<secret:')))
      return [halt('a secret in it was replaced when it was recorded')];
    const before = step.during === undefined ? [] : await this.#changes(step.during);
    let ran: RanAgain;
    try {
      const result = await this.#run(step);
      if (result.reason !== 'exited' && result.reason !== 'signalled')
        return [halt(`it was ended: ${result.reason}`)];
      ran = ranAgain(result);
    } catch (error) {
      const { code, message } = SandboxError.from(error);
      if (this.#options.signal.aborted || code === 'connection-lost') throw error;
      return [halt(message)];
    }
    const differences = [...compareStep(step, ran, this.#options)];
    if (step.during !== undefined) {
      // What differs before and after is of neither.
      const paths = new Set(before.map(({ path }) => path));
      const changes = (await this.#changes(step.during)).filter(({ path }) => paths.has(path));
      differences.push(...compareTree(changes.map((change) => ({ ...change, isEarlier: true }))));
    }
    if (step.snapshot !== undefined) differences.push(...compareTree(await this.#changes(step.snapshot)));
    return differences;
  }

  #run({ argv, text, cwd, user, by, terminal }: RecordedStep): Promise<CommandResult> {
    const { timeoutMs, signal } = this.#options;
    const as: As = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === 'user' || user === 'root' ? { user } : {}),
    };
    if (by === 'terminal') return this.#inShell(terminal, text, as);
    return this.#sandbox.run(argv ?? text, { ...as, timeoutMs, signal });
  }

  async #inShell(terminal: number, text: string, as: As): Promise<CommandResult> {
    const { timeoutMs, signal } = this.#options;
    const shell = this.#shells.get(terminal) ?? (await this.#sandbox.shell(as));
    this.#shells.set(terminal, shell);
    return shell.run(text, { timeoutMs, signal });
  }

  /** What a client wrote is taken from the recording: there is no command to run. */
  async #takeFiles({ snapshot }: RecordedStep): Promise<readonly Difference[]> {
    if (snapshot === undefined) return [];
    await this.#sandbox.checkout(snapshot);
    this.#shells.clear();
    return [];
  }

  /** What is there now and not as in a snapshot, but for times. */
  async #changes(snapshot: string): Promise<readonly ChangedPath[]> {
    await this.#sandbox.history.settle();
    const changes: ChangedPath[] = [];
    for (const { type, path } of await this.#sandbox.diff(snapshot, 'now')) {
      const isRead = changes.length < readFiles;
      if (type === 'metadata' && isRead && (await this.#isTimeAlone(path, snapshot))) continue;
      const isNoise = type === 'modified' && isRead && (await this.#isNoise(path, snapshot));
      changes.push({ type, path, isNoise });
    }
    return changes;
  }

  async #isTimeAlone(path: string, snapshot: string): Promise<boolean> {
    const { files } = this.#sandbox;
    const [now, before] = await Promise.all([
      files.stat(path),
      files.stat(path, { at: snapshot as SnapshotId }),
    ]);
    return now.mode === before.mode && now.uid === before.uid && now.gid === before.gid;
  }

  async #isNoise(path: string, snapshot: string): Promise<boolean> {
    const { files } = this.#sandbox;
    const at = snapshot as SnapshotId;
    const sizes = await Promise.all([files.stat(path), files.stat(path, { at })]);
    if (sizes.some(({ type, sizeBytes }) => type !== 'file' || sizeBytes > readBytes)) return false;
    const [now, before] = await Promise.all([files.read(path), files.read(path, { at })]);
    return isSameButNoise(before, now, this.#options);
  }
}

function assertImage(image: Recording['header']['coppice']['image'], { info }: Sandbox): void {
  if (image === undefined || !('imageDigest' in info) || info.imageDigest === image.digest) return;
  const message = `Cannot verify the recording: it is of the image ${image.name} ${image.digest.slice(0, 12)}, and this host has another`;
  throw new SandboxError('conflict', message, { details: { image } });
}

async function importSnapshot(recording: Recording, id: string, { connection }: Sandbox): Promise<void> {
  const taken = await connection.transfer.openImport();
  try {
    for await (const bytes of recording.exportOf(id))
      for (let at = 0; at < bytes.length; at += limits.archivePieceBytes)
        await taken.write(bytes.slice(at, at + limits.archivePieceBytes));
    await taken.finish();
  } finally {
    await taken.close().catch(() => undefined);
  }
}

function ranAgain({ exitCode, stdout, stderr }: CommandResult): RanAgain {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  return { exitCode, stdout, stderr, digests: { stdout: hash(stdout), stderr: hash(stderr) } };
}

function halt(why: string): Difference {
  return { level: 'halt', what: 'run', recorded: 'it ran', now: why };
}
