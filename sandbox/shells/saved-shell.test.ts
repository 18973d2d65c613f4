import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { decodeShell, encodeShell } from './saved-shell.ts';

const shell = {
  user: 'root',
  state: { cwd: '/\u00c3\u00a9', script: 'A=\u00ff\n', history: ['a\nb', 'é'], lost: ['jobs'] },
} as const;
const encode = (text: string) => new TextEncoder().encode(text);

describe('SN-15 a shell that was saved', () => {
  test('comes back as it was', () => {
    expect(decodeShell(encodeShell(shell))).toEqual(shell);
    const plain = { user: 'user', state: { cwd: '.', script: '\n', history: [], lost: [] } } as const;
    expect(decodeShell(encodeShell(plain))).toEqual(plain);
    expect(new TextDecoder().decode(encodeShell(plain))).toBe('{"user":"user","lost":[]}\0.\0\n\0');
  });

  test('says which variables are its sandbox’s, and no more of them than names', () => {
    const given = { ...shell, envs: ['TOKEN'] } as const;
    expect(decodeShell(encodeShell(given))).toEqual(given);
    expect(decodeShell(encode('{"envs":[1,"A"]}\0/\0\n\0')).envs).toEqual(['A']);
    expect(decodeShell(encode('{"envs":"A"}\0/\0\n\0')).envs).toBeUndefined();
  });

  test('as large as one may be, is taken', () => {
    const script = '\u0001'.repeat(limits.shellStateBytes);
    const history = ['\u0001'.repeat(limits.shellHistoryBytes)];
    const large = { user: 'user', state: { ...shell.state, script, history } } as const;
    expect(decodeShell(encodeShell(large))).toEqual(large);
  });

  test('H-9 is refused where it is something else', () => {
    const texts = [
      ...[
        '',
        '\0',
        '\0\0\0',
        '{}',
        '{}\0/\0\n',
        '{}\0/\0\n\0\0',
        '[]\0/\0\n\0',
        'x\0/\0\n\0',
        '{}\0/\0\n\0x',
      ],
      ...['{}\0/\0\n\0{}', '{}\0/\0\n\0[1]', '{}\0/\0\n\0["\\u0000"]'],
    ];
    const all = [
      ...texts.map(encode),
      Uint8Array.of(0xff, 0, 0, 0),
      new Uint8Array(limits.savedShellBytes + 1),
    ];
    for (const bytes of all) {
      expect(() => decodeShell(bytes)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
  });

  test('has no more of a history than a shell keeps', () => {
    const many = JSON.stringify(Array.from({ length: 2 * limits.shellHistoryCommands }, (_, at) => `${at}`));
    expect(decodeShell(encode(`{}\0/\0\n\0${many}`)).state.history).toHaveLength(limits.shellHistoryCommands);
  });
});
