import { describe, expect, test } from 'vitest';
import { listProfiles, readProfile } from './profile.ts';
import { parseRecipe } from './recipe.ts';

describe('recipes (O-11)', () => {
  test('absent fields are empty', () => {
    expect(parseRecipe('{"packages":["bash"]}', 'x')).toEqual({
      extends: [],
      description: '',
      architecture: undefined,
      packages: ['bash'],
      without: {},
      effects: [],
      alternatives: {},
      drop: [],
      keep: [],
      hostname: undefined,
      memoryMiB: undefined,
    });
  });

  test.each([
    ['an unknown field', { pakcages: [] }, '"pakcages" is not valid'],
    ['a package that is an option', { packages: ['--purge'] }, '"packages" is not valid'],
    ['a package that is removed', { packages: 'bash' }, '"packages" is not valid'],
    ['a profile outside of the folder', { extends: ['../base'] }, '"extends" is not valid'],
    ['an architecture that nobody builds for', { architecture: 'vax' }, '"architecture" is not valid'],
    ['an effect that nobody wrote', { effects: ['run-postinst'] }, '"effects" is not valid'],
    ['a relative path', { drop: ['usr/share/doc'] }, '"drop" is not valid'],
    ['too little memory', { memoryMiB: 1 }, '"memoryMiB" is not valid'],
    ['a host name with a line break', { hostname: 'a\nb' }, '"hostname" is not valid'],
  ])('refuses %s', (_, value, message) => {
    expect(() => parseRecipe(JSON.stringify(value), 'x')).toThrow(`Cannot read profile "x": ${message}`);
  });

  test('every profile of the repository can be read, and extends base', async () => {
    const profiles = await Promise.all((await listProfiles()).map(readProfile));
    expect(profiles.map(({ name }) => name)).toEqual([
      'base',
      'build',
      'debian',
      'debian-amd64',
      'debian-amd64-slim',
      'git',
      'node',
      'python',
    ]);
    for (const profile of profiles) expect(profile.packages).toContain('bash');
  });

  test('the default has what its parts have', async () => {
    const { packages, alternatives } = await readProfile('debian');
    expect(packages).toEqual(expect.arrayContaining(['python3', 'git', 'tcc', 'make', 'gawk']));
    expect(alternatives['/usr/bin/cc']).toBe('/usr/bin/tcc');
  });

  test('an unknown profile is named with those that exist', async () => {
    await expect(readProfile('debain')).rejects.toThrow(
      'There is no profile "debain"; there are base, build, debian, debian-amd64',
    );
  });
});
