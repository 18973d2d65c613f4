import { describe, expect, test } from 'vitest';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from './choose-runtime.ts';

const tab: RuntimeOffer = {
  name: 'this tab',
  memoryMiB: 128,
  is64Bit: false,
  has64BitLibraries: false,
  network: false,
  hasProgram: (name) => name === 'tcc',
  slowdown: 30,
  patienceMs: 60_000,
};
const host: RuntimeOffer = {
  ...tab,
  name: 'the host',
  memoryMiB: 1_024,
  is64Bit: true,
  hasProgram: () => true,
  slowdown: 1,
};

describe('B-8 the router', () => {
  test.each<[string, RuntimeNeeds, string | undefined, string[]]>([
    ['nothing', {}, 'this tab', []],
    ['what the tab has', { memoryMiB: 128, program: 'tcc', nativeMs: 2_000 }, 'this tab', []],
    ['memory', { memoryMiB: 129 }, 'the host', ['it needs more memory than the 128 MiB that this tab has']],
    [
      '64 bits',
      { is64Bit: true },
      'the host',
      ['it is a program for 64-bit processors, and this tab has 32 bits'],
    ],
    [
      '64 bits and libraries, where the image is that of the tab',
      { is64Bit: true, uses64BitLibraries: true },
      undefined,
      [
        'it is a program for 64-bit processors, and this tab has 32 bits',
        'it is linked with 64-bit libraries, which the image of this tab has not',
        'it is linked with 64-bit libraries, which the image of the host has not',
      ],
    ],
    ['a missing binary', { program: 'gcc' }, 'the host', ['the image of this tab has no gcc']],
    ['time', { nativeMs: 10_000 }, 'the host', ['it would take about 300 s in this tab']],
    [
      'a network, which nobody has',
      { network: true },
      undefined,
      ['it needs a network, which this tab has not', 'it needs a network, which the host has not'],
    ],
    [
      'several things',
      { is64Bit: true, memoryMiB: 2_048 },
      undefined,
      [
        'it needs more memory than the 128 MiB that this tab has',
        'it is a program for 64-bit processors, and this tab has 32 bits',
        'it needs more memory than the 1024 MiB that the host has',
      ],
    ],
  ])('sends a task that needs %s to the first place that has it, and says why', (_, needs, name, reasons) => {
    const choice = chooseRuntime(needs, [tab, host]);
    expect([choice.offer?.name, choice.reasons]).toEqual([name, reasons]);
  });

  test('finds 64-bit libraries where the image is for amd64', () => {
    const wide = { ...host, has64BitLibraries: true };
    const choice = chooseRuntime({ is64Bit: true, uses64BitLibraries: true }, [tab, host, wide]);
    expect([choice.offer, choice.reasons.length]).toEqual([wide, 3]);
  });

  test('prefers what comes first, and without offers chooses none', () => {
    expect(chooseRuntime({}, [host, tab])).toEqual({ offer: host, reasons: [] });
    expect(chooseRuntime({ is64Bit: true }, [])).toEqual({ offer: undefined, reasons: [] });
  });
});
