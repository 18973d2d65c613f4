import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { enterIdRange } from '../../../bridge-server/main/id-range.ts';
import { ownPrivileges } from '../../../bridge-server/privileges.ts';
import { openRootMaker } from '../../../bridge-server/roots/open-root-maker.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';
import type { ExecRequest } from '../../../protocol/sandbox/processes.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';
import { describeTree } from '../../tree/describe-tree.ts';

/**
 * Run as an ordinary user, with a launcher, a scanner, an unpacker, a folder, the kind of root and the path of
 * probe.c's program: takes that user's range of ids, starts a jail on files of several owners, changes them as
 * its user and its root, and prints, as JSON, what came of it.
 */
await enterIdRange();
const [launcher = '', scanner = '', unpacker = '', folder = '', kind = '', probe = ''] =
  process.argv.slice(2);

function startTree(): LiveTree {
  const tree = new LiveTree({ clock: () => ({ seconds: 1_700_000_000, nanoseconds: 0 }) });
  const owned = (uid: number, mode: number) => ({ mode, uid, gid: uid });
  const add = (directory: number, name: string, bytes: Uint8Array, uid = 0) => {
    const file = tree.create(directory, name, owned(uid, 0o100755));
    tree.write(file, 0, bytes);
    return file;
  };
  const bin = tree.create(tree.root, 'bin', owned(0, 0o040755));
  add(bin, 'coppice-probe', readFileSync(probe));
  const etc = tree.create(tree.root, 'etc', owned(0, 0o040755));
  add(etc, 'passwd', Buffer.from('user:x:1000:1000::/closed:/bin/sh\n'));
  const closed = tree.create(tree.root, 'closed', owned(1000, 0o040700));
  add(closed, 'removed', new Uint8Array(1), 1000);
  const far = add(tree.root, 'far', new Uint8Array(1), 3_000_000);
  tree.setXattr(far, 'security.capability', new Uint8Array([1, 0, 0, 2, ...new Array(16).fill(3)]));
  add(tree.root, 'given', new Uint8Array(1), 33);
  tree.create(tree.root, 'null', { ...owned(0, 0o020666), rdev: (1 << 8) | 3 });
  return tree;
}

const { id, objects } = sealTree(startTree().snapshot());
const byId = new Map(objects.map((object) => [object.id, object.bytes]));
const read = (object: typeof id): Uint8Array => byId.get(object) ?? new Uint8Array(0);
const tree = LiveTree.from(loadTree({ read }, id).snapshot, { content: new ContentCache({ read }) });
const maker = await openRootMaker({ folder, scanner, unpacker, prefer: kind as 'overlay' | 'copy' });
const root = await maker.make(id, { base: id, read });
const untouched = (await root.collect(tree)) === 0 && sealTree(tree.snapshot()).id === id;
const jail = await startJail(
  {
    root: root.mount,
    hostname: 'box',
    limits: { memoryMiB: 64, pids: 64, cpuShares: 1024 },
    cgroup: `coppice-range-${process.pid}`,
  },
  { launcher },
);
const client = new InitClient(jail.channel);
await client.hello();

async function run(request: ExecRequest): Promise<string> {
  let output = '';
  const ended = Promise.withResolvers<void>();
  await client.exec(request, (event) => {
    if (event.type === 'exit') ended.resolve();
    else output += Buffer.from(event.bytes).toString();
  });
  await ended.promise;
  return output.trim();
}

const probed = (user: 'root' | 'user', ...attempt: string[]) =>
  run({ command: ['/bin/coppice-probe', ...attempt], user, cwd: '/' });
const answers = [
  await probed('user', 'create', '/closed/new'),
  await probed('user', 'remove', '/closed/removed'),
  await probed('user', 'create', '/new'),
  await probed('root', 'chown', '/given'),
  await probed('root', 'create', '/new'),
  await probed('root', 'mount-tmpfs'),
  await probed('root', 'unshare-user'),
  await probed('root', 'open', '/proc/sys/kernel/core_pattern'),
];
await jail.freeze();
const collected = await root.collect(tree);
await jail.thaw();
await jail[Symbol.asyncDispose]();
const files = describeTree(tree).map(({ path, uid, gid }) => `${path} ${uid} ${gid}`);
await root[Symbol.asyncDispose]();
await maker[Symbol.asyncDispose]();
const [flavour = ''] = readdirSync(folder);
const left = readdirSync(join(folder, flavour, 'roots'));
const { gaps } = maker;
const privileges = ownPrivileges();
process.stdout.write(
  JSON.stringify({ privileges, gaps, untouched, answers, collected, files, flavour, left }),
);
