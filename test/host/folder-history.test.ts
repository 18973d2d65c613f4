import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, lstatSync, renameSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FolderRules } from '../../bridge-server/runtimes/folder/folder-rules.ts';
import { noLook } from '../../bridge-server/runtimes/folder/last-look.ts';
import { OpenFolder } from '../../bridge-server/runtimes/folder/open-folder.ts';
import { readFolder } from '../../bridge-server/runtimes/folder/read-folder.ts';
import { writeFolder } from '../../bridge-server/runtimes/folder/write-folder.ts';
import { openProject } from '../../cli/test-project.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { uid } from './as-user.ts';
import { openMapping } from './roots/line-process.ts';

const isRoot = process.getuid?.() === 0;
/** Of a file system in memory (statfs(2)). */
const tmpfsType = 0x01021994;

/** Mounts a file or a folder at a path, until it is disposed of. */
function bind(what: string, path: string): Disposable {
  execFileSync('mount', ['--bind', what, path]);
  return { [Symbol.dispose]: () => execFileSync('umount', [path]) };
}

async function openElsewhere(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-elsewhere-'));
  await writeFile(join(folder, 'theirs'), 'of another folder');
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

describe.skipIf(!isRoot)(isRoot ? 'with mounts' : 'skipped: needs root, to mount', () => {
  test('R-12 H-6 what is mounted below a folder is neither read, nor removed, nor written, and the history says so', async () => {
    await using elsewhere = await openElsewhere();
    await using project = await openProject({
      a: 'one',
      'mnt/b': 'beneath',
      'conf/file': 'own',
      'other mnt/c': '',
    });
    const { at, ok } = project;
    const before = await ok('show');
    expect(before.stdout).toMatch(/files +yes/);
    {
      using _folder = bind(elsewhere.folder, at('mnt'));
      using _below = bind(elsewhere.folder, at('other mnt'));
      using _file = bind(join(elsewhere.folder, 'theirs'), at('conf/file'));
      await writeFile(at('a'), 'two');
      await ok('commit', '-m', 'with mounts');
      await ok('undo');
      expect(await readFile(at('a'), 'utf8')).toBe('one');
      expect(await readdir(elsewhere.folder)).toEqual(['theirs']);
      expect(await readFile(join(elsewhere.folder, 'theirs'), 'utf8')).toBe('of another folder');
      await ok('redo');
      const show = await ok('show');
      expect(show.stdout).toMatch(/files +no: something is mounted at \/conf\/file, \/mnt, \/other mnt/);
      expect((await ok('log')).stdout).toMatch(/with mounts.*not all files/);
      expect((await ok('status')).stdout).toMatch(/left out +something is mounted at \/conf\/file/);
      const { stdout } = await ok('show', '--json');
      const { files, coverage } = JSON.parse(stdout);
      expect(files.map(({ path }: { path: string }) => path)).toEqual(['/a']);
      expect(coverage.mounts.captured).toBe(false);
    }
    expect(await readFile(at('mnt/b'), 'utf8')).toBe('beneath');
    expect(await readFile(at('conf/file'), 'utf8')).toBe('own');
    expect(JSON.parse((await ok('commit', '--if-changed', '--json')).stdout).isHead).toBe(true);
  });

  test('R-12 a folder that goes with what is mounted in it stays as far as that is in it', async () => {
    await using elsewhere = await openElsewhere();
    await using project = await openProject({ a: 'one' });
    const { at, ok } = project;
    await mkdir(at('made/mnt'), { recursive: true });
    await writeFile(at('made/file'), 'of the step');
    using _mount = bind(elsewhere.folder, at('made/mnt'));
    await ok('undo');
    expect(await readdir(at('made'))).toEqual(['mnt']);
    expect(await readdir(elsewhere.folder)).toEqual(['theirs']);
  });
});

test.skipIf(!isRoot)(
  `R-12 a file that this user may not read is named by its path${isRoot ? '' : ' (skipped: needs root, to be another user)'}`,
  async () => {
    await using place = await openElsewhere();
    const [folder, root] = [join(place.folder, 'work'), join(place.folder, 'root')];
    await mkdir(join(folder, 'deep/er'), { recursive: true });
    await writeFile(join(folder, 'deep/er/file'), 'of root', { mode: 0o600 });
    await chmod(place.folder, 0o777);
    const args = [resolve('cli/main.ts'), 'init', '--in-place', folder, '--root', root];
    const { stderr, status } = spawnSync(process.execPath, args, {
      ...{ uid, gid: uid, encoding: 'utf8' },
      env: { ...process.env, HOME: place.folder },
    });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(
      /Cannot read deep\/er\/file: this user may not read it\. Give it the permission, or name it in \.coppiceignore/,
    );
  },
);

test.skipIf(!isRoot)(
  `R-12 what a user may not write to but owns, such as Go's modules, is taken back and done again, with its permissions${isRoot ? '' : ' (skipped: needs root, to be another user)'}`,
  async () => {
    await using place = await openElsewhere();
    const [folder, root] = [join(place.folder, 'work'), join(place.folder, 'root')];
    await chmod(place.folder, 0o777);
    const shell = (script: string) => {
      const coppice = `${process.execPath} ${resolve('cli/main.ts')}`;
      const { stdout, stderr, status } = spawnSync(
        'sh',
        ['-ec', `coppice() { ${coppice} "$@" --in-place ${folder} --root ${root}; }; ${script}`],
        { uid, gid: uid, encoding: 'utf8', env: { ...process.env, HOME: place.folder } },
      );
      expect(status, stderr).toBe(0);
      return stdout;
    };
    const look = () =>
      shell(`cd ${folder}; find . -printf '%p %M\\n' | sort; cat mod/pkg/go 2>/dev/null || true`);
    shell(`mkdir ${folder}; coppice init`);
    const before = look();
    shell(`cd ${folder}; mkdir -p mod/pkg; echo 1 >mod/pkg/go; chmod -R a-w mod; coppice commit -m made`);
    const made = look();
    shell(
      `cd ${folder}; chmod -R u+w mod; echo 2 >mod/pkg/go; touch mod/pkg/other; chmod -R a-w mod; coppice commit -m changed`,
    );
    const changed = look();
    shell('coppice undo');
    expect(look()).toBe(made);
    shell('coppice undo');
    expect(look()).toBe(before);
    shell('coppice redo 2');
    expect(look()).toBe(changed);
    await mkdir(join(folder, 'of root'));
    for (const text of ['one', 'two']) {
      await writeFile(join(folder, 'of root/file'), text);
      shell(
        `cd ${folder}; chmod -R u+w mod; echo ${text} >mod/pkg/go; chmod -R a-w mod; coppice commit -m ${text}`,
      );
    }
    const stopped = look();
    // The modules come first: they are put back.
    expect(shell('coppice undo 2>&1 || echo $?')).toMatch(/Cannot write of root\/file.* put back\n17\n/);
    expect(look()).toBe(stopped);
  },
);

/** What takes the place of a directory while it is written. */
const intruders = [
  { name: 'what is mounted over', lack: isRoot ? undefined : 'needs root, to mount', intrude: bind },
  {
    name: 'what a link leads to in the place of',
    lack: undefined,
    intrude: (other: string, path: string): Disposable => {
      renameSync(path, `${path} moved`);
      symlinkSync(other, path);
      return { [Symbol.dispose]: () => rmSync(path) };
    },
  },
];

describe.each(intruders)('$name a directory', ({ lack, intrude }) => {
  test.skipIf(lack !== undefined)(
    `R-12 it is not touched, whenever that is${lack ? ` (skipped: ${lack})` : ''}`,
    async () => {
      await using place = await openElsewhere();
      const [folder, other] = [join(place.folder, 'project'), join(place.folder, 'other')];
      const none = () => false;
      const rules = new FolderRules({ before: none, now: none });
      const write = async (files: Readonly<Record<string, string>>) => {
        await rm(folder, { recursive: true, force: true });
        for (const [path, text] of Object.entries(files)) {
          await mkdir(join(folder, path, '..'), { recursive: true });
          await writeFile(join(folder, path), text);
        }
      };
      const read = async (tree: LiveTree) => {
        using opened = new OpenFolder(folder);
        await readFolder(tree, { folder: opened, rules, since: noLook });
        return tree.snapshot();
      };
      const told = () => execFileSync('find', [other, '-printf', '%P %s %m %T@ %C@\n'], { encoding: 'utf8' });
      let intrusions = 0;
      for (let at = 0; at <= intrusions; at++) {
        const tree = new LiveTree();
        await write({ 'd/changed': 'old', 'd/gone': 'old', 'd/mode': 'same', 'd/sub/deep': 'old' });
        const old = await read(tree);
        await write({ 'd/changed': 'newer', 'd/made': 'new', 'd/mode': 'same', 'd/sub/deep': 'newer' });
        await chmod(join(folder, 'd/mode'), 0o600);
        const before = await read(tree);
        // The same files, with the same times.
        execFileSync('cp', ['-a', join(folder, 'd'), other]);
        const had = told();
        let steps = 0;
        await using stack = new AsyncDisposableStack();
        const between = () => {
          if (steps++ !== at) return;
          stack.use(intrude(other, join(folder, 'd')));
          intrusions += 1;
        };
        tree.restore(old);
        using opened = new OpenFolder(folder);
        const options = { folder: opened, rules: rules.writeRules(none), before, probe: { between } };
        const error = await writeFolder(tree, options).then(
          () => undefined,
          (cause: unknown) => SandboxError.from(cause).code,
        );
        expect([undefined, 'conflict']).toContain(error);
        expect(told(), `at ${at}`).toBe(had);
        await stack.disposeAsync();
        await rm(other, { recursive: true });
      }
      expect(intrusions).toBeGreaterThan(10);
    },
  );
});

/** Resolves when the file was changed so long ago that its times alone tell whether it was changed since. */
async function whenOld(path: string): Promise<void> {
  const { ctimeMs } = lstatSync(path);
  await expect.poll(() => Date.now() - ctimeMs, { interval: 20 }).toBeGreaterThan(2_100);
}

const places = [
  { name: 'on disk', place: tmpdir(), lack: undefined },
  {
    name: 'in memory',
    place: '/dev/shm',
    lack: statfsSync('/dev/shm').type === tmpfsType ? undefined : 'needs a tmpfs at /dev/shm',
  },
];

describe.each(places)('a folder $name', ({ place, lack }) => {
  test.skipIf(lack !== undefined)(
    `R-12 H-6 what a program wrote through a mapping before it ended is in the snapshot, and comes back${lack ? ` (skipped: ${lack})` : ''}`,
    async () => {
      await using project = await openProject({ mapped: '.'.repeat(8_192), other: 'one' }, { place });
      const { at, ok } = project;
      {
        await using mapped = openMapping(at('mapped'));
        await mapped.ask('0 once');
        await whenOld(at('mapped'));
        await ok('commit', '-m', 'while it is mapped');
        await mapped.ask('0 more');
      }
      await ok('commit', '-m', 'written');
      const written = await readFile(at('mapped'), 'utf8');
      expect(written.slice(0, 5)).toBe('more.');
      await rm(at('mapped'));
      await ok('commit', '-m', 'removed');
      await ok('checkout', 'HEAD~1');
      expect(await readFile(at('mapped'), 'utf8')).toBe(written);
    },
  );
});

test('R-12 a file that is mapped by another of its names is not replaced, nor one with a newline in its name', async () => {
  await using project = await openProject({ 'one\nline': '.'.repeat(8_192) });
  const { at, run, ok } = project;
  linkSync(at('one\nline'), at('a link'));
  linkSync(at('one\nline'), at('two'));
  await writeFile(at('two'), ':'.repeat(8_192));
  await ok('commit', '-m', 'both');
  for (const name of ['one\nline', 'a link', 'two']) {
    await using mapped = openMapping(at(name));
    await mapped.ask(`0 ${name.length}`);
    const { code, stderr } = await run('undo');
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('open for writing') });
  }
});
