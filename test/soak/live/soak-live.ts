import { setTimeout as sleep } from 'node:timers/promises';
import type { GuestImage, GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { type GuestParts, openGuest, run } from '../../machine/live/open-guest.ts';
import { Shelf, type Stored } from '../../machine/live/shelf.ts';
import { seededRandom } from '../seeded-random.ts';
import { type RamCopy, RamWitness } from './ram-witness.ts';
import { Terminal } from './terminal.ts';
import { workerScript } from './worker-script.ts';

export interface SoakOptions {
  readonly rewinds: number;
  /** What is done when; not what the guest's own timers do meanwhile. */
  readonly seed: number;
  /** Steps of the guest's work, until it begins again. */
  readonly steps: number;
  /** No more rewinds are begun after so long. */
  readonly endAfterMs: number;
  /** In how many of all rounds the machine is forked, from 0 to 1. */
  readonly forkRate?: number;
  /** A step that takes longer is a hang. */
  readonly deadlineMs: number;
  readonly onProgress?: (found: SoakFound) => void;
}

/** What was found; a soak that found nothing has nothing but zeros after `forks`. */
export interface SoakFound {
  readonly rewinds: number;
  /** Machines that went on beside it from where it was. */
  readonly forks: number;
  /** Bytes of RAM that were others after a rewind, or in a fork, than when the image was taken. */
  readonly differingBytes: number;
  /** Pages that were written without a mark, or are not in an image that was just taken as they are. */
  readonly missedPages: number;
  /** Times at which the output was not that of an uninterrupted run. */
  readonly otherOutputs: number;
  readonly hangs: number;
}

/** Whether everything was as it has to be. */
export function isFlawless({ differingBytes, missedPages, otherOutputs, hangs }: SoakFound): boolean {
  return differingBytes + missedPages + otherOutputs + hangs === 0;
}

/** One machine of the soak, and its terminal. */
interface Running extends Stored {
  readonly terminal: Terminal;
}

/** A checkpoint that is gone back to, with all that has to be true then. */
interface Known {
  readonly image: GuestImage;
  readonly ram: RamCopy;
  /** What python held. */
  readonly number: number;
}

const mostImages = 10;
/** How long a guest in which nothing happens may take to say what it does. */
const askMs = 10_000;
/** Of what was done, for who asks why nothing happens. */
const mostNotes = 8;
const longestWorkMs = 100;
/** Of all rounds, unless the options say otherwise. */
const usualForkRate = 0.05;

/** Rewinds a busy guest at random, to random checkpoints, and holds everything against it that can be known. */
export async function soakLive(parts: GuestParts, options: SoakOptions): Promise<SoakFound> {
  const endsAtMs = performance.now() + options.endAfterMs;
  const reference = await uninterrupted(parts, options);
  const found = { rewinds: 0, forks: 0, differingBytes: 0, missedPages: 0, otherOutputs: 0, hangs: 0 };
  while (found.rewinds < options.rewinds && performance.now() < endsAtMs) {
    const soak = new LiveSoak(parts, { ...options, endsAtMs, reference, found });
    await soak.run(); // Ends early where the guest hangs: another takes its place.
  }
  return found;
}

/** The log of the guest's work, with nothing done to it. */
async function uninterrupted(parts: GuestParts, { steps }: SoakOptions): Promise<string> {
  await using guest = await openGuest(parts);
  await begin(guest, steps);
  return await run(guest, 'while [ ! -e /tmp/soak/done ]; do sleep 0.1; done; cat /tmp/soak/log');
}

async function begin(guest: GuestMachine, steps: number): Promise<void> {
  await run(guest, `mkdir /tmp/soak; cat > /tmp/soak/work.sh <<'END'\n${workerScript}\nEND`);
  await run(guest, `cd /tmp/soak; (bash work.sh ${steps}; touch done) >/dev/null 2>&1 </dev/null &`);
}

type Findings = { -readonly [key in keyof SoakFound]: SoakFound[key] };

/** One guest, for as long as it goes on. */
class LiveSoak {
  readonly #options: SoakOptions & { readonly endsAtMs: number; readonly reference: string };
  readonly #found: Findings;
  readonly #witness: RamWitness;
  readonly #shelf: Shelf;
  readonly #random: () => number;
  readonly #known: Known[] = [];
  /** What is under way, for who asks why nothing happens, and in which guest. */
  #doing: { what: string; guest?: GuestMachine; terminal?: Terminal } = { what: 'nothing' };
  /** What was done last. */
  readonly #done: string[] = [];

  constructor(
    parts: GuestParts,
    { found, ...options }: SoakOptions & { endsAtMs: number; reference: string; found: Findings },
  ) {
    this.#options = options;
    this.#found = found;
    this.#witness = new RamWitness(parts);
    this.#shelf = new Shelf(parts);
    this.#random = seededRandom(options.seed + found.rewinds);
  }

  async run(): Promise<void> {
    await using stored = await this.#shelf.open(this.#witness.parts);
    const machine: Running = { ...stored, terminal: await Terminal.open(stored.guest) };
    await begin(machine.guest, this.#options.steps);
    this.#take(machine);
    const found = this.#found;
    while (found.rewinds < this.#options.rewinds && performance.now() < this.#options.endsAtMs) {
      try {
        await this.#inTime(this.#round(machine));
      } catch (error) {
        found.hangs++;
        console.error(`After ${found.rewinds} rewinds:`, error, await this.#whyNothing());
        return;
      }
      found.rewinds++;
      this.#options.onProgress?.(found);
    }
  }

  /** Work, perhaps a checkpoint or a fork, more work, and a rewind. */
  async #round(machine: Running): Promise<void> {
    const { guest, terminal } = machine;
    await this.#work(machine);
    const kind = this.#random();
    if (kind < (this.#options.forkRate ?? usualForkRate)) await this.#fork(machine);
    if (kind < 0.4) {
      this.#take(machine);
      await this.#work(machine);
    }
    // The newer ones more often, for the work to get on.
    const known = this.#known[Math.floor(Math.sqrt(this.#random()) * this.#known.length)] as Known;
    const looksAtAll = this.#looksAtAll();
    this.#note(`rewind to ${this.#known.indexOf(known)}${looksAtAll ? ', looked at' : ''}`);
    this.#doing = { what: 'rewind', guest };
    await guest.rewind(known.image, {
      // At once, before the guest has run.
      onRestored: () => {
        if (looksAtAll) this.#found.differingBytes += this.#witness.countDiffering(known.ram);
        terminal.number = known.number;
      },
    });
    if (this.#random() < 0.5) await this.#check(guest);
  }

  async #work({ guest, terminal }: Pick<Running, 'guest' | 'terminal'>): Promise<void> {
    await sleep(this.#random() * longestWorkMs);
    const kind = this.#random();
    this.#doing = { what: 'work', guest };
    if (kind < 0.3) await this.#step({ guest, terminal });
    else if (kind < 0.5) await this.#check(guest);
  }

  #take({ guest, terminal, take, keepOnly }: Running): Known {
    this.#found.missedPages += guest.missedPages();
    const image = take();
    // The others share pages with the guest, and get copies as it goes on.
    if (this.#random() < 0.5) {
      guest.checkpoints?.settle();
      this.#found.missedPages += guest.missedPages();
    }
    const known: Known = { image, ram: this.#witness.copy(), number: terminal.number };
    this.#known.push(known);
    if (this.#known.length <= mostImages) return known;
    // The first one stays: work that has ended begins again.
    this.#known.splice(1 + Math.floor(this.#random() * (mostImages - 1)), 1);
    keepOnly(this.#known.map(({ image }) => image));
    return known;
  }

  /** Another machine goes on from here, while this one does. */
  async #fork(machine: Running): Promise<void> {
    const { pid } = machine.terminal;
    this.#doing = { what: 'fork', guest: machine.guest };
    const { image, ram, number } = this.#take(machine);
    const saved = await machine.save(image, [{ pid, shown: new Uint8Array(0) }]);
    const found = this.#found;
    const looksAtAll = this.#looksAtAll();
    this.#note(`fork${looksAtAll ? ', looked at' : ''}`);
    let differingBytes = looksAtAll ? Number.NaN : 0;
    const witness: RamWitness = new RamWitness(this.#shelf.parts, {
      onPlaced: () => {
        if (looksAtAll) differingBytes = witness.countDiffering(ram);
      },
    });
    await using fork = await this.#shelf.openFrom(saved, witness.parts);
    found.differingBytes += differingBytes;
    found.forks++;
    const { guest } = fork;
    const terminal = await Terminal.adopt(guest, { pid, number });
    for (let n = 0; n < 3; n++) await this.#work({ guest, terminal });
    await this.#step({ guest, terminal });
    await this.#check(guest);
    found.missedPages += guest.missedPages();
    this.#note('end of the fork');
  }

  #note(what: string): void {
    this.#done.push(what);
    if (this.#done.length > mostNotes) this.#done.shift();
  }

  /** Whether all of RAM is compared before the guest runs; of the others, it gets its pages as it comes to need them. */
  #looksAtAll(): boolean {
    return this.#random() < 0.5;
  }

  /** The log must be the beginning of the reference's. */
  async #check(guest: GuestMachine): Promise<void> {
    this.#doing = { what: 'a command', guest };
    const log = await run(guest, 'cat /tmp/soak/log 2>/dev/null');
    if (this.#options.reference.startsWith(log)) return;
    this.#found.otherOutputs++;
    console.error(`Another output after ${this.#found.rewinds} rewinds: ${log.slice(-200)}`);
  }

  async #step({ guest, terminal }: Pick<Running, 'guest' | 'terminal'>): Promise<void> {
    this.#doing = { what: 'a line in the terminal', guest, terminal };
    await terminal.step();
  }

  /** What was waited for, and what the guest says of itself. */
  async #whyNothing(): Promise<object> {
    const { what, guest, terminal } = this.#doing;
    const asked = guest?.init.list({ timeoutMs: askMs }).then(
      ({ processes }) => processes.map(({ pid, argv }) => `${pid} ${argv.join(' ')}`),
      (error: Error) => error.message,
    );
    const told = guest && run(guest, 'dmesg | tail -n 12; head -n 3 /proc/meminfo; tail -n 2 /tmp/soak/log');
    const late = sleep(askMs, 'no answer', { ref: false });
    const says = await Promise.race([told?.catch((error: Error) => error.message), late]);
    return { what, done: this.#done, terminal: terminal?.said, guest: await asked, says };
  }

  async #inTime(work: Promise<void>): Promise<void> {
    const { deadlineMs } = this.#options;
    const ended = new AbortController();
    const late = sleep(deadlineMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`Nothing happened for ${deadlineMs} ms`);
    });
    late.catch(() => undefined);
    try {
      await Promise.race([work, late]);
    } finally {
      ended.abort();
      work.catch(() => undefined);
    }
  }
}
