import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { ShellReport } from './shell-report.ts';
import { addToHistory, newState, stateOf } from './shell-state.ts';

const report: ShellReport = {
  ...{ number: 1, status: 0, cwd: '/tmp', traps: '', jobs: '' },
  options: 'shopt -s expand_aliases\nshopt -s extglob\nnonsense; rm -rf /\n',
  umask: 'umask 0022\n',
  exported: 'declare -fx f\n',
  settings: 'set -o errexit\nset +o posix\n',
  variables: '',
  aliases: "alias a='b'\n",
  functions: 'f () \n{ \n    echo\n}\n',
};
const stateWith = (variables: string | undefined, envs: Readonly<Record<string, string>> = {}) =>
  stateOf({ ...report, variables }, { envs, history: [] });

describe('S-3 the state of a shell', () => {
  test('is a script in an order in which no part changes how the next is read', () => {
    expect(stateWith('declare -- A="1"\n').script).toBe(
      [
        'shopt -u expand_aliases\nshopt -s extglob',
        'umask 0022',
        'declare -- A="1"',
        "alias a='b'",
        'f () \n{ \n    echo\n}',
        'builtin declare -fx f',
        'builtin shopt -s expand_aliases',
        'builtin set -o errexit\nbuiltin set +o posix\n',
      ].join('\n'),
    );
  });

  test('has no variables of bash and the machine', () => {
    const own = [
      'HOME="/root"',
      'RANDOM="7"',
      'BASH_VERSION="5"',
      '_="x"',
      'PPID="1"',
      '__coppice="0"',
      'SHLVL',
    ];
    const variables = [...own.map((each) => `declare -x ${each}`), 'declare -x HOMER="x"', 'no declaration'];
    expect(stateWith(variables.join('\n')).script).toContain('0022\ndeclare -x HOMER="x"\nalias');
  });

  test('has nothing of the sandbox’s environment that is as it was given, nor what may be', () => {
    const envs = { SECRET: 'a"$\\b', MULTI: 'a\nb', OTHER: 'x' };
    const variables = ['SECRET="a\\"\\$\\\\b"', "MULTI=$'a\\nb'", 'OTHER="y"'].map(
      (each) => `declare -x ${each}`,
    );
    expect(stateWith(variables.join('\n'), envs).script).toContain('0022\ndeclare -x OTHER="y"\nalias');
  });

  test('has a variable of the sandbox’s environment that was changed, and says where that cannot be told', () => {
    const envs = { ESCAPED: "a\x1b'\\é", CHANGED: 'a\nb', LIST: 'x' };
    const same = stateWith("declare -x ESCAPED=$'a\\E\\'\\\\\\303\\251'\n", envs);
    expect(same).toMatchObject({ lost: [], script: expect.not.stringContaining('ESCAPED') });
    const changed = stateWith("declare -x CHANGED=$'a\\nc'\n", envs);
    expect(changed).toMatchObject({ lost: [], script: expect.stringContaining("CHANGED=$'a\\nc'") });
    const list = stateWith('declare -ax LIST=([0]="x")\ndeclare -- KEPT="1"\n', envs);
    expect(list).toMatchObject({ lost: ['variables'], script: expect.stringContaining('KEPT="1"') });
    expect(list.script).not.toContain('LIST');
  });

  test('loses what is too large, the largest first, and says so', () => {
    const large = `declare -- A="${'x'.repeat(limits.shellStateBytes)}"`;
    expect(stateWith(large)).toMatchObject({ lost: ['variables'] });
    expect(stateWith(undefined).lost).toEqual(['variables']);
    const exported = 'declare -fx f\n'.repeat(limits.shellStateBytes);
    const { script, lost } = stateOf({ ...report, exported }, { envs: {}, history: [] });
    expect([script.length < limits.shellStateBytes, lost]).toEqual([true, ['functions']]);
    expect(stateOf({ ...report, traps: 't', jobs: '1' }, { envs: {}, history: [] }).lost).toEqual([
      'traps',
      'jobs',
    ]);
  });

  test('begins with its environment, quoted', () => {
    expect(newState({ envs: { A: "it's $(x)" } }).script).toBe("export A='it'\\''s $(x)'\n");
  });

  test('keeps the latest commands of its history', () => {
    const many = Array.from({ length: limits.shellHistoryCommands }, (_, at) => `${at}`);
    expect(addToHistory(many, 'new').slice(0, 1)).toEqual(['1']);
    expect(addToHistory(many, 'new')).toHaveLength(limits.shellHistoryCommands);
    const large = 'x'.repeat(limits.shellHistoryBytes - 3);
    expect(addToHistory(['a', 'b', 'cd'], large)).toEqual(['b', 'cd', large]);
    expect(addToHistory(['a'], `${large}xxxx`)).toEqual([]);
  });
});
