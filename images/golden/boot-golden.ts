import type { StepReport } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { GoldenSession } from '../../protocol/golden-session.ts';
import { InitClient } from '../../protocol/init/init-client.ts';
import type { CallOptions } from '../../protocol/init/pending-requests.ts';
import { limits } from '../../protocol/limits.ts';
import { loginShell } from '../../protocol/sandbox/processes.ts';
import { rootMount } from '../../runtimes/v86/root-mount.ts';
import { V86Machine } from '../../runtimes/v86/v86-machine.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { pathsOf } from '../../tree/live/paths.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { listFids } from '../../tree/ninep/ninep-state.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import type { Machine } from '../machine/machine.ts';
import type { SealedRoot } from '../output/seal-root.ts';
import type { Golden } from '../output/write-image.ts';
import type { Profile } from '../profiles/profile.ts';
import { compileV86, v86Version } from './node-v86.ts';
import { TracedObjects } from './traced-objects.ts';

export interface GoldenOptions {
  readonly machine: Machine;
  readonly profile: Profile;
  readonly report: StepReport;
  readonly signal?: AbortSignal | undefined;
}

const shell = { command: loginShell, pty: { columns: 80, rows: 24 }, stdin: true } as const;
const promptEnd = '$ ';

/**
 * Boots the machine to a login shell at its prompt and saves its state: what every visitor starts
 * from, and every later state of a sandbox that has not changed what the shell builds on. Notes
 * which content was read on the way from init to the prompt.
 * @throws machine-failed with the end of the kernel's console, timeout
 */
export async function bootGolden(root: SealedRoot, options: GoldenOptions): Promise<Golden> {
  const { machine, profile, report, signal } = options;
  const objects = new TracedObjects(root.objects);
  const content = new ContentCache(objects);
  const { snapshot } = loadTree(objects, root.tree);
  const tree = LiveTree.from(snapshot, { content });
  const server = new NinePServer(tree);
  report.detail('boot the kernel');
  await using booted = await V86Machine.start({
    instantiate: await compileV86(),
    bios: buffer(machine.bios),
    vgaBios: buffer(machine.vgaBios),
    memoryMiB: profile.memoryMiB,
    start: { type: 'boot', kernel: buffer(machine.kernel), initramfs: buffer(machine.initramfs) },
    ninep: (request) => server.handle(request),
  });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  booted.onFailure = reject;
  // A host that is busy with something else has no other bound than that of the whole boot.
  const call: CallOptions = { signal, timeoutMs: limits.bootTimeoutMs };
  const steps = async (): Promise<Golden> => {
    using init = connect(booted);
    await init.client.hello(call);
    await init.client.setHostname(profile.hostname, call);
    await init.client.dropCaches(call);
    report.detail('start the shell');
    objects.startTrace();
    const shown = await startShell(init.client, call);
    const touched = new Set(objects.touched);
    // Twice: what the first round lets go of is what the second finds unused.
    for (let round = 0; round < 2; round++) await init.client.dropCaches(call);
    assertUnchanged(tree, snapshot);
    const state = new Uint8Array(await booted.saveState());
    return { v86: await v86Version(), state, session: describeSession(server, { tree, shown }), touched };
  };
  const deadline = AbortSignal.timeout(limits.bootTimeoutMs);
  deadline.addEventListener('abort', () =>
    reject(new SandboxError('timeout', 'The machine did not start in time')),
  );
  // Awaited here: the machine lives until this function ends.
  return await Promise.race([steps(), failed]).catch((cause: unknown) => {
    const { code, message } = SandboxError.from(cause);
    const tail = booted.console.tail.slice(-2000).trim();
    throw new SandboxError(code, `${message}${tail && `. The guest's console ends:\n${tail}`}`, { cause });
  });
}

function connect({ port }: V86Machine): Disposable & { readonly client: InitClient } {
  const client = new InitClient(port);
  return { client, [Symbol.dispose]: () => client.close('the image is done') };
}

/** Mounts the tree and starts a login shell; resolves at its prompt, to what its terminal shows. */
async function startShell(init: InitClient, call: CallOptions): Promise<Uint8Array> {
  await init.mount(rootMount, call);
  const ready = Promise.withResolvers<Uint8Array>();
  let shown = Buffer.alloc(0);
  // Not given the signal: the shell outlives this function, in the state.
  await init.exec(shell, (event) => {
    if (event.type === 'exit') {
      ready.reject(new SandboxError('machine-failed', `The shell ended with exit code ${event.exitCode}`));
      return;
    }
    shown = Buffer.concat([shown, event.bytes]);
    if (shown.toString('latin1').endsWith(promptEnd)) ready.resolve(shown);
  });
  return ready.promise;
}

/** A first start that wrote to the disk would make the state fit no tree but its own. */
function assertUnchanged(tree: LiveTree, before: TreeSnapshot): void {
  const changed = [...tree.changedSince(before)].flatMap((ino) => pathsOf(ino, (at) => tree.inode(at)));
  if (changed.length === 0) return;
  throw new SandboxError('internal', `Starting the machine changed ${changed.slice(0, 5).join(', ')}`);
}

function describeSession(
  server: NinePServer,
  { tree, shown }: { tree: LiveTree; shown: Uint8Array },
): GoldenSession {
  const state = server.saveState();
  if (state.xattrs.length > 0 || state.locks.length > 0) {
    throw new SandboxError('internal', 'The shell holds a lock or an attribute');
  }
  const fids = listFids(state).map((fid) => {
    const [path] = pathsOf(fid.ino, (at) => tree.inode(at));
    if (path !== undefined) return { ...fid, path };
    throw new SandboxError('internal', 'The shell holds a file that was removed');
  });
  return { version: 1, messageBytes: state.messageBytes, fids, shown: Buffer.from(shown).toString('base64') };
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
