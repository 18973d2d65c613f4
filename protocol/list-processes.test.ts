import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import { parseProcessList } from './list-processes.ts';

const shell = ['42', '1', 'user', 'S', '120', '4096', '2', 'bash', '-l'];

test('O-8 processes are read field by field, in the order of their numbers', () => {
  const zombie = ['7', '42', '1001', 'Z', '0', '0', '1', '[cc]'];
  const said = [...shell, ...zombie, ''].join('\0');
  expect(parseProcessList(said)).toEqual({
    isComplete: true,
    processes: [
      { pid: 7, parentPid: 42, user: '1001', command: ['[cc]'], state: 'zombie', cpuMs: 0, residentBytes: 0 },
      {
        ...{ pid: 42, parentPid: 1, user: 'user', command: ['bash', '-l'], state: 'sleeping' },
        ...{ cpuMs: 120, residentBytes: 4_096 },
      },
    ],
  });
  expect(parseProcessList(`${shell.join('\0')}\0more\0`).isComplete).toBe(false);
});

test('H-9 what a sandbox makes of it is cut to what can be', () => {
  const many = Array.from({ length: limits.listedProcesses + 5 }, () => shell.join('\0')).join('\0');
  expect(parseProcessList(`${many}\0`).processes).toHaveLength(limits.listedProcesses);
  const odd = ['x', '-1', 'u', 'Q', 'NaN', 'Infinity', '999999999', 'a', 'b', ''].join('\0');
  expect(parseProcessList(odd).processes).toEqual([
    {
      ...{ pid: 0, parentPid: 0, user: 'u', command: ['a', 'b', ''], state: 'other' },
      ...{ cpuMs: 0, residentBytes: 0 },
    },
  ]);
  const loud = [
    '1',
    '0',
    'u\x1b[2J',
    'S',
    '0',
    '0',
    '1000',
    ...Array(1000).fill(`\n${'x'.repeat(999)}`),
  ].join('\0');
  const said = parseProcessList(loud).processes.find(({ pid }) => pid === 1);
  expect([said?.user, said?.command.length, said?.command[0]]).toEqual(['u?[2J', 32, `?${'x'.repeat(255)}`]);
  expect(parseProcessList('\0'.repeat(8 * 2 ** 20)).processes.length).toBeLessThanOrEqual(
    limits.listedProcesses,
  );
  expect(parseProcessList('')).toEqual({ processes: [], isComplete: true });
});
