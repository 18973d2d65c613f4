import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Maps the file of its argument, and writes there what each line of its input says: an offset and a text. */
const program = `
import mmap, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
memory = mmap.mmap(file, os.fstat(file).st_size)
os.close(file)
for _ in memory:
    pass
print(flush=True)
for line in sys.stdin:
    offset, text = line.split()
    memory[int(offset):int(offset) + len(text)] = text.encode()
    print(flush=True)
`;

/** A file that another process has mapped, and writes to by that alone. Owns the process. */
export class MappedFile implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  private constructor(process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = process;
    this.#ended = once(process, 'exit');
    this.#lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  static async open(path: string): Promise<MappedFile> {
    const mapped = new MappedFile(
      spawn('python3', ['-c', program, path], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await mapped.#answer();
    return mapped;
  }

  /** Resolves when it is written. */
  async write(offset: number, text: string): Promise<void> {
    this.#process.stdin.write(`${offset} ${text}\n`);
    await this.#answer();
  }

  async #answer(): Promise<void> {
    if ((await this.#lines.next()).done) throw new Error('The process with the mapping has ended');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    await this.#ended;
  }
}
