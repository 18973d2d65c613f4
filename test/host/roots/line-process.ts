import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { LineProgram } from '../../soak/files/line-program.ts';

/** The same program of Python as in a sandbox, as a process beside us. Ends with its input. */
export function openLineProcess(code: string, args: readonly string[]): LineProgram {
  const child = spawn('python3', ['-c', code, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (line) => {
      child.stdin.write(`${line}\n`);
      const answer = await lines.next();
      if (answer.done) throw new Error('The program has ended');
      return answer.value;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Maps the file of its argument and reads it, and writes there what each line of its input says: an offset and a text. */
const mapper = `
import mmap, os, sys
file = os.open(sys.argv[1], os.O_RDWR)
memory = mmap.mmap(file, os.fstat(file).st_size)
os.close(file)
for _ in memory:
    pass
for line in sys.stdin:
    offset, text = line.split()
    memory[int(offset):int(offset) + len(text)] = text.encode()
    print(flush=True)
`;

/** A program that keeps a mapping of the file, through which it writes. */
export function openMapping(path: string): LineProgram {
  return openLineProcess(mapper, [path]);
}
