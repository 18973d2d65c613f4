import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openTestCli, type TestCli } from '../../cli/test-context.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { wrappedTag } from '../../sdk/undo/steps.ts';
import { runsLong } from '../runs-long.ts';
import { type Move, makeMove } from './folder-oracle/make-move.ts';
import { Ledger, linesIn, Program } from './folder-oracle/program.ts';
import { Random } from './folder-oracle/random.ts';
import { type Files, World, type WorldKind } from './folder-oracle/world.ts';

/** 50 in `npm test`; `npm run test:long` makes 2,000. */
const rounds = Number(process.env.COPPICE_FOLDER_ROUNDS ?? (runsLong ? 2_000 : 50));
const seed = Number(process.env.COPPICE_FOLDER_SEED ?? Date.now() % 1_000_000);
const roundsInWorld = 25;
const killed = fileURLToPath(new URL('./folder-oracle/killed-move.ts', import.meta.url));
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';
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

  close(): void {
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
    this.close();
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
      expect(lost, what).toEqual([]);
      const onDisk = world.onDisk();
      // Nothing of another folder is touched, whatever it is mounted at.
      const other = linesIn(world.elsewhere);
      const removed = [...mounted].filter((line) => !other.has(line) && !taken.has(line));
      expect(removed, what).toEqual([]);
      const left = Object.keys(onDisk).filter((path) => path.includes('.coppice-'));
      expect(left, what).toEqual([]);
      if (isDisturbed) return;
      if (code !== 'done') return expect(JSON.stringify(onDisk), what).toBe(found);
      const head = await world.inSnapshot(sandbox, await sandbox.history.head());
      expect(visible(head, world.mounted), what).toEqual(visible(onDisk, world.mounted));
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

test(`R-12 whatever a person, an agent, undo, redo, checkouts, kills, full disks, mounts and rules do to a folder, each byte is there or in a snapshot: ${rounds} rounds of seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const outcomes = new Map<string, number>();
  for (let world = 0; world * roundsInWorld < rounds; world++) {
    const random = new Random(seed + world);
    const kinds: readonly WorldKind[] = ['plain', 'plain', 'plain', 'small-folder', 'small-store', 'mounts'];
    const kind = mayMount ? random.pick(kinds) : 'plain';
    using made = new World(kind);
    const round = new Round(made, random, cli);
    try {
      for (let at = 0; at < roundsInWorld && world * roundsInWorld + at < rounds; at++) {
        if (at === 0) await begin(made, random);
        const outcome = await round.run().catch((cause: unknown) => {
          throw new Error(`Seed ${seed}, world ${world} (${kind}), round ${at}`, { cause });
        });
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    } finally {
      round.close();
    }
  }
  console.info(`seed ${seed}:`, Object.fromEntries([...outcomes].sort()));
  expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(rounds);
});

async function begin(world: World, random: Random): Promise<void> {
  const program = new Program(world.folder, { random, ledger: new Ledger() });
  for (let count = 0; count < 12; count++) program.act();
  program.close();
  await world.begin();
  if (random.chance(60)) {
    await world.use(async (sandbox) => sandbox.history.setTag(wrappedTag, await sandbox.history.head()));
  }
}
