import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startByNode } from '../../programs/start-by-node.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import { programLauncher } from './program-launcher.ts';
import { RunningJail } from './running-jail.ts';

/** What a launcher that ends like `script` is taken for. */
async function endOf(script: string, { kills = 0, release = async () => {} } = {}) {
  const launcher = startByNode(['/bin/sh', '-c', script], { descriptors: [2, 3] });
  const groups: ControlGroups = {
    joins: [],
    freeze: async () => {},
    thaw: async () => {},
    outOfMemoryKills: () => kills,
    usage: () => ({}),
    threadCount: () => 0,
    processes: async () => [],
    [Symbol.asyncDispose]: async () => {},
  };
  const holdings = { groups, noted: undefined, release };
  return new RunningJail(programLauncher(launcher, { pid: 0 }), launcher.sockets[1] as Socket, holdings)
    .ended;
}

describe('the end of a jail', () => {
  test('is out of memory when the kernel killed its PID 1 for that, and only then', async () => {
    expect(await endOf('exit 137', { kills: 1 })).toEqual({
      reason: 'out-of-memory',
      message: 'The jail used more memory than it may',
    });
    expect((await endOf('exit 0', { kills: 1 })).reason).toBe('exited');
    expect((await endOf('exit 137')).reason).toBe('killed');
  });

  test('has the words of a launcher that failed', async () => {
    expect(await endOf('echo "Cannot mount /proc: no" >&2; exit 125')).toEqual({
      reason: 'exited',
      message: 'Cannot mount /proc: no',
    });
  });

  test('tells of what cannot be let go of, and does not fail', async () => {
    const release = () => Promise.reject(new Error('The group is busy'));
    expect((await endOf('kill -9 $$', { release })).message).toBe('The jail was killed. The group is busy');
  });
});
