import { mkdirSync, rmSync } from 'node:fs';
import type { OutlivingJail } from '../../contract.ts';
import { diskError } from '../../stores/disk-error.ts';
import { type JailRecord, writeJailRecord } from './jail-record.ts';

/** The folder in which a jail is found that outlives its bridge. Owns it. */
export class NotedJail implements Disposable {
  readonly #folder: string;
  #record: JailRecord;

  constructor(folder: string, record: JailRecord) {
    this.#folder = folder;
    this.#record = record;
  }

  /** Makes the folder of a jail that is about to start, for this user only. @throws storage-full, internal */
  static make(
    { folder, sandbox, root, trees }: OutlivingJail,
    facts: Pick<JailRecord, 'cgroup' | 'hasGroups' | 'ids' | 'network'>,
  ): NotedJail {
    const noted = new NotedJail(folder, { sandbox, root, trees, ...facts, landlockAbi: undefined });
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      noted.note({});
    } catch (cause) {
      noted[Symbol.dispose]();
      throw diskError('make the folder of a jail', cause);
    }
    return noted;
  }

  /** @throws storage-full, internal */
  note(change: Partial<Pick<JailRecord, 'trees' | 'landlockAbi'>>): void {
    this.#record = { ...this.#record, ...change };
    writeJailRecord(this.#folder, this.#record);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
