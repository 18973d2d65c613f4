import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The project's folder. */
export const root: string = join(import.meta.dirname, '..');

/** Colour codes are noise in a log. */
const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' };

export interface StepOptions {
  /** Keep the output instead of showing it; it comes back in the result. */
  readonly quiet?: boolean;
  /** As `quiet`, and the output is in this file from its first line on. */
  readonly log?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command in the project's folder with its own tools first in the path; answers its exit code and output. */
export function runStep(
  command: readonly string[],
  options: StepOptions = {},
): Promise<{ code: number; output: string }> {
  const [program = '', ...args] = command;
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH ?? ''}`;
  const { log, quiet } = options;
  const file = log === undefined ? undefined : openSync(log, 'w');
  const output = file ?? (quiet ? 'pipe' : undefined);
  const child = spawn(program, args, {
    cwd: root,
    // The output of a step goes to a file or through a pipe, whatever this process has.
    env: {
      ...process.env,
      ...(output === undefined ? plain : { NO_COLOR: '1' }),
      ...options.env,
      PATH: path,
    },
    stdio: output === undefined ? 'inherit' : ['ignore', output, output],
  });
  if (file !== undefined) closeSync(file);
  const parts: Buffer[] = [];
  child.stdout?.on('data', (bytes) => parts.push(bytes));
  child.stderr?.on('data', (bytes) => parts.push(bytes));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const text = log === undefined ? Buffer.concat(parts) : readFileSync(log);
      resolve({ code: code ?? 1, output: text.toString() });
    });
  });
}
