import { openHost } from '../../../bridge-server/main/open-host.ts';
import { groupPrefix } from '../../../bridge-server/runtimes/jail/control-groups/group-names.ts';
import { defaultImage } from '../../../protocol/sandbox/backend.ts';
import { connect } from '../../../sdk/connect.ts';
import { makeTestFolder } from '../../host/open-test-host.ts';
import { remains, residues } from '../../host/residues.ts';
import { type Serving, startServing } from '../../host/serving.ts';
import { seededRandom } from '../seeded-random.ts';
import { killProcesses, stressMappings, upload, writeMapped } from './bridge-loads.ts';
import { type BridgeRound, type BridgeSoakFound, countIn, pause } from './bridge-round.ts';
import { compareLedger } from './compare-ledger.ts';
import { Ledger } from './ledger.ts';
import { SmallDisk } from './small-disk.ts';

interface BridgeSoakOptions {
  readonly seed: number;
  /** Begins no more rounds after so long. */
  readonly endAfterMs: number;
  /** Told after each round. */
  readonly onProgress?: (found: BridgeSoakFound) => void;
}

const diskBytes = 4 * 2 ** 30;
const longestLoadMs = 15_000;
/** Files of each sandbox that are compared after each restart; at the end, all are. */
const comparedOfRound = 8;
/** What is left on a disk that is filled, at most. */
const mostLeftBytes = 2 ** 20;
/** Of four bridges, three let what runs outlive them. */
const waitsMs = [60_000, 60_000, 60_000, 0] as const;
const signals = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGUSR2'] as const;

/**
 * Kills bridges and what runs in jails while files are written through mappings, uploaded, captured and deleted, on a
 * disk of its own that is full at times, and holds the next bridge to what was acknowledged. Needs root.
 */
export async function soakBridge(options: BridgeSoakOptions): Promise<BridgeSoakFound> {
  await using disk = await SmallDisk.open({ sizeBytes: diskBytes });
  await using files = await makeTestFolder(undefined, { place: disk.folder, layer: 'own' });
  {
    await using host = await openHost(files.options);
    await host.prepare(defaultImage);
  }
  const { folder } = files.options;
  const prefix = await groupPrefix(folder);
  const soak = new BridgeSoak(options, {
    ...{ disk, folder, isGroup: (name) => name.startsWith(prefix) },
    serve: (reattachMs) => startServing({ ...files.options, reattachMs }),
  });
  // Awaited here, where the disk is still mounted.
  return await soak.run();
}

interface BridgeSoakParts {
  readonly disk: SmallDisk;
  readonly folder: string;
  isGroup(name: string): boolean;
  serve(reattachMs: number): Promise<Serving>;
}

class BridgeSoak {
  readonly #options: BridgeSoakOptions;
  readonly #parts: BridgeSoakParts;
  readonly #ledger = new Ledger();
  readonly #found: BridgeSoakFound = {
    ...{
      rounds: 0,
      snapshots: 0,
      compared: 0,
      stressCaptures: 0,
      uploads: 0,
      hostileUploads: 0,
      deletions: 0,
    },
    ...{
      bridgeEnds: {},
      processKills: 0,
      continued: 0,
      fullDisks: 0,
      refusals: {},
      lost: [],
      failures: [],
    },
  };

  constructor(options: BridgeSoakOptions, parts: BridgeSoakParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(): Promise<BridgeSoakFound> {
    const { endAfterMs, onProgress } = this.#options;
    const begunMs = performance.now();
    while (performance.now() - begunMs < endAfterMs && this.#isGood()) {
      await this.#round();
      this.#found.rounds++;
      onProgress?.(this.#found);
    }
    const compareAll = (round: BridgeRound) =>
      compareLedger(round, { mostFiles: Number.POSITIVE_INFINITY, isFull: false });
    await this.#serve({ reattachMs: 0, signal: 'SIGTERM', work: compareAll });
    return this.#found;
  }

  #isGood(): boolean {
    return this.#found.lost.length + this.#found.failures.length === 0;
  }

  async #round(): Promise<void> {
    const random = seededRandom(this.#options.seed * 1_000_003 + this.#found.rounds);
    const chosen = <T>(choices: readonly [T, ...T[]]): T =>
      choices[Math.floor(random() * choices.length)] ?? choices[0];
    const { disk, isGroup } = this.#parts;
    const isFull = random() < 0.2;
    const loadMs = random() * longestLoadMs;
    const fillsLater = !isFull && random() < 0.25;
    const loads = [writeMapped, upload, stressMappings].map((load) => ({
      load,
      random: seededRandom(random() * 2 ** 31),
    }));
    if (isFull) await this.#fill(random);
    const refill = random() * mostLeftBytes;
    await this.#serve({
      reattachMs: chosen(waitsMs),
      signal: chosen(signals),
      work: async (round, end) => {
        await compareLedger(round, { mostFiles: comparedOfRound, isFull });
        // What the bridge holds back for its start and for deletions may have become free.
        if (isFull) await disk.fill(refill);
        const running = loads.map((each) => each.load(round, each.random));
        running.push(killProcesses(round, { random: seededRandom(random() * 2 ** 31), isGroup }));
        // Without a bridge its loads end early.
        await pause(loadMs, round.ending);
        if (fillsLater) {
          await this.#fill(random);
          await pause(random() * 3_000, round.ending);
        }
        await this.#checkHealth(round);
        await end();
        await Promise.all(running);
      },
    });
    await disk.free();
  }

  async #fill(random: () => number): Promise<void> {
    this.#found.fullDisks++;
    await this.#parts.disk.fill(random() * mostLeftBytes);
  }

  /** A bridge from its start to its end by `signal`, which `work` may bring about earlier. */
  async #serve(options: {
    readonly reattachMs: number;
    readonly signal: (typeof signals)[number];
    work(round: BridgeRound, end: () => Promise<void>): Promise<void>;
  }): Promise<void> {
    const { reattachMs, signal, work } = options;
    const [ledger, found] = [this.#ledger, this.#found];
    await using serving = await this.#parts.serve(reattachMs);
    if (!serving.url) return void found.failures.push('A bridge did not start');
    found.continued += serving.running.length;
    await using backend = await connect(serving);
    const ending = new AbortController();
    const end = async () => {
      if (ending.signal.aborted) return;
      ending.abort();
      countIn(found.bridgeEnds, signal);
      await serving.end(signal);
      // Or it would try for a while to go on where it was.
      await backend[Symbol.asyncDispose]();
    };
    const round = { serving, backend, ledger, found, ending: ending.signal };
    await this.#checkHealth(round);
    const left = await residues(this.#parts.folder, { backend, bridge: serving });
    found.failures.push(...left.map((what) => `Left by the bridge before: ${what}`));
    await work(round, end);
    await end();
    if (signal === 'SIGTERM') {
      const after = await remains(this.#parts.folder);
      found.failures.push(...after.map((what) => `Left after SIGTERM: ${what}`));
    }
  }

  async #checkHealth({ serving, found }: BridgeRound): Promise<void> {
    const status = await fetch(`${serving.url}/health`).then(
      (answer) => answer.status,
      (cause: Error) => cause.message,
    );
    if (status !== 200) found.failures.push(`/health: ${status}`);
  }
}
