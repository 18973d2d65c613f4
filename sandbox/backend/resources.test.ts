import { describe, expect, test } from 'vitest';
import { MemoryImageHost } from '../../test/fixtures/memory-host.ts';
import { memoryImage } from '../../test/fixtures/memory-image.ts';
import { LocalBackend } from './local-backend.ts';
import { chooseResources, cutToMaxima, type ResourceRules, tabResources } from './resources.ts';

const hostRules: ResourceRules = {
  memoryMiB: { min: 64, usual: 512, max: 1_000 },
  diskMiB: { min: 64, usual: 1_024, max: 2_000 },
  cpuShares: { min: 2, usual: 256, max: 1_024 },
  pids: { min: 16, usual: 128, max: 400 },
  cpus: { min: 0.05, max: 2, isDivisible: true },
  lacks: { ioMiBps: 'no disk of its own' },
};
const imageMemoryMiB = 128;
const onHost = { rules: hostRules, imageMemoryMiB };
const inTab = { rules: tabResources, imageMemoryMiB };

describe('O-9 resources', () => {
  test('are the usual ones of the place, and of the image where the place has none', () => {
    const network = 'isolated';
    expect(chooseResources({}, inTab)).toEqual({ memoryMiB: 128, diskMiB: 1_024, network });
    const usual = { memoryMiB: 512, diskMiB: 1_024, cpuShares: 256, pids: 128, network };
    expect(chooseResources({}, onHost)).toEqual(usual);
    const asked = { memoryMiB: 1_000, diskMiB: 64, cpuShares: 2, pids: 400, cpus: 0.5, network } as const;
    expect(chooseResources(asked, onHost)).toEqual(asked);
  });

  test.each([
    ['memoryMiB', 1_001],
    ['diskMiB', 2_001],
    ['cpuShares', 1_025],
    ['pids', 1e9],
    ['cpus', 2.01],
  ] as const)('%s of %d is more than there is', (name, value) => {
    const max = hostRules[name]?.max;
    expect(() => chooseResources({ [name]: value }, onHost)).toThrow(
      expect.objectContaining({
        code: 'limit-exceeded',
        message: `Cannot make a sandbox with ${name} ${value}: ${max} is the most here`,
      }),
    );
  });

  test.each([
    ['memoryMiB', 63],
    ['pids', 0],
    ['pids', 20.5],
    ['cpuShares', -1],
    ['cpus', 0],
    ['diskMiB', Number.NaN],
  ])('%s of %d is none', (name, value) => {
    const choose = () => chooseResources({ [name]: value }, onHost);
    expect(choose).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  test.each([
    ['cpuShares', { cpuShares: 256 }],
    ['pids', { pids: 128 }],
    ['network', { network: 'full' }],
  ] as const)('H-10 %s is refused by name in the tab, which has no such thing', (feature, asked) => {
    expect(() => chooseResources(asked, inTab)).toThrow(
      expect.objectContaining({ code: 'unsupported', details: { feature } }),
    );
  });

  test('H-10 what this place cannot limit is refused by name, with the reason', () => {
    expect(() => chooseResources({ ioMiBps: 5 }, onHost)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: 'Cannot set ioMiBps of the sandbox: no disk of its own',
        details: { feature: 'ioMiBps' },
      }),
    );
  });

  test('O-9 the network is full where it is asked for, or inherited, and isolated otherwise', () => {
    const networkOf = (asked: 'full' | 'isolated' | undefined, rules = hostRules) => {
      const inherited = { network: 'full' } as const;
      const wish = asked === undefined ? {} : { network: asked };
      return chooseResources(wish, { rules, imageMemoryMiB, inherited }).network;
    };
    expect(chooseResources({ network: 'full' }, onHost).network).toBe('full');
    expect([networkOf(undefined), networkOf('isolated')]).toEqual(['full', 'isolated']);
    const without = { ...hostRules, lacks: { network: 'no nf_tables' } };
    expect(networkOf(undefined, without)).toBe('isolated');
    expect(() => networkOf('full', without)).toThrow('Cannot set network of the sandbox: no nf_tables');
  });

  test('of a fork are those of its parent, cut to what is allowed by now', async () => {
    const place = new MemoryImageHost(await memoryImage());
    place.driver.resources = hostRules;
    const backend = new LocalBackend(place);
    const parent = await backend.create({ pids: 300, cpuShares: 64, cpus: 1.5, memoryMiB: 900 }, () => {});
    const { head: snapshot } = await parent.history.get();
    place.driver.resources = { ...hostRules, memoryMiB: { min: 64, usual: 256, max: 800 } };
    const inherited = { pids: 300, cpuShares: 64, cpus: 1.5, memoryMiB: 800, network: 'isolated' };
    expect(await parent.history.fork({ id: snapshot })).toMatchObject(inherited);
    const { id: sandbox } = await parent.info.get();
    await parent.close();
    const other = await backend.create({ from: { sandbox, snapshot }, pids: 20 }, () => {});
    expect(await other.info.get()).toMatchObject({ ...inherited, pids: 20 });
    await other.close();
  });

  test('of a sandbox that comes from elsewhere are cut to what is allowed here', () => {
    expect(cutToMaxima({ memoryMiB: 9_000, diskMiB: 65_536 }, hostRules)).toEqual({
      memoryMiB: 1_000,
      diskMiB: 2_000,
    });
    expect(cutToMaxima({ diskMiB: 100 }, hostRules)).toEqual({ diskMiB: 100 });
  });
});
