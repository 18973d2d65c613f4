import { describe, expect, test } from 'vitest';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { sampleInfo } from '../../test/fixtures/wire-backend.ts';
import type { RuntimeNeeds } from './choose-runtime.ts';
import type { CommandInspection } from './inspect-command.ts';
import { routeTask } from './route-task.ts';

const tab: SandboxInfo = { ...sampleInfo, runtime: 'v86', memoryMiB: 128 };
const nothing: CommandInspection = { is64Bit: false, uses64BitLibraries: false, missing: undefined };

describe('B-8 where a command runs', () => {
  test.each<[string, { needs?: RuntimeNeeds; look?: Partial<CommandInspection> }, 'here' | 'host', string]>([
    ['nothing', {}, 'here', 'this tab has all that it needs'],
    [
      'memory',
      { needs: { memoryMiB: 512 } },
      'host',
      'it needs more memory than the 128 MiB that this tab has',
    ],
    [
      'a static 64-bit program',
      { look: { is64Bit: true } },
      'host',
      'it is a program for 64-bit processors, and this tab has 32 bits',
    ],
    ['time', { needs: { nativeMs: 4_000 } }, 'host', 'it would take about 120 s in this tab'],
    [
      'a program that nobody has, since the host has the same image',
      { look: { missing: 'gcc' } },
      'here',
      'the image of this tab has no gcc; the image of the rack has no gcc: it has to do with what there is here',
    ],
    [
      'a network, which nobody has',
      { needs: { network: true } },
      'here',
      'it needs a network, which this tab has not; it needs a network, which the rack has not: it has to do with what there is here',
    ],
  ])('is said with why of a command that needs %s', (_, { needs = {}, look = {} }, ranOn, why) => {
    const route = routeTask({ needs, look: { ...nothing, ...look } }, { here: tab, host: 'the rack' });
    expect(route).toEqual({ ranOn, why });
  });

  test('is where a caller who waits long enough need not care', () => {
    const task = { needs: { nativeMs: 4_000 }, look: nothing };
    expect(routeTask(task, { here: tab, host: 'the rack', patienceMs: 300_000 }).ranOn).toBe('here');
    expect(routeTask(task, { here: { ...tab, runtime: 'jail' }, host: 'the rack' }).ranOn).toBe('here');
  });
});
