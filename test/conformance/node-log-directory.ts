import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { LogDirectory, LogFile } from '../../web/stores/opfs/log-file.ts';

/** The log's files in a real folder, through Node's synchronous calls. */
export class NodeLogDirectory implements LogDirectory {
  readonly #path: string;
  readonly readOnly: boolean;

  constructor(path: string, options: { readonly readOnly?: boolean } = {}) {
    this.#path = path;
    this.readOnly = options.readOnly ?? false;
    mkdirSync(path, { recursive: true });
  }

  async generations(): Promise<number[]> {
    return readdirSync(this.#path).map((name) => Number(name.replace('log-', '')));
  }

  async open(generation: number): Promise<LogFile> {
    const path = join(this.#path, `log-${generation}`);
    const fd = openSync(path, this.readOnly ? 'r' : 'a');
    closeSync(fd);
    return openNodeFile(openSync(path, this.readOnly ? 'r' : 'r+'));
  }

  async remove(generation: number): Promise<void> {
    rmSync(join(this.#path, `log-${generation}`));
  }
}

function openNodeFile(fd: number): LogFile {
  return {
    read: (into, at) => readSync(fd, into, 0, into.length, at),
    write: (bytes, at) => writeSync(fd, bytes, 0, bytes.length, at),
    truncate: (size) => ftruncateSync(fd, size),
    flush: () => fsyncSync(fd),
    size: () => fstatSync(fd).size,
    close: () => closeSync(fd),
  };
}
