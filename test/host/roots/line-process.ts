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
