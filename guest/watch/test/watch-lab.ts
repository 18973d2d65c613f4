import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangedBy, FolderWatch, FolderWatcher } from '../../../bridge-server/contract.ts';
import { openFolderWatcher } from '../../../bridge-server/watch/folder-watcher.ts';
import { compileSanitized, sourcesIn } from '../../test/compile-sanitized.ts';

/** The sanitized watcher, in a folder that also holds what is watched. Remove it when done. */
export interface WatchLab {
  readonly program: string;
  /** The same without the right to watch a file system. */
  readonly unprivileged: string;
  /** Process id of the last one of those. */
  lastPid(): number;
  /** A new folder to watch. */
  makeFolder(): string;
  /** A program of this one line for a shell. */
  makeProgram(line: string): string;
  /** A watcher of the folders of this lab. */
  open(program: string, options?: { readonly watches?: number }): FolderWatcher;
  remove(): void;
}

export function openWatchLab(): WatchLab {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-watch-'));
  const program = join(folder, 'watch');
  const include = join(import.meta.dirname, '..');
  compileSanitized(program, { sources: sourcesIn(include), include });
  const unprivileged = join(folder, 'unprivileged');
  const isRoot = process.geteuid?.() === 0;
  const prefix = isRoot ? 'setpriv --bounding-set=-sys_admin,-dac_read_search ' : '';
  writeFileSync(unprivileged, `#!/bin/sh\necho $$ > ${folder}/pid\nexec ${prefix}${program} "$@"\n`);
  chmodSync(unprivileged, 0o755);
  let folders = 0;
  return {
    program,
    unprivileged,
    lastPid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
    makeFolder: () => {
      const path = join(folder, `watched-${++folders}`);
      mkdirSync(path);
      return path;
    },
    makeProgram: (line) => {
      const path = join(folder, `program-${++folders}`);
      writeFileSync(path, `#!/bin/sh\n${line}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    open: (path, options) => openFolderWatcher({ program: path, folder, ...options }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A folder that is watched, and what was told of it. */
export class Watched implements Disposable {
  readonly watch: FolderWatch;
  readonly told: ChangedBy[] = [];
  #waiting: (() => void)[] = [];

  constructor(watcher: FolderWatcher, folder: string, ignored: readonly string[] = []) {
    const go = () => {
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
    this.watch = watcher.watch(folder, {
      ignored,
      onChanged: (by) => {
        this.told.push(by);
        go();
      },
      onState: go,
    });
  }

  /** Resolves when it is watched, or not any more. */
  async stateIs(by: FolderWatch['state']['by']): Promise<void> {
    while (this.watch.state.by !== by) await this.#next();
  }

  /** Resolves when a change has been told of since the last call. */
  async changed(): Promise<ChangedBy> {
    for (;;) {
      const [by] = this.told.splice(0);
      if (by) return by;
      await this.#next();
    }
  }

  [Symbol.dispose](): void {
    this.watch[Symbol.dispose]();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
