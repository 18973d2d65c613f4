import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestCli } from '../../../cli/test-context.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { wrappedTag } from '../../../sdk/undo/steps.ts';
import { type Move, makeMove } from './make-move.ts';
import { Ledger, linesIn, Program } from './program.ts';
import { Random } from './random.ts';
import { type Files, World, type WorldKind } from './world.ts';

const killed = fileURLToPath(new URL('./killed-move.ts', import.meta.url));
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';
const kinds: readonly WorldKind[] = ['plain', 'plain', 'plain', 'small-folder', 'small-store', 'mounts'];
const refusals = [
  'conflict',
  'not-found',
  'storage-full',
  'invalid-argument',
  'limit-exceeded',
  'busy',
  'forbidden',
];
const ignoreRules = ['', '*.log\n', 'secret/\n', '*.log\nsecret/\n'];

/**
 * So many rounds in a new folder, all that happens in them by `seed`; fewer where `isOver` says so. `onOutcome` is told
 * how each ended. @throws Error at a round after which a byte is nowhere, or a snapshot is not what the disk was
 */
export async function runWorld({
  seed,
  rounds,
  cli,
  onOutcome,
  isOver = () => false,
}: {
  readonly seed: number;
  readonly rounds: number;
  readonly cli: TestCli;
  readonly onOutcome: (outcome: string) => void;
  readonly isOver?: () => boolean;
}): Promise<void> {
  const random = new Random(seed);
  const kind = mayMount ? random.pick(kinds) : 'plain';
  using world = new World(kind);
  using round = new Round(world, random, cli);
  for (let at = 0; at < rounds && !isOver(); at++) {
    try {
      if (at === 0) await begin(world, random);
      onOutcome(await round.run());
    } catch (cause) {
      throw new Error(`Seed ${seed} (${kind}), round ${at}`, { cause });
    }
  }
}

class Round {
  readonly #world: World;
  readonly #random: Random;
  readonly #cli: TestCli;
  readonly #ledger = new Ledger();
  readonly #user: Program;
  readonly #agent: Program;

