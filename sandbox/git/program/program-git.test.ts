import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { commandArguments } from '../../../protocol/command-arguments.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { Git } from '../../../sdk/git.ts';
import { gitSuite } from '../../../test/conformance/git-suite.ts';
import { whatGitLacks } from '../../../test/http/git-server.ts';
import { CaptureTimer } from '../../capture/capture-timer.ts';
import { CommandLog } from '../../capture/command-log.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';
import type { RunningMachine } from '../../machine/sandbox-machine.ts';
import type { SandboxRecord } from '../../sandbox-settings.ts';
import { sandboxGit } from '../sandbox-git.ts';

const lack = await whatGitLacks();
const run = promisify(execFile);

/** Processes of this host, in the place of a machine's. */
function hostProcesses(environment: Readonly<Record<string, string>>): ProcessStarter {
  return {
    start: async (request, listener) => {
      const [program = '', ...args] = commandArguments(request).argv;
      const child = spawn(program, args, {
        cwd: request.cwd,
        env: { ...environment, ...request.envs },
        detached: true,
      });
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', () => reject(new SandboxError('not-found', `There is no program "${program}"`)));
      });
      child.stdin.on('error', () => undefined);
      if (!request.stdin) child.stdin.end();
      child.stdout.on('data', (bytes) => listener({ type: 'stdout', bytes }));
      child.stderr.on('data', (bytes) => listener({ type: 'stderr', bytes }));
      child.once('close', (code, signal) => {
        const usage = { durationMs: 0, cpuMs: 0, maxRssBytes: 0 };
        void listener({
          type: 'exit',
          exitCode: code ?? 137,
          signal: signal ?? undefined,
          reason: 'exited',
          ...usage,
        });
      });
      return {
        pid: child.pid ?? 0,
        write: async (bytes) => void child.stdin.write(bytes),
        closeStdin: async () => void child.stdin.end(),
        resize: async () => {},
        kill: async (signal = 'SIGKILL') => {
          try {
            process.kill(-(child.pid ?? 0), signal);
          } catch {
            // It has ended.
          }
        },
      };
    },
  };
}

describe.skipIf(lack)(`git as a program${lack ? ` (not here: ${lack})` : ''}`, () => {
  gitSuite(
    async () => {
      const home = await mkdtemp(join(tmpdir(), 'coppice-program-git-'));
      const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
      const machine = {
        processes: hostProcesses(env),
        git: 'program',
      } as Partial<RunningMachine> as RunningMachine;
      const commands = new CommandLog();
      const captures = new CaptureTimer(async () => {}, { isCommandRunning: () => commands.isRunning });
      const git = sandboxGit({
        running: async () => machine,
        begun: async () => {},
        info: {} as SandboxRecord,
        commands,
        captures,
      });
      return {
        git: new Git({ git } as SandboxConnection),
        home,
        sh: async (script) => (await run('bash', ['-c', script], { cwd: home, env })).stdout,
        [Symbol.asyncDispose]: async () => {
          await captures[Symbol.asyncDispose]();
          await rm(home, { recursive: true });
        },
      };
    },
    { isProgram: true },
  );
});
