import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import type { BridgeAddress } from '../../sdk/connect.ts';
import { range, uid, userArguments } from './as-user.ts';
import { makeTestFolder } from './open-test-host.ts';
import { borrowLayer, leaveLayer } from './shared-layer.ts';

const script = fileURLToPath(new URL('./serve-folder.ts', import.meta.url));
const execute = promisify(execFile);

/** Why no ordinary user can run a bridge here: found out by becoming one, who reads this checkout and makes a user namespace. */
export async function whatUsersLack(): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return 'needs root, to become an ordinary user';
  try {
    await execute('unshare', userArguments('', [process.execPath, '--check', script]));
    await execute('unshare', userArguments('', ['unshare', '--user', '--map-root-user', 'true']));
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split('\n')[0];
  }
}

/** A bridge of an ordinary user, with a range of ids or with one, and a folder of its own; gone when disposed. */
export async function startUserBridge(
  ids: 'range' | 'one',
  more: Pick<HostOptions, 'watches'> = {},
): Promise<BridgeAddress & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { options } = stack.use(await makeTestFolder(undefined, { layer: 'own' }));
  const { folder } = options;
  // Its images are links into the cache: they stay their owner's, who lets others read.
  await chown(folder, uid, uid);
  const of = ids === 'range' ? 'overlay-ids' : 'overlay-user';
  await borrowLayer(folder, { of, owner: uid });
  stack.defer(() => leaveLayer(folder, { of }));
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const reachable = async (path: string) => {
    const copy = join(programs, basename(path));
    await copyFile(path, copy);
    await chmod(copy, 0o755);
    return copy;
  };
  const theirs = {
    ...options,
    ...more,
    launcher: await reachable(options.launcher),
    scanner: await reachable(options.scanner),
    spawner: await reachable(options.spawner),
    unpacker: await reachable(options.unpacker),
    watcher: await reachable(options.watcher),
  };
  const subids = join(folder, 'range');
  await writeFile(subids, range);
  const command = [process.execPath, script, JSON.stringify(theirs)];
  const child = spawn('unshare', userArguments(ids === 'range' ? subids : '', command), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: '/tmp' },
  });
  const gone = once(child, 'close');
  stack.defer(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  const said = once(createInterface({ input: child.stdout }), 'line');
  const [line] = await Promise.race([said, gone.then(() => ['{}'])]);
  const owned = stack.move();
  return { ...JSON.parse(line), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