  constructor(world: World, random: Random, cli: TestCli) {
    this.#world = world;
    this.#random = random;
    this.#cli = cli;
    const shared = { random, ledger: this.#ledger };
    [this.#user, this.#agent] = [new Program(world.folder, shared), new Program(world.folder, shared)];
  }

  async run(): Promise<string> {
    const random = this.#random;
    this.#changeRules();
    if (this.#world.kind === 'mounts' && random.chance(25)) this.#world.toggleMount();
    const isAgent = random.chance(40);
    if (isAgent && random.chance(80))
      await this.#make({ type: 'commit', label: 'before call' }, () => undefined);
    for (let count = random.below(5); count > 0; count--) (isAgent ? this.#agent : this.#user).act();
    const move = isAgent && random.chance(90) ? ({ type: 'commit', label: 'call' } as const) : this.#move();
    // A program that has a file open at the end of a round has it in the next one.
    if (random.chance(70)) for (const program of [this.#user, this.#agent]) program.close();
    const isKilled = move.type !== 'commit' && random.chance(12);
    if (isKilled) return this.#kill(move);
    let instant = random.chance(50) ? random.below(60) : Number.POSITIVE_INFINITY;
    const between = () => {
      if (instant-- <= 0 && random.chance(30)) this.#user.act();
    };
    return this.#make(move, between);
  }

  [Symbol.dispose](): void {
    for (const program of [this.#user, this.#agent]) program.close();
  }

  #move(): Move {
    const random = this.#random;
    const type = random.pick([
      'commit',
      'commit',
      'undo',
      'undo',
      'undo',
      'redo',
      'redo',
      'checkout',
    ] as const);
    if (type === 'commit') return { type, label: random.pick(['', 'named', 'before lunch']) };
    if (type === 'checkout') return { type, which: random.below(1_000) };
    return { type, count: random.pick([1, 1, 1, 2, 3]), takeAll: random.chance(30) };
  }

  #changeRules(): void {
    const random = this.#random;
    const rules = join(this.#world.folder, '.coppiceignore');
    try {
      if (random.chance(8)) writeFileSync(rules, random.pick(ignoreRules));
      else if (random.chance(4)) rmSync(rules, { force: true });
    } catch {
      // Such as on a full disk.
    }
  }

  /** In this process, with the user at work between any two steps. */
  async #make(move: Move, between: () => void): Promise<string> {
    const before = linesIn(this.#world.folder);
    const mounted = linesIn(this.#world.elsewhere);
    this.#ledger.clear();
    let isDisturbed = false;
    const probe = {
      between: () => {
        const { count } = this.#ledger;
        between();
        isDisturbed ||= this.#ledger.count !== count;
      },
      processes: () => [process.pid],
      flush: () => undefined,
    };
    const found = JSON.stringify(this.#world.onDisk());
    const code = await this.#world.use(
      (sandbox) => makeMove(sandbox, move).then(() => 'done', codeOf),
      probe,
    );
    await this.#check(before, { move, code, isDisturbed, found, mounted });
    return `${move.type} ${code}`;
  }

  /** In a process that is killed at an instant, and then what a person is told to do. */
  async #kill(move: Move): Promise<string> {
    const { root, folder } = this.#world;
    const before = linesIn(folder);
    const mounted = linesIn(this.#world.elsewhere);
    this.#ledger.clear();
    const args = [killed, root, folder, JSON.stringify(move), String(this.#random.below(25))];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [, signal] = await once(child, 'exit');
    for (let count = this.#random.below(2); count > 0; count--) this.#user.act();
    this[Symbol.dispose]();
    const run = (...words: string[]) => this.#cli.run(...words, '--root', root, '--in-place', folder);
    const told = await run('commit', '--if-changed');
    const isInterrupted = told.stderr.includes('--continue');
    if (!isInterrupted) {
      await this.#check(before, { move, code: 'killed', isDisturbed: true, found: '', mounted });
      return signal === null ? `${move.type} ended` : `${move.type} killed before or after`;
    }
    const way = this.#random.pick(['--continue', '--abort']);
    let ended = await run('undo', way);
    if (ended.code !== 0) ended = await run('undo', way, '--take-all');
    if (ended.code !== 0) ended = await run('undo', '--abort', '--take-all');
    await this.#check(before, { move, code: way, isDisturbed: true, found: '', mounted });
    return `${move.type} killed ${way} ${ended.code === 0 ? 'done' : ended.stderr}`;
  }

  async #check(
    before: ReadonlySet<string>,
    made: {
      readonly move: Move;
      readonly code: string;
      readonly isDisturbed: boolean;
      readonly found: string;
      readonly mounted: ReadonlySet<string>;
    },
  ): Promise<void> {
    const { move, code, isDisturbed, found, mounted } = made;
    const world = this.#world;
    const what = `${JSON.stringify(move)} ${code}`;
    await world.use(async (sandbox) => {
      const kept = await world.linesKept(sandbox);
      const there = new Set([...linesIn(world.folder), ...linesIn(world.elsewhere)]);
      const { owed, taken } = this.#ledger;
      const lost = [...before, ...owed].filter(
        (line) => !kept.has(line) && !there.has(line) && !taken.has(line),
      );
      assert.deepEqual(lost, [], what);
      const onDisk = world.onDisk();
      // Nothing of another folder is touched, whatever it is mounted at.
      const other = linesIn(world.elsewhere);
      const removed = [...mounted].filter((line) => !other.has(line) && !taken.has(line));
      assert.deepEqual(removed, [], what);
      const left = Object.keys(onDisk).filter((path) => path.includes('.coppice-'));
      assert.deepEqual(left, [], what);
      if (isDisturbed) return;
      if (code !== 'done') return assert.equal(JSON.stringify(onDisk), found, what);
      const head = await world.inSnapshot(sandbox, await sandbox.history.head());
      assert.deepEqual(visible(head, world.mounted), visible(onDisk, world.mounted), what);
    });
  }
}

/** What no rule leaves out, now or before, and nothing is mounted at; directories may be there for what is left out. */
function visible(files: Files, mounted: string | undefined): Files {
  const isSeen = (path: string) =>
    !/\.log$|^secret\/|\/$/.test(path) && !path.startsWith(`${mounted ?? '\0'}/`);
  return Object.fromEntries(Object.entries(files).filter(([path]) => isSeen(path)));
}

function codeOf(error: unknown): string {
  const { code, message, stack } = SandboxError.from(error);
  if (!refusals.includes(code)) throw new Error(`${code}: ${message}\n${stack}`);
  return code;
}

async function begin(world: World, random: Random): Promise<void> {
  const program = new Program(world.folder, { random, ledger: new Ledger() });
  for (let count = 0; count < 12; count++) program.act();
  program.close();
  await world.begin();
  if (random.chance(60)) {
    await world.use(async (sandbox) => sandbox.history.setTag(wrappedTag, await sandbox.history.head()));
  }
}
