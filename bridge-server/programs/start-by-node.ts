import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Program, ProgramEnd, StartOptions } from './program.ts';

/** Starts a program as a child of this process. Takes milliseconds of it, since it copies the page tables. */
export function startByNode(
  [program, ...args]: readonly [string, ...string[]],
  { descriptors, env = {} }: StartOptions,
): Program {
  const stdio: ('ignore' | 'pipe')[] = Array.from(
    { length: Math.max(3, ...descriptors.map((d) => d + 1)) },
    () => 'ignore',
  );
  for (const descriptor of descriptors) stdio[descriptor] = 'pipe';
  const child = spawn(program, args, { stdio, env: { ...env }, cwd: '/' });
  const sockets = descriptors.map((descriptor) => child.stdio[descriptor] as unknown as Socket);
  return {
    sockets,
    pid: Promise.resolve(child.pid),
    ended: endOf(child),
    get hasEnded() {
      return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    },
    kill: (signal) => {
      child.kill(signal);
    },
  };
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ failure: error.message });
    });
    child.once('exit', (code, signal) => resolve(signal ? { signal } : { code: code ?? undefined }));
  });
}
