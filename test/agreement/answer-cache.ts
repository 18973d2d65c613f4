import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { caseEnvironment, systemFiles } from './case-place.ts';
import type { RealAnswer } from './real-bash.ts';
import type { SuiteCase, SuiteFile } from './suite.ts';

/** What real bash answered, in a file of the user, by the digest of all that the answer depends on. */
export class AnswerCache {
  readonly #path: string;
  readonly #place: string;
  readonly #answers: Map<string, RealAnswer>;

  private constructor(path: string, place: string, answers: Map<string, RealAnswer>) {
    this.#path = path;
    this.#place = place;
    this.#answers = answers;
  }

  static async open(options: { setting: string; files: readonly SuiteFile[] }): Promise<AnswerCache> {
    const path = join(homedir(), '.cache/coppice/bash-answers.json');
    const files = options.files.map(({ path, bytes, isExecutable }) => [path, digestOf(bytes), isExecutable]);
    const place = digestOf(JSON.stringify([options.setting, files, [...caseEnvironment], [...systemFiles]]));
    // A file that cannot be read is as none: what it has can be asked again.
    const read = async () => JSON.parse(await readFile(path, 'utf8')) as Record<string, RealAnswer>;
    return new AnswerCache(path, place, new Map(Object.entries(await read().catch(() => ({})))));
  }

  get(one: SuiteCase): RealAnswer | undefined {
    return this.#answers.get(this.#keyOf(one));
  }

  set(one: SuiteCase, answer: RealAnswer): void {
    this.#answers.set(this.#keyOf(one), answer);
  }

  async save(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const written = `${this.#path}.${process.pid}`;
    await writeFile(written, JSON.stringify(Object.fromEntries(this.#answers)));
    await rename(written, this.#path);
  }

  #keyOf({ code, hasTmpFolder }: SuiteCase): string {
    return digestOf(JSON.stringify([this.#place, hasTmpFolder, code]));
  }
}

function digestOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
