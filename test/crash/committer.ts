// Commits to a sandbox's store until it is killed: node committer.ts <folder> <id>
import { writeSync } from 'node:fs';
import { openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import { liveAfter, numberedCommit, sweepsAfter } from './numbered-commits.ts';

const [folder = '', id = ''] = process.argv.slice(2);
say('opening');
const store = await openHostStore(folder, id, { create: true }).catch(() => openHostStore(folder, id));
for (let n = Number(store.ref('head') ?? 0) + 1; ; n++) {
  await store.commit(numberedCommit(n));
  say(String(n));
  if (sweepsAfter(n)) await store.sweep(new Set(liveAfter(n)));
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
