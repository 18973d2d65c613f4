import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheFolder } from '../cache/cache-folder.ts';
import { withCacheLock } from '../cache/cache-lock.ts';
import type { Progress } from '../progress.ts';
import { runTool, type ToolOptions } from '../run-tool.ts';

/** Package lists younger than this are not fetched again unless asked for. */
const freshMs = 6 * 60 * 60 * 1000;

/** The host's settings that say how to reach an archive; nothing else of its configuration is used. */
const hostSettings = ['Acquire::http', 'Acquire::https', 'Acquire::Retries', 'Acquire::ForceIPv4'];

/**
 * The ordinary apt client in a folder of its own: it has its own state, an empty package database
 * and its own cache, and reads only the host's sources and keys. It needs no privilege and leaves
 * the host as it was.
 */
export class AptRoot {
  readonly #path: string;
  readonly #progress: Progress;

  private constructor(path: string, progress: Progress) {
    this.#path = path;
    this.#progress = progress;
  }

  /** A root for packages of `architecture` (and of `all`) under the cache folder. */
  static async open(
    cache: CacheFolder,
    options: { architecture: string; progress: Progress },
  ): Promise<AptRoot> {
    const root = new AptRoot(cache.join('apt', options.architecture), options.progress);
    await root.#configure(options.architecture);
    return root;
  }

  /** Fetches the package lists, unless they are fresh and `force` is not set. */
  async update(options: { force?: boolean; signal?: AbortSignal } = {}): Promise<void> {
    await withCacheLock(
      join(this.#path, 'update.lock'),
      async () => {
        const updated = await stat(join(this.#path, 'updated')).catch(() => undefined);
        if (!options.force && updated && Date.now() - updated.mtimeMs < freshMs) return;
        const whole = await this.#progress.step('Fetch package lists', () => this.#update(options.signal));
        // Lists that did not come today, as without a network, are asked for again next time.
        if (whole) await writeFile(join(this.#path, 'updated'), '');
      },
      { ...options, onWait: (holder) => this.#progress.note(`  waits for ${holder} to fetch package lists`) },
    );
  }

  /** Runs an apt program in this root and resolves to its output. */
  async run(argv: readonly string[], options: ToolOptions = {}): Promise<string> {
    const env = { ...process.env, APT_CONFIG: join(this.#path, 'apt.conf'), LC_ALL: 'C' };
    return runTool(argv, { ...options, env });
  }

  /**
   * apt ignores a list that does not verify (a mirror in the middle of its sync) and goes on with
   * the others; so do we, but not silently. Answers whether all came.
   */
  async #update(signal: AbortSignal | undefined): Promise<boolean> {
    const output = await this.run(['sh', '-c', 'apt-get update -q 2>&1'], {
      acceptedExitCodes: [100],
      signal,
    });
    const failures = output.split('\n').filter((line) => /^(E|W): Failed to fetch/.test(line));
    for (const line of failures) this.#progress.warn(line.slice(3));
    return failures.length === 0;
  }

  async #configure(architecture: string): Promise<void> {
    for (const folder of ['state/lists/partial', 'cache/archives/partial', 'no-parts']) {
      await mkdir(join(this.#path, folder), { recursive: true });
    }
    await writeFile(join(this.#path, 'status'), '');
    const inherited = await runTool(['apt-config', 'dump', ...hostSettings]);
    const lines = [
      ...inherited.split('\n').filter((line) => hostSettings.some((name) => line.startsWith(name))),
      `Dir::State ${quote(join(this.#path, 'state'))};`,
      `Dir::State::status ${quote(join(this.#path, 'status'))};`,
      `Dir::Cache ${quote(join(this.#path, 'cache'))};`,
      // Without the host's own hooks, which may clean its cache or talk to its desktop.
      `Dir::Etc::main "/dev/null";`,
      `Dir::Etc::parts ${quote(join(this.#path, 'no-parts'))};`,
      `APT::Architecture ${quote(architecture)};`,
      `APT::Architectures { ${quote(architecture)}; };`,
      `APT::Install-Recommends "false";`,
      `APT::Sandbox::User "";`,
      `Acquire::Languages "none";`,
    ];
    await writeFile(join(this.#path, 'apt.conf'), `${lines.join('\n')}\n`);
  }
}

function quote(text: string): string {
  return `"${text}"`;
}
