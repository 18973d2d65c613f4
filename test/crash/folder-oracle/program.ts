import {
  closeSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from './random.ts';

/** A line that nobody else has written: whether it is still somewhere can be told. */
type Line = string;

const lineForm = /^line \d+$/;
const paths = ['a', 'b', 'c.log', 'd/a', 'd/b', 'd/e/a', 'f/x', 'f/y.log', 'g', 'h/a', 'h/e/a', 'secret/k'];
/** Directories that a program puts in each other's place, as a packer does with one that it has made beside it. */
const swapped = ['d', 'h'] as const;
/** The time that packers give to all files. */
const packed = new Date('1985-10-26T08:15:00Z');
const gone = ['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'ENOSPC', 'EROFS', 'EBUSY', 'EXDEV'];
let written = 0;

/** The lines of all files below a folder. */
export function linesIn(folder: string): Set<Line> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  return new Set(texts.flatMap((text) => linesOf(text)));
}

export function linesOf(text: string): Line[] {
  return text.split('\n').filter((line) => lineForm.test(line));
}

/** A file that a program has open. */
interface OpenFile {
  readonly fd: number;
  /** False once a program has taken its name away: what is written to it then is lost by that program. */
  isNamed: boolean;
}

/** What programs have done with lines since it was last cleared. */
export class Ledger {
  /** Written, and not taken away again by a program: those have to be somewhere. */
  readonly owed: Set<Line> = new Set();
  /** Taken away by a program. */
  readonly taken: Set<Line> = new Set();
  /** How often something was done. */
  count = 0;
  /** The files that programs have open. */
  readonly #open: Set<OpenFile> = new Set();

  note(lines: readonly Line[]): void {
    this.count++;
    for (const line of lines) {
      this.owed.add(line);
      this.taken.delete(line);
    }
  }

  take(lines: readonly Line[]): void {
    this.count++;
    for (const line of lines) {
      this.owed.delete(line);
      this.taken.add(line);
    }
  }

  open(path: string): OpenFile {
    const file = { fd: openSync(path, 'r+'), isNamed: true };
    this.#open.add(file);
    return file;
  }

  close(file: OpenFile): void {
    closeSync(file.fd);
    this.#open.delete(file);
  }

  /** A program is about to take the name of a file away. */
  unname(path: string): void {
    const ino = lstatSync(path, { throwIfNoEntry: false })?.ino;
    for (const file of this.#open) if (fstatSync(file.fd).ino === ino) file.isNamed = false;
  }

  clear(): void {
    this.owed.clear();
    this.taken.clear();
  }
}

/** A person or an agent, who saves, moves and removes files of a folder, in all the ways that programs do. */
export class Program {
  readonly #ledger: Ledger;
  readonly #folder: string;
  readonly #random: Random;
  #open: OpenFile | undefined;

  constructor(folder: string, { random, ledger }: { readonly random: Random; readonly ledger: Ledger }) {
    this.#folder = folder;
    this.#random = random;
    this.#ledger = ledger;
  }

  /** Does one thing. What the folder does not let it do is not done. */
  act(): void {
    try {
      this.#act();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!gone.includes(code)) throw error;
    }
  }

  close(): void {
    if (this.#open) this.#ledger.close(this.#open);
    this.#open = undefined;
  }

  #act(): void {
    const random = this.#random;
    const path = join(this.#folder, random.pick(paths));
    const what = random.below(14);
    if (what < 4) this.#saveInPlace(path);
    else if (what < 6) this.#saveByRename(path);
    else if (what === 6) this.#openToWrite(path);
    else if (what < 9) this.#writeOpen();
    else if (what === 9) this.#remove(path);
    else if (what === 10) this.#move(path, join(this.#folder, random.pick(paths)));
    else if (what === 11) this.#swap();
    else if (what === 12) this.#link(path, join(this.#folder, random.pick(paths)));
    else {
      mkdirSync(path, { recursive: true });
      this.#ledger.count++;
    }
  }

  /** Some of the file's lines, and new ones. */
  #text(path: string): { readonly text: string; readonly made: Line[]; readonly had: Line[] } {
    const had = this.#read(path);
    const kept = this.#random.chance(50) ? had : [];
    const made = Array.from({ length: 1 + this.#random.below(3) }, () => `line ${++written}`);
    const lines = this.#random.chance(50) ? [...kept, ...made] : [...made, ...kept];
    // At times more than the small disks hold.
    const padding = this.#random.chance(5) ? `${'x'.repeat(60_000)}\n` : '';
    return { text: `${lines.join('\n')}\n${padding}`, made: lines, had };
  }

  #read(path: string): Line[] {
    try {
      return linesOf(readFileSync(path, 'latin1'));
    } catch {
      return [];
    }
  }

  #saveInPlace(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    const { text, made, had } = this.#text(path);
    const fd = openSync(path, 'w');
    this.#ledger.take(had);
    try {
      writeSync(fd, text);
      this.#ledger.note(made);
    } finally {
      closeSync(fd);
    }
  }

  #saveByRename(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    const { text, made } = this.#text(path);
    const draft = `${path}.draft`;
    try {
      writeFileSync(draft, text);
      const had = this.#read(path);
      this.#ledger.unname(path);
      renameSync(draft, path);
      this.#ledger.take(had);
      this.#ledger.note(made);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #openToWrite(path: string): void {
    this.close();
    this.#open = this.#ledger.open(path);
  }

  #writeOpen(): void {
    if (!this.#open) return;
    const { fd: file, isNamed } = this.#open;
    const made = [`line ${++written}`];
    const bytes = Buffer.alloc(100_000);
    const had = linesOf(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)));
    if (isNamed) this.#ledger.take(had);
    ftruncateSync(file);
    writeSync(file, `${made.join('\n')}\n`, 0);
    if (isNamed) this.#ledger.note(made);
  }

  #move(from: string, to: string): void {
    const had = this.#read(to);
    if (from !== to) this.#ledger.unname(to);
    renameSync(from, to);
    if (from !== to) this.#ledger.take(had);
  }

  #swap(): void {
    const [one, other] = swapped.map((name) => join(this.#folder, name)) as [string, string];
    for (const directory of [one, other]) {
      for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), packed, packed);
    }
    this.#ledger.count++;
    const between = join(this.#folder, 'between');
    renameSync(one, between);
    renameSync(other, one);
    renameSync(between, other);
  }

  #link(from: string, to: string): void {
    if (!lstatSync(from).isFile()) return;
    linkSync(from, to);
    this.#ledger.count++;
  }

  #remove(path: string): void {
    const had = this.#read(path);
    this.#ledger.unname(path);
    unlinkSync(path);
    this.#ledger.take(had);
  }
}
