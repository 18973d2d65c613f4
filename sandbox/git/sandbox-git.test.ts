import { expect, test } from 'vitest';
import type { GitCloneAsk } from '../../protocol/sandbox/git.ts';
import { CaptureTimer } from '../capture/capture-timer.ts';
import { CommandLog } from '../capture/command-log.ts';
import type { SandboxRecord } from '../sandbox-settings.ts';
import { sandboxGit } from './sandbox-git.ts';

test('R-3 S-8 a clone from a server that a machine cannot reach is refused before a command begins', async () => {
  const commands = new CommandLog();
  await using captures = new CaptureTimer(async () => {}, { isCommandRunning: () => commands.isRunning });
  const clone = (url: string, info: Partial<SandboxRecord>) => {
    const git = sandboxGit({
      running: () => Promise.reject(new Error('It began')),
      begun: async () => {},
      info: info as SandboxRecord,
      commands,
      captures,
    });
    const ask = { url, directory: '/home/user/one', depth: 1 } as GitCloneAsk;
    return git.clone(ask, () => {});
  };
  const unsupported = { code: 'unsupported', details: { remedy: expect.stringContaining('network') } };
  await expect(clone('https://git.example.org/a', { runtime: 'v86' })).rejects.toMatchObject(unsupported);
  await expect(clone('ssh://git@git.example.org/a', { runtime: 'jail' })).rejects.toMatchObject(unsupported);
  for (const [url, info] of [
    ['http://localhost:3000/a', { runtime: 'v86' }],
    ['http://[::1]/a', { runtime: 'v86' }],
    ['file:///srv/a', { runtime: 'v86' }],
    ['https://git.example.org/a', { runtime: 'jail', network: 'full' }],
    ['https://git.example.org/a', { runtime: 'shell' }],
  ] as const)
    await expect(clone(url, info)).rejects.toThrow('It began');
});
