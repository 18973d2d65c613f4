import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { limits } from '../../../../protocol/limits.ts';
import { Sandbox } from '../../../../sdk/sandbox.ts';
import { shellBackend } from '../../shell-backend.ts';

let sandbox: Sandbox;
const sh = async (script: string) => {
  const { stdout, stderr, exitCode } = await sandbox.run(`cd p; ${script}`);
  return `${stdout}${stderr}${exitCode === 0 ? '' : `exit ${exitCode}\n`}`;
};
const git = '/home/user/p/.git';
const by = 'A <a@example.org> 1767225600 +0000';

/** Puts an object there as a stranger may have made it; answers its id. */
async function put(type: string, content: string | Uint8Array): Promise<string> {
  const body = Buffer.from(content);
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const id = createHash('sha1').update(bytes).digest('hex');
  await sandbox.files.makeDirectory(`${git}/objects/${id.slice(0, 2)}`).catch(() => undefined);
  await sandbox.files.write(`${git}/objects/${id.slice(0, 2)}/${id.slice(2)}`, deflateSync(bytes));
  return id;
}

const branch = (name: string, id: string) => sandbox.files.write(`${git}/refs/heads/${name}`, `${id}\n`);
const treeOf = (name: string, mode: string, id: string) =>
  put('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));

beforeEach(async () => {
  sandbox = await Sandbox.create({ backend: shellBackend() });
  await sandbox.run(`git config --global user.name Ada; git config --global user.email ada@example.org
    git init -q p; cd p; echo a > a; git add a; git commit -qm first`);
  return () => sandbox.close();
});

test('I-3 H-8 names in a tree that lead out of it, or to what git keeps, are written nowhere', async () => {
  const blob = await put('blob', 'evil\n');
  for (const [index, name] of ['.git', '.GIT', '..', 'git~1', 'x\\y'].entries()) {
    const tree = await treeOf(name, '40000', await treeOf('hook', '100755', blob));
    await branch(
      `evil${index}`,
      await put('commit', `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\nevil\n`),
    );
    expect(await sh(`git checkout -q evil${index}`)).toMatch(/unsafe character sequences[\s\S]*exit 128\n$/);
  }
  expect(await sh('git status -sb; find .. -name hook; ls -a')).toBe('## main\n.\n..\n.git\na\n');
});

test('I-3 H-8 refs that lead in a circle, or whose names are none, end no command', async () => {
  await sandbox.files.write(`${git}/refs/heads/x`, 'ref: refs/heads/y\n');
  await sandbox.files.write(`${git}/refs/heads/y`, 'ref: refs/heads/x\n');
  await sh(
    `printf '%s refs/heads/../../../x\\n%s refs/heads/\\033[31mred\\n%s refs/heads/-D\\n' $(git rev-parse main main main) > .git/packed-refs`,
  );
  expect(await sh('git branch; git show-ref | cut -c42-')).toBe(
    '  -D\n* main\nrefs/heads/-D\nrefs/heads/main\n',
  );
  expect(await sh('git log x')).toMatch(/^fatal: ambiguous argument 'x'[\s\S]*exit 128\n$/);
  expect(
    await sh('cp .git/refs/heads/main .git/ORIG_HEAD; git branch -D ../../ORIG_HEAD; ls .git/ORIG_HEAD'),
  ).toBe(".git/ORIG_HEAD\nerror: branch '../../ORIG_HEAD' not found.\n");
});

test('I-3 H-8 an index with endless paths, or more entries than it has, is damaged', async () => {
  const index = (path: string, count: number) => {
    const row = Buffer.alloc((62 + path.length + 8) & ~7);
    row.writeUInt32BE(0o100644, 24);
    row.writeUInt16BE(Math.min(path.length, 0xfff), 60);
    row.write(path, 62);
    const header = Buffer.from([0x44, 0x49, 0x52, 0x43, 0, 0, 0, 2, 0, 0, 0, 0]);
    header.writeUInt32BE(count, 8);
    const body = Buffer.concat([header, row]);
    return Buffer.concat([body, createHash('sha1').update(body).digest()]);
  };
  for (const bytes of [index(`${'a/'.repeat(50_000)}b`, 1), index('a', 0xffff_ffff)]) {
    await sandbox.files.write(`${git}/index`, bytes);
    expect(await sh('git status; git checkout -- .; git commit -m x; git stash')).toMatch(
      /^(?:fatal: the index is damaged\n){4}exit 128\n$/,
    );
  }
});

test('I-3 H-8 a tree without end, of a few objects, is refused', async () => {
  let tree = await treeOf('f', '100644', await put('blob', 'x'));
  const rows = (id: string) =>
    Buffer.concat(
      Array.from({ length: 10 }, (_, at) =>
        Buffer.concat([Buffer.from(`40000 ${at}\0`), Buffer.from(id, 'hex')]),
      ),
    );
  for (let level = 0; level < 6; level++) tree = await put('tree', rows(tree));
  await branch('wide', await put('commit', `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\nx\n`));
  tree = await treeOf('f', '100644', await put('blob', 'x'));
  for (let level = 0; level < 2_100; level++) tree = await treeOf('d', '40000', tree);
  await branch('deep', await put('commit', `tree ${tree}\nauthor ${by}\ncommitter ${by}\n\nx\n`));
  expect(await sh('git checkout deep')).toMatch(/^fatal: a tree has more than [\s\S]*exit 128\n$/);
  expect(await sh('git ls-tree -r deep')).toMatch(/^fatal: a path has more than 4096 bytes\nexit 128\n$/);
  expect(await sh('git checkout wide')).toMatch(/^fatal: a tree has more than [\s\S]*exit 128\n$/);
});

test('I-3 a commit whose author or date is none is shown as git shows it', async () => {
  const tree = (await sh('git rev-parse HEAD^{tree}')).trim();
  for (const [name, people] of [
    ['none', ''],
    ['empty', 'author\ncommitter\n'],
    ['far', 'author a <b> 99999999999999999999 +0000\ncommitter a <b> 1 +0000\n'],
  ] as const)
    await branch(name, await put('commit', `tree ${tree}\n${people}\nx\n`));
  expect(await sh('git log --format="%an|%ae|%at|%s" none; git log --format="%an|%ae|%s" empty far')).toBe(
    '||0|x\na|b|x\n||x\n',
  );
});

test('I-3 H-8 a commit of many parents is drawn, and one of endless ones refused', async () => {
  const tree = (await sh('git rev-parse HEAD^{tree}')).trim();
  const commit = (parents: readonly string[], text: string) =>
    put(
      'commit',
      `tree ${tree}\n${parents.map((id) => `parent ${id}\n`).join('')}author ${by}\ncommitter ${by}\n\n${text}\n`,
    );
  const ids = Array.from({ length: limits.gitCommitParents + 1 }, (_, at) =>
    at.toString(16).padStart(40, '0'),
  );
  await branch('endless', await commit(ids, 'x'));
  expect(await sh('git log endless')).toMatch(/^fatal: the commit [0-9a-f]{40} has more than 1000 parents\n/);
  const parents: string[] = [];
  for (let at = 0; at < 60; at++) parents.push(await commit([], `p${at}`));
  await branch('many', await commit(parents, 'merge'));
  expect(
    (await sh('git log --graph --oneline many')).split('\n').filter((line) => line.includes('p')),
  ).toHaveLength(60);
});
