import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';

describe('npm run images (O-11)', () => {
  test.each([
    [[], { type: 'help' }],
    [['build', '--help'], { type: 'help' }],
    [['build'], { type: 'build', profile: 'debian', golden: true }],
    [['build', 'base', '--no-golden'], { type: 'build', profile: 'base', golden: false }],
    [['update'], { type: 'update', profile: undefined }],
    [['verify', 'git'], { type: 'verify', profile: 'git' }],
    [['list'], { type: 'list' }],
  ])('%j', (argv, command) => {
    expect(parseCommandLine(argv)).toEqual(command);
  });

  test.each([[['biuld']], [['build', 'a', 'b']], [['build', '--force']]])('%j is refused', (argv) => {
    expect(() => parseCommandLine(argv)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
