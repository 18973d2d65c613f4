import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertFolderIsFree, holdFolder } from './hold-folder.ts';

const module = join(import.meta.dirname, 'hold-folder.ts');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-hold-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that holds the folder until it is killed. */
async function startHolder({ url, socket }: { url?: string; socket?: string } = {}) {
  const says = [
    url === undefined ? '' : `hold.listensAt(${JSON.stringify(url)});`,
    socket === undefined ? '' : `hold.answersAt(${JSON.stringify(socket)});`,
  ].join(' ');
  const script = `import { holdFolder } from ${JSON.stringify(module)};
    const hold = holdFolder(${JSON.stringify(folder)}); ${says}
    console.log('holds'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  await once(createInterface({ input: child.stdout }), 'line');
  return {
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

test('a second process is refused the folder at once, and told who holds it and where it listens', async () => {
  const url = 'http://127.0.0.1:7070';
  const holder = await startHolder({ url });
  const refusal = expect.objectContaining({
    code: 'busy',
    message: `Cannot use ${folder}: process ${holder.pid} holds it, a bridge that listens at ${url}`,
    details: { folder, pid: holder.pid, url },
  });
  try {
    expect(() => holdFolder(folder)).toThrow(refusal);
    expect(() => assertFolderIsFree(folder)).toThrow(refusal);
  } finally {
    await holder.kill();
  }
  // What the killed one noted is of no account.
  assertFolderIsFree(folder);
  using _hold = holdFolder(folder);
  expect(() => assertFolderIsFree(folder)).toThrow(`process ${process.pid} holds it`);
});

test('one that serves the folder to its user is told with its socket', async () => {
  const socket = join(folder, 'control.sock');
  const holder = await startHolder({ socket });
  try {
    expect(() => holdFolder(folder)).toThrow(
      expect.objectContaining({
        message: `Cannot use ${folder}: process ${holder.pid} holds it, and answers at ${socket}`,
        details: { folder, pid: holder.pid, socket },
      }),
    );
  } finally {
    await holder.kill();
  }
});

test('one that serves nothing is told by its process alone', async () => {
  const holder = await startHolder();
  try {
    expect(() => holdFolder(folder)).toThrow(
      expect.objectContaining({
        message: `Cannot use ${folder}: process ${holder.pid} holds it`,
        details: { folder, pid: holder.pid },
      }),
    );
  } finally {
    await holder.kill();
  }
});

test('what is let go of can be held again, and a second disposal takes nothing from the next holder', () => {
  const first = holdFolder(folder);
  expect(() => holdFolder(folder)).toThrow(expect.objectContaining({ code: 'busy' }));
  first[Symbol.dispose]();
  expect(readdirSync(folder)).toEqual(['lock']);
  using _second = holdFolder(folder);
  first[Symbol.dispose]();
  expect(() => holdFolder(folder)).toThrow(`process ${process.pid} holds it`);
});

test('a note that cannot be read leaves the refusal as it is', () => {
  using _hold = holdFolder(folder);
  for (const text of ['', '{', 'null', '{"pid":"1"}']) {
    writeFileSync(join(folder, 'holder.json'), text);
    expect(() => holdFolder(folder)).toThrow(
      expect.objectContaining({ code: 'busy', message: `Cannot use ${folder}: another process holds it` }),
    );
  }
});

test('a folder is made where there is none; to ask whether one is free leaves nothing behind', () => {
  assertFolderIsFree(join(folder, 'a'));
  assertFolderIsFree(folder);
  expect(readdirSync(folder)).toEqual([]);
  using _hold = holdFolder(join(folder, 'a', 'b'));
  expect(readdirSync(join(folder, 'a', 'b')).sort()).toEqual(['holder.json', 'lock']);
});
