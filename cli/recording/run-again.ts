import { createHash } from 'node:crypto';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { recordingLimits } from '../../recording/limits.ts';
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
import { isSameIndex, UndatedCommits } from './undated-commits.ts';

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
  /** Commands of one shell share one again: by who gave them, and where they were shown. */
  readonly #shells = new Map<string, Shell>();
  readonly #commits = new UndatedCommits();
  /** The snapshot that it is at, where no command has run since. */
  #at: string | undefined;

  private constructor(sandbox: Sandbox, options: RunAgainOptions & { readonly at: string }) {
    this.#sandbox = sandbox;
    this.#options = { ...options, named: (text) => this.#commits.named(text) };
    this.#at = options.at;
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
    return new RunAgain(sandbox, { ...options, at: begin });
  }

  /** Goes to where the session went before a command. @throws not-found for what is not in the recording */
  async goTo({ from }: Pick<RecordedStep, 'from'>): Promise<void> {
    if (from === undefined || from === this.#at) return;
    // Shells of the recording are none of this sandbox.
    for (const shell of this.#shells.values()) await shell[Symbol.asyncDispose]();
    this.#shells.clear();
    await this.#sandbox.checkout(from);
    this.#at = from;
  }

  /** Runs a command, and tells what differs. What cannot be run again is a difference, and no error. @throws aborted, connection-lost */
  async step(step: RecordedStep): Promise<readonly Difference[]> {
    if (step.by === 'client') return this.#takeFiles(step);
    if (step.text.includes('<secret:') || step.argv?.some((each) => each.includes('<secret:')))
      return [halt('a secret in it was replaced when it was recorded')];
    let before: readonly ChangedPath[] = [];
    let ran: RanAgain;
    try {
      await this.goTo(step);
      if (step.during !== undefined) before = await this.#changes(step.during);
      this.#at = undefined;
      const result = await this.#run(step);
      if (result.reason !== 'exited' && result.reason !== 'signalled')
        return [halt(`it was ended: ${result.reason}`)];
      ran = ranAgain(result);
    } catch (error) {
      const { code, message } = SandboxError.from(error);
      if (this.#options.signal.aborted || code === 'connection-lost') throw error;
      return [halt(message)];
    }
    if (step.named !== undefined && step.snapshot === undefined) await this.#compareCommits(step.named);
    const left = step.snapshot === undefined ? [] : await this.#changes(step.snapshot);
    const differences = [...compareStep(step, ran, this.#options), ...compareTree(left)];
    if (step.during !== undefined) {
      // What differs before and after is of neither. Noise of the one before is noise, whatever this one did.
      const earlier = new Map(before.map((change) => [change.path, change]));
      const changes = (await this.#changes(step.during)).flatMap((change) => {
        const was = earlier.get(change.path);
        return was
          ? [{ ...change, isNoise: was.isNoise === true || change.isNoise === true, isEarlier: true }]
          : [];
      });
      differences.push(...compareTree(changes));
    }
    return differences;
  }

  #run(step: RecordedStep): Promise<CommandResult> {
    const { argv, text, cwd, user, by } = step;
    const { timeoutMs, signal } = this.#options;
    const as: As = {
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === 'user' || user === 'root' ? { user } : {}),
    };
    if (by === 'terminal' || by === 'shell') return this.#inShell(step, as);
    return this.#sandbox.run(argv ?? text, { ...as, timeoutMs, signal });
  }

  async #inShell({ by, terminal, text }: RecordedStep, as: As): Promise<CommandResult> {
    const { timeoutMs, signal } = this.#options;
    const key = `${by} ${terminal} ${as.user}`;
    const last = this.#shells.get(key);
    // One terminal shows the commands of all shells that have none, with the directory of each.
    const isSame = last && (by === 'terminal' || as.cwd === undefined || (await last.info()).cwd === as.cwd);
    if (last && !isSame) await last[Symbol.asyncDispose]();
    const shell = last && isSame ? last : await this.#sandbox.shell(as);
    this.#shells.set(key, shell);
    return shell.run(text, { timeoutMs, signal });
  }

  /** What a client wrote is taken from the recording: there is no command to run. */
  async #takeFiles({ snapshot, from }: RecordedStep): Promise<readonly Difference[]> {
    await this.goTo({ from: snapshot ?? from });
    return [];
  }

  /** What is there now and not as in a snapshot, but for times. */
  async #changes(snapshot: string): Promise<readonly ChangedPath[]> {
    const { differing, ...commits } = await this.#compareCommits(snapshot);
    const changes: ChangedPath[] = [];
    for (const { type, path } of differing) {
      const isRead = changes.length < recordingLimits.verifyFiles;
      if (type === 'metadata' && isRead && (await this.#isTimeAlone(path, snapshot))) continue;
      const isNoise =
        (type === 'deleted' && commits.now.has(this.#commits.nameOf(path))) ||
        (type === 'created' && commits.recorded.has(this.#commits.nameOf(path))) ||
        (type === 'modified' && isRead && (await this.#isNoise(path, snapshot)));
      changes.push({ type, path, isNoise });
    }
    // A directory of git's objects that is there for nothing else.
    const isOfCommits = (directory: string): boolean => {
      const below = changes.filter(({ path }) => path.startsWith(`${directory}/`));
      return below.length > 0 && below.every(({ isNoise }) => isNoise);
    };
    return changes.map((change) =>
      /\/objects\/[0-9a-f]{2}$/.test(change.path) ? { ...change, isNoise: isOfCommits(change.path) } : change,
    );
  }

  /** What is another now than in a snapshot. Learns of the commits that one side has, whose names it answers. */
  async #compareCommits(snapshot: string): Promise<{
    readonly differing: readonly ChangedPath[];
    readonly recorded: ReadonlySet<string | undefined>;
    readonly now: ReadonlySet<string | undefined>;
  }> {
    await this.#sandbox.history.settle();
    const differing = await this.#sandbox.diff(snapshot, 'now');
    const { files } = this.#sandbox;
    const learn = async (wanted: string, at?: SnapshotId) => {
      const options = at === undefined ? {} : { at };
      const paths = differing.filter(({ type }) => type === wanted).map(({ path }) => path);
      return this.#commits.add(paths, async (path) => {
        const { type, sizeBytes } = await files.stat(path, options);
        if (type !== 'file' || sizeBytes > recordingLimits.verifyFileBytes) return undefined;
        return files.read(path, { format: 'bytes', ...options });
      });
    };
    const recorded = await learn('deleted', snapshot as SnapshotId);
    return { differing, recorded, now: await learn('created') };
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
    const most = recordingLimits.verifyFileBytes;
    if (sizes.some(({ type, sizeBytes }) => type !== 'file' || sizeBytes > most)) return false;
    const bytes = { format: 'bytes' } as const;
    const [now, before] = await Promise.all([files.read(path, bytes), files.read(path, { ...bytes, at })]);
    const text = (of: Uint8Array) => new TextDecoder().decode(of);
    return isSameIndex(before, now) || isSameButNoise(text(before), text(now), this.#options);
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
