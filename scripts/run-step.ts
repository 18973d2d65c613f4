import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** The project's folder. */
export const root: string = join(import.meta.dirname, '..');

/** Colour codes are noise in a log. */
const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };

export interface StepOptions {
  /** Keep the output instead of showing it; it comes back in the result. */
  readonly quiet?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command in the project's folder with its own tools first in the path; answers its exit code and output. */
export function runStep(
  command: readonly string[],
  options: StepOptions = {},
): Promise<{ code: number; output: string }> {
  const [program = '', ...args] = command;
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...plain, ...options.env, PATH: path },
    stdio: options.quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  const parts: Buffer[] = [];
  child.stdout?.on('data', (bytes) => parts.push(bytes));
  child.stderr?.on('data', (bytes) => parts.push(bytes));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(parts).toString() }));
  });
}
