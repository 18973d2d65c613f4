import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSanitized, sourcesIn } from '../../test/compile-sanitized.ts';

const sourceFolder = join(import.meta.dirname, '..');
const shared = join(sourceFolder, '../init');

/** How the entrypoint ended, and what was printed. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A sanitised build of the entrypoint, and a folder for homes and workspaces. */
export interface EntryLab extends Disposable {
  readonly program: string;
  readonly folder: string;
  /** Runs an agent to its end. The environment has no settings but these, and root stays root. */
  run(settings: Readonly<Record<string, string>>, ...agent: string[]): Promise<Ended>;
  /** Starts an agent, with its output in a pipe. */
  start(settings: Readonly<Record<string, string>>, ...agent: string[]): ChildProcess;
}

export function openEntryLab(): EntryLab {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-entry-'));
  const program = join(folder, 'coppice-init');
  const init = readdirSync(shared).filter((name) => name.endsWith('.c') && name !== 'main.c');
  const sources = [...sourcesIn(sourceFolder), ...init.map((name) => join(shared, name))];
  compileSanitized(program, { sources, include: sourceFolder });
  const user = process.geteuid?.() === 0 ? { SESSION_USER: 'root' } : {};
  const env = (settings: Readonly<Record<string, string>>) => ({
    PATH: process.env.PATH,
    ...user,
    ...settings,
  });
  return {
    program,
    folder,
    run: (settings, ...agent) =>
      new Promise((resolve) => {
        execFile(program, agent, { env: env(settings), cwd: folder }, (error, stdout, stderr) => {
          const code = typeof error?.code === 'number' ? error.code : error ? null : 0;
          resolve({ code, stdout, stderr });
        });
      }),
    start: (settings, ...agent) =>
      spawn(program, agent, { env: env(settings), cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Resolves once an agent has printed `text`. */
export async function untilSaid(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  while (!said.includes(text)) {
    const [piece] = await once(child.stdout ?? child, 'data');
    said += String(piece);
  }
}
