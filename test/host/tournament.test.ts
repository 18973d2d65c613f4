import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge } from './open-test-host.ts';
import { remains } from './residues.ts';
import { openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

/** A program that is wrong, its suite, and patches of which one is right. */
const project = `
mkdir -p project/patches && cd project
printf '#!/bin/bash\\necho $(( $1 - $2 ))\\n' > add
printf '#!/bin/bash\\nfailed=0\\nfor pair in "1 2 3" "0 0 0" "-4 4 0" "7 5 12"; do\\n  set -- $pair\\n  [[ $(./add $1 $2) == "$3" ]] || { echo "not ok $pair"; failed=1; }\\ndone\\nexit $failed\\n' > suite
chmod +x add suite
for number in 1 2 3 4 5 6; do
  operator=$(printf '%s' '* - | + / %' | cut -d ' ' -f $number)
  sed "s/\\$1 - \\$2/\\$1 $operator \\$2/" add > changed
  diff -u add changed > patches/$number.patch
done
rm changed`;
const candidates = [1, 2, 3, 4, 5, 6].map((number) => `cd project && patch < patches/${number}.patch`);
const suite = 'cd project && ./suite';

describe.skipIf(lack)(`a tournament in jails${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('R-9 the patch that mends a test suite becomes HEAD, at the shell, and no jail of another is left', async () => {
    await using cli = await openHostCli('root');
    await cli.run('exec', '--', 'bash', '-c', project);
    const report = join(cli.folder, 'report.md');
    const options = ['--test', suite, '--jobs', '3', '--report', report, '--quiet'];
    expect(await cli.run('tournament', ...options, '--', ...candidates)).toMatch(
      /candidate 4 won: [0-9a-f]+ is HEAD\nback again: coppice checkout [0-9a-f]+\n$/,
    );
    expect(await cli.run('exec', '--', 'cat', 'project/add')).toBe('#!/bin/bash\necho $(( $1 + $2 ))\n');
    expect(await readFile(report, 'utf8')).toMatch(/not ok 1 2 3.*- modified `\/home\/user\/project\/add`/s);
    expect(await remains(cli.folder)).toEqual([]);
    expect(JSON.parse(await cli.run('list', '--json'))).toMatchObject({ name: 'default' });
  });

  test('X-4 on a bridge it ends losers at once, and an abort leaves no sandbox there', async () => {
    await using files = await makeTestFolder();
    await using bridge = await runTestBridge(files.options);
    const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
    await using backend = await connect({ url: bridge.url, token });
    await using sandbox = await Sandbox.create({ backend });
    await sandbox.run(project);
    const {
      winner,
      candidates: reports,
      leftOver,
    } = await sandbox.tournament({
      candidates: [...candidates.slice(3, 4), 'sleep 600 & setsid sleep 600', 'yes'],
      test: suite,
      jobs: 3,
    });
    expect(winner).toBe(0);
    expect(reports.map(({ state }) => state)).toEqual(['won', 'cancelled', 'cancelled']);
    expect(leftOver).toEqual([]);
    expect(await Sandbox.list({ backend })).toHaveLength(1);
    const aborting = new AbortController();
    const running = sandbox.tournament({
      candidates: ['sleep 600', 'sleep 600'],
      test: 'true',
      jobs: 2,
      signal: aborting.signal,
      onUpdate: (all) => {
        if (all.every(({ state }) => state === 'running')) aborting.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect((await Sandbox.list({ backend })).map(({ id }) => id)).toEqual([sandbox.id]);
  });
});
