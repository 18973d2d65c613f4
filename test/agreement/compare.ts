import { availableParallelism } from 'node:os';
import { AnswerCache } from './answer-cache.ts';
import type { Answer } from './case-place.ts';
import { CaseThread } from './case-thread.ts';
import type { OurAnswer } from './our-bash.ts';
import { RealBash } from './real-bash.ts';
import type { Suite, SuiteCase } from './suite.ts';

/** What came of one case. */
export type Comparison = { readonly one: SuiteCase } & (
  | { readonly type: 'skipped'; readonly reason: string }
  | { readonly type: 'same' | 'differs'; readonly expected: Answer; readonly got: OurAnswer }
);

export interface CompareOptions {
  readonly cases: readonly SuiteCase[];
  readonly files: Suite['files'];
  readonly onProgress: (shell: 'bash' | 'ours', done: number) => void;
}

const atOnce = Math.min(2, availableParallelism());
const saveEvery = 200;
const reasons = { unstable: 'bash answers otherwise each time', endless: 'bash does not end' } as const;

/** Runs cases by real bash, unless it did before, and by our shell. */
export async function compareWithBash(
  options: CompareOptions,
): Promise<{ version: string; comparisons: Comparison[] }> {
  const { cases, files, onProgress } = options;
  await using bash = await RealBash.open(files);
  const { version } = bash;
  const cache = await AnswerCache.open({ setting: bash.setting, files });
  const asked = cases.filter((one) => one.skipped === undefined && cache.get(one) === undefined);
  await forEach(asked, async (one, done) => {
    cache.set(one, await bash.answer(one));
    onProgress('bash', done);
    if (done % saveEvery === 0) await cache.save();
  });
  if (asked.length > 0) await cache.save();
  const comparisons = new Map<SuiteCase, Comparison>();
  await using threads = new CaseThreads(files);
  await forEach(cases, async (one, done) => {
    comparisons.set(one, await compare(one, { cache, threads }));
    onProgress('ours', done);
  });
  return { version, comparisons: cases.flatMap((one) => comparisons.get(one) ?? []) };
}

async function compare(
  one: SuiteCase,
  by: { cache: AnswerCache; threads: CaseThreads },
): Promise<Comparison> {
  if (one.skipped !== undefined) return { one, type: 'skipped', reason: one.skipped };
  const expected = by.cache.get(one) ?? { type: 'unstable' };
  if (expected.type !== 'answer') return { one, type: 'skipped', reason: reasons[expected.type] };
  const got = await by.threads.answer(one);
  const isSame =
    got.failure === undefined && got.stdout === expected.stdout && got.status === expected.status;
  return { one, type: isSame ? 'same' : 'differs', expected, got };
}

/** Threads for as many cases at a time as `forEach` begins. */
class CaseThreads implements AsyncDisposable {
  readonly #idle: CaseThread[];
  readonly #all: readonly CaseThread[];

  constructor(files: Suite['files']) {
    this.#all = Array.from({ length: atOnce }, () => new CaseThread(files));
    this.#idle = [...this.#all];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread[Symbol.asyncDispose]()));
  }

  async answer(one: SuiteCase): Promise<OurAnswer> {
    const thread = this.#idle.pop();
    if (!thread) throw new Error('More cases at a time than threads');
    return await thread.answer(one).finally(() => this.#idle.push(thread));
  }
}

/** Does `work` with each, some at a time. */
async function forEach<T>(
  items: readonly T[],
  work: (item: T, done: number) => Promise<void>,
): Promise<void> {
  let [next, done] = [0, 0];
  const runner = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item, ++done);
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}
