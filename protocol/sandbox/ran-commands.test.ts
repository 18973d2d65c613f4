import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { commandsExtension, encodeRanCommands, type RanCommand, ranCommands } from './ran-commands.ts';

function read(text: string): RanCommand[] {
  return ranCommands({ extensions: { [commandsExtension]: { text, objects: [] } } });
}

const ran: RanCommand = {
  command: 'npm test',
  argv: ['npm', 'test'],
  by: 'exec',
  startedAtMs: 1_700_000_000_000,
  durationMs: 2_300,
  exitCode: 1,
};

describe('SN-16 X-3 the commands that a snapshot was taken after', () => {
  test('come back as they were, and of a snapshot that says nothing there are none', () => {
    expect(read(encodeRanCommands([ran]))).toEqual([ran]);
    expect(ranCommands({})).toEqual([]);
    expect(ranCommands({ extensions: {} })).toEqual([]);
  });

  test('are the last ones where there are too many, and have no arguments where those are too long', () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ ...ran, command: `command ${at}` }));
    expect(read(encodeRanCommands(many)).map(({ command }) => command)).toEqual(
      many.slice(-limits.causeCommands).map(({ command }) => command),
    );
    const [long] = read(encodeRanCommands([{ ...ran, argv: ['x'.repeat(limits.ranArgvCharacters + 1)] }]));
    expect(long?.command).toBe('npm test');
    expect(long?.argv).toBeUndefined();
  });

  test.each([
    'no JSON',
    '{}',
    '[1, null, {}, {"command": 1}]',
    '[{"command": "a", "startedAtMs": -1}]',
    'x'.repeat(limits.ranCommandsBytes + 1),
  ])('that cannot be read are none: %.40s', (text) => {
    expect(read(text)).toEqual([]);
  });

  test('keep what is known of them beside what is not', () => {
    const odd = {
      command: 'a',
      startedAtMs: 1,
      by: 'else',
      argv: [1],
      exitCode: 'x',
      signal: 9,
      durationMs: null,
    };
    expect(read(JSON.stringify([odd]))).toEqual([{ command: 'a', by: 'exec', startedAtMs: 1 }]);
  });
});
