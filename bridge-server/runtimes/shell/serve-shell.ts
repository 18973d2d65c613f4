// The process of one open sandbox of runtime `shell`: composition root. It ends with its bridge.
import { statfs, writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { hashNatively } from '../../../host/native-hash.ts';
import { limits } from '../../../protocol/limits.ts';
import { serveWire } from '../../../protocol/wire/server/serve-wire.ts';
import { shellDriver } from '../../../runtimes/shell/shell-driver.ts';
import { LocalBackend } from '../../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../../sandbox/backend/memory-host.ts';
import type { FilesDriver } from '../../../sandbox/backend/runtime-driver.ts';
import { startProgramWorker } from '../../../shell/node/start-program-worker.ts';
import { AddressPolicy } from '../../network/address-policy.ts';
import { fetchWithin } from '../../network/fetch-within.ts';
import { cloneHostStore } from '../../stores/clone-host-store.ts';
import { deleteHostStore, openHostStore } from '../../stores/open-host-store.ts';
import { askedRecords, sendMessage } from './host-messages.ts';
import { type ShellSettings, shellDescriptors } from './shell-settings.ts';
import { streamTransport } from './stream-transport.ts';

/** In a thread of its own: a script that never ends holds this one. */
const endWithBridge = `
  const { Socket } = require('node:net');
  new Socket({ fd: ${shellDescriptors.life} }).on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
`;

const { stores, resources, git } = JSON.parse(process.argv[2] ?? '{}') as ShellSettings;
new Worker(endWithBridge, { eval: true });
hashNatively();
// Whatever asks a server in this process asks through it.
globalThis.fetch = fetchWithin(new AddressPolicy(git));

const quota = async () => {
  const { blocks, bavail, bsize } = await statfs(stores);
  return { usageBytes: (blocks - bavail) * bsize, quotaBytes: blocks * bsize, persisted: true };
};
const clientGitServers = git === undefined ? [] : undefined;
const driver = {
  ...shellDriver({ quota, clientGitServers, startWorker: startProgramWorker }),
  resources,
};
const host = streamTransport(new Socket({ fd: shellDescriptors.host }));
const backend = new LocalBackend({
  drivers: [driver],
  canExpire: true,
  records: askedRecords(host),
  openStore: (id, options) => openHostStore(stores, id, options),
  cloneStore: (id, options) => cloneHostStore(stores, id, options),
  deleteStore: (id) => deleteHostStore(stores, id),
});
// Before the bridge has a sandbox for it. What was compiled is kept now, as this process is killed when its sandbox is closed.
await warmUp(driver);
flushCompileCache();
// The bridge, which answers for all, goes first, and is not what a host that is out of memory ends.
setPriority(limits.shellNice);
await writeFile('/proc/self/oom_score_adj', String(limits.shellOomScore)).catch(() => undefined); // Not on every host.
serveWire(streamTransport(new Socket({ fd: shellDescriptors.wire })), {
  backend,
  onFailure: (error) => console.error('A sandbox did not close:', error),
});
sendMessage(host, { pong: 0 });

/** Runs a command in a sandbox in memory: the first of a process takes ten times as long as the next. */
async function warmUp(shells: FilesDriver): Promise<void> {
  const sandbox = await new LocalBackend(new MemoryHost(shells)).create({}, () => {});
  const over = Promise.withResolvers<void>();
  await sandbox.processes.exec({ command: 'ls / | wc -l > /tmp/file' }, ({ type }) => {
    if (type === 'exit') over.resolve();
  });
  await over.promise;
  await sandbox.close();
}
