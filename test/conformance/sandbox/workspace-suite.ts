import { afterAll, beforeAll, expect } from 'vitest';
import type { WorkspaceOptions } from '../../../protocol/sandbox/backend.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import { setUpWorkspace } from '../../../sandbox/workspace/set-up-workspace.ts';
import { planWorkspace } from '../../../sandbox/workspace/workspace-plan.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

const git = 'file:///home/user/origin';

/** Two commits on `main`, the first with a tag, in `~/origin`. */
const makeOrigin = `
set -e
git config --global user.name Someone
git config --global user.email someone@example.org
git init --quiet --initial-branch=main ~/origin
cd ~/origin
echo one > file; git add .; git commit --quiet -m one; git tag first
echo two > file; git commit --quiet -a -m two
git rev-parse first
`;

/** Repositories that a sandbox begins with, whatever runs it. */
export function workspaceSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('a workspace', (test) => {
    let sandbox: Sandbox;
    let first: string;
    beforeAll(async () => {
      sandbox = await openSandbox();
      const { stdout, stderr, exitCode } = await sandbox.run(makeOrigin);
      expect([exitCode, stderr]).toEqual([0, '']);
      first = stdout.trim();
    });
    afterAll(() => sandbox?.close());

    const setUp = (
      options: Partial<WorkspaceOptions>,
      {
        signal,
        onProgress = () => {},
      }: { signal?: AbortSignal; onProgress?: (progress: Progress) => void } = {},
    ) => {
      const plan = planWorkspace({ git, ...options }, sandbox.info);
      return setUpWorkspace(sandbox.connection, plan, { signal, onProgress });
    };
    const asRoot = async (command: string) => (await sandbox.run(command, { user: 'root' })).stdout;
    const left = () =>
      asRoot('ls -dA /workspace* /.work* /home/user/.*coppice* /home/user/made* 2>/dev/null; true');

    test('I-3 is cloned whole to its place by the user, and a snapshot says so', async () => {
      await asRoot(
        'mkdir -p /.workspace.coppice-clone/tree; echo half > /.workspace.coppice-clone/tree/file',
      );
      const told: Progress[] = [];
      const snapshot = await setUp({}, { onProgress: (progress) => told.push(progress) });
      expect(
        await asRoot(
          'ls -dA /.work* 2>/dev/null; cat /workspace/file; stat -c "%U %a" /workspace /workspace/file',
        ),
      ).toBe('two\nuser 755\nuser 644\n');
      const { stdout } = await sandbox.run('git status --short --branch; git log --format=%s', {
        cwd: '/workspace',
      });
      expect(stdout).toBe('## main...origin/main\ntwo\none\n');
      expect(snapshot?.cause).toEqual({ type: 'manual', label: `workspace from ${git}` });
      expect(await sandbox.files.read('/workspace/file', { at: snapshot?.id ?? 'now' })).toBe('two\n');
      expect(new Set(told.map(({ stage }) => stage))).toEqual(new Set(['workspace']));
      expect(told[0]?.text).toBe(`Cloning ${git}`);
      expect(told.length).toBeGreaterThan(1);
    });

    test('I-3 stays as it is where something is at its place already', async () => {
      await sandbox.run('mkdir ~/made; echo mine > ~/made/file; ln -s /nowhere ~/made-link');
      const { length } = await sandbox.history.log();
      expect(await setUp({ path: '/home/user/made' })).toBeUndefined();
      expect(await setUp({ path: '/home/user/made-link' })).toBeUndefined();
      expect(await asRoot('cat ~user/made/file; readlink ~user/made-link')).toBe('mine\n/nowhere\n');
      const log = await sandbox.history.log();
      expect(log.filter(({ cause }) => cause.type === 'manual')).toHaveLength(1);
      expect(log.length).toBeGreaterThanOrEqual(length);
      await sandbox.run('rm -r ~/made ~/made-link');
    });

    test('I-3 begins at a tag, or at a commit that no branch has', async () => {
      await setUp({ ref: 'first', path: '/home/user/made-1' });
      const { stdout } = await sandbox.run(
        'cd ~/origin; git checkout --quiet -b gone; echo three > file; git commit --quiet -a -m three; git rev-parse HEAD; git checkout --quiet main; git branch --quiet -D gone',
      );
      await sandbox.run('git -C ~/origin config uploadpack.allowAnySHA1InWant true');
      await setUp({ commit: stdout.trim(), path: '/home/user/made-2' });
      await setUp({ commit: first, path: '/home/user/made-3' });
      expect(await asRoot('cd ~user; cat made-*/file; rm -r made-*')).toBe('one\nthree\none\n');
    });

    test('I-3 has its submodules where they are asked for, and none otherwise', async () => {
      const { stderr, exitCode } = await sandbox.run(
        'set -e; git clone --quiet ~/origin ~/whole; cd ~/whole; git -c protocol.file.allow=always submodule --quiet add file:///home/user/origin part; git commit --quiet -m part',
      );
      expect([exitCode, stderr]).toEqual([0, '']);
      const whole = { git: 'file:///home/user/whole' };
      await setUp({ ...whole, path: '/home/user/made-1', submodules: true });
      await setUp({ ...whole, path: '/home/user/made-2' });
      expect(await asRoot('cd ~user; cat made-1/part/file; ls -A made-2/part; rm -rf made-* whole')).toBe(
        'two\n',
      );
    });

    const refused: readonly [what: string, options: Partial<WorkspaceOptions>][] = [
      ['a branch that is not there', { ref: 'nope' }],
      ['a commit that is not there', { commit: 'ab'.repeat(20) }],
      ['a repository that is not there', { git: 'file:///home/user/nope' }],
      ['a directory to hold it that is not there', { path: '/home/user/nope/made' }],
    ];
    for (const [what, options] of refused) {
      test(`I-3 is all or nothing: ${what}`, async () => {
        const before = await left();
        const error = { code: 'not-found' };
        await expect(setUp({ path: '/home/user/made', ...options })).rejects.toMatchObject(error);
        expect(await left()).toBe(before);
      });
    }

    test('I-3 runs no program that a URL leads to', async () => {
      await sandbox.run(
        'git config --global url."ext::sh -c touch% /home/user/ran% %S".insteadOf file:///home/user/elsewhere',
      );
      await expect(
        setUp({ git: 'file:///home/user/elsewhere', path: '/home/user/made' }),
      ).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining("transport 'ext' not allowed"),
      });
      expect(await asRoot('ls -A ~user | grep ran; true')).toBe('');
    });

    test('I-3 H-8 given up half way, it leaves nothing and no git that runs', async () => {
      const before = await left();
      await sandbox.run(
        'printf "#!/bin/sh\\necho \\$\\$ > ~/hangs\\nexec sleep 1000\\n" > ~/hang; chmod +x ~/hang; git config --global uploadpack.packObjectsHook /home/user/hang',
      );
      const giveUp = new AbortController();
      const cloning = setUp({ path: '/home/user/made' }, { signal: giveUp.signal });
      cloning.catch(() => undefined);
      await expect.poll(() => sandbox.files.exists('/home/user/hangs'), { timeout: 60_000 }).toBe(true);
      expect(
        await asRoot('ls -A ~user/.made.coppice-clone; kill -0 "$(cat ~user/hangs)" && echo there'),
      ).toBe('tree\nthere\n');
      giveUp.abort();
      await expect(cloning).rejects.toMatchObject({ code: 'aborted' });
      expect(await left()).toBe(before);
      const isThere = async () =>
        (await asRoot('kill -0 "$(cat ~user/hangs)" 2>/dev/null && echo there')).trim();
      await expect.poll(isThere).toBe('');
      const kept = (await sandbox.history.log()).flatMap(({ changes }) => changes.paths);
      expect(kept.filter((path) => path.includes('/.made.coppice-clone/tree/'))).toEqual([]);
      await sandbox.run('git config --global --unset uploadpack.packObjectsHook; rm ~/hangs');
    });

    test('I-3 H-10 without git in the image it is unsupported, and says what to do', async () => {
      await asRoot('mv /usr/bin/git /usr/bin/tig');
      const cloning = setUp({ path: '/home/user/made' });
      await expect(cloning).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('the image has no git; choose one that has, such as "debian"'),
      });
      await asRoot('mv /usr/bin/tig /usr/bin/git');
      expect(await left()).toBe('/workspace\n');
    });
  });
}
