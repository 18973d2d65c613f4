import { describe, expect, test } from 'vitest';
import { missingParts } from './missing-parts.ts';
import type { ShellReport } from './shell-report.ts';
import { stateOf } from './shell-state.ts';

const report: ShellReport = {
  ...{ number: 1, status: 0, cwd: '/tmp', traps: '', jobs: '', umask: 'umask 0022\n', exported: '' },
  options: 'shopt -s expand_aliases\nshopt -s extglob\n',
  settings: 'set -o nounset\nset +o posix\n',
  variables: 'declare -x A="1"\ndeclare -a list=([0]="x")\n',
  aliases: "alias a='b'\n",
  functions: 'f () \n{ \n    cat <<END\ndeclare -- none\nEND\n}\ng () \n{ \n    echo\n}\n',
};
const { script } = stateOf(report, { envs: {}, history: [] });
const missing = (changes: Partial<ShellReport>, envs: readonly string[] = []) =>
  missingParts(script, { report: { ...report, ...changes }, envs });

describe('S-3 what a bash lacks of a state', () => {
  test('is nothing where it has every name, whatever it adds', () => {
    expect(missing({})).toEqual([]);
    expect(missing({ variables: `${report.variables}declare -- B="2"\n` }, ['B'])).toEqual([]);
    expect(missing({ options: 'shopt -s expand_aliases\n', settings: 'set -o nounset\n' })).toEqual([]);
  });

  test('is each part of which it lacks a name, and options that are otherwise', () => {
    expect(missing({ variables: 'declare -x A="1"\n' })).toEqual(['variables']);
    expect(missing({}, ['TOKEN'])).toEqual(['variables']);
    expect(missing({ functions: 'f () \n{ \n    cat <<END\ndeclare -- none\nEND\n}\n' })).toEqual([
      'functions',
    ]);
    expect(missing({ aliases: undefined })).toEqual(['aliases']);
    expect(missing({ settings: 'set +o nounset\n' })).toEqual(['options']);
    const others = { variables: '', functions: '', aliases: '', options: 'shopt -u extglob\n' };
    expect(missing(others)).toEqual(['variables', 'functions', 'aliases', 'options']);
  });
});
