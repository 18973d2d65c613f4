import { beforeEach, expect, test } from 'vitest';
import { SettingsFile } from '../../../../sandbox/git/library/settings-file.ts';
import { Sandbox } from '../../../../sdk/sandbox.ts';
import { shellBackend } from '../../shell-backend.ts';

let sandbox: Sandbox;
const sh = async (script: string) => {
  const { stdout, stderr, exitCode } = await sandbox.run(`cd p; ${script}`);
  return `${stdout}${stderr}${exitCode === 0 ? '' : `exit ${exitCode}\n`}`;
};

beforeEach(async () => {
  sandbox = await Sandbox.create({ backend: shellBackend() });
  await sandbox.run('git init -q p');
  return () => sandbox.close();
});

test('I-3 git config adds, replaces and takes out values, one or all', async () => {
  expect(
    await sh('git config --add a.b 1; git config --add a.b 2; git config a.b; git config --get-all a.b'),
  ).toBe('2\n1\n2\n');
  expect(await sh('git config a.b 3')).toMatch(/^warning: a\.b has multiple values\n[\s\S]*exit 5\n$/);
  expect(await sh('git config --unset a.b')).toBe('warning: a.b has multiple values\nexit 5\n');
  expect(
    await sh(
      'git config --replace-all a.b 4; git config --get-all a.b; git config --unset-all a.b; git config a.b',
    ),
  ).toBe('4\nexit 1\n');
  expect(await sh('grep -c "\\[a\\]" .git/config')).toBe('0\nexit 1\n');
});

test('I-3 git config tells values by type, by pattern, and with NULs', async () => {
  await sh('git config core.on yes; git config a.size 2k; git config "x.Y y.z" "a # b"');
  expect(await sh('git config --bool core.on; git config --int a.size; git config --type=bool core.on')).toBe(
    'true\n2048\ntrue\n',
  );
  expect(await sh('git config --bool a.bad maybe')).toBe(
    "fatal: bad boolean config value 'maybe' for 'a.bad'\nexit 128\n",
  );
  expect(
    await sh("git config --get-regexp '^(x|core\\.on)'; git config -z --get x.'Y y'.z | tr '\\0' '@'"),
  ).toBe('core.on yes\nx.Y y.z a # b\na # b@');
});

test('I-3 settings of the home count for git, and those of a command come before all', async () => {
  await sandbox.run(
    `printf '[user]\\n\\tname = Home\\n\\temail = h@example.org\\n[x]\\n\\ty\\n' > ~/.gitconfig`,
  );
  expect(
    await sh(
      'git config user.name; git config --bool x.y; git commit -q --allow-empty -m x; git log -1 --format=%an',
    ),
  ).toBe('Home\ntrue\nHome\n');
  expect(
    await sh(
      'git -c user.name=Given commit -q --allow-empty -m y; git log -1 --format=%an; git -c a.b=c config a.b',
    ),
  ).toBe('Given\nc\n');
  expect(
    await sh(
      'git config --global z.q 1; tail -2 ~/.gitconfig; git config user.name Own; git config user.name',
    ),
  ).toBe('[z]\n\tq = 1\nOwn\n');
  expect(await sh('echo "[bad" > .git/config; git status')).toMatch(
    /^fatal: bad config line 1 in file .*\/p\/\.git\/config\n/,
  );
});

test('I-3 H-8 a file of settings is read in a time that its size bounds', () => {
  const text = `[a "${'\\\\'.repeat(20_000)}"]\n${'\tk = '.padEnd(50_000, ' ')}x\n${'[b]'.repeat(20_000)}`;
  expect(new SettingsFile(text).settings.map(({ value }) => value)).toEqual(['x']);
});
