import { SandboxError } from '../../protocol/errors.ts';
import { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { loadTree } from '../../tree/objects/load-tree.ts';
import { rootMount } from '../../web/runtimes/v86/root-mount.ts';
import { V86Machine } from '../../web/runtimes/v86/v86-machine.ts';
import type { Machine } from '../machine/machine.ts';
import type { SealedRoot } from '../output/seal-root.ts';
import type { Golden } from '../output/write-image.ts';
import type { Profile } from '../profiles/profile.ts';
import type { StepReport } from '../progress.ts';
import { compileV86, v86Version } from './node-v86.ts';
import { TracedObjects } from './traced-objects.ts';

export interface GoldenOptions {
  readonly machine: Machine;
  readonly profile: Profile;
  readonly report: StepReport;
  readonly signal?: AbortSignal | undefined;
}

const shell = { command: ['/bin/bash', '--login'], pty: { columns: 80, rows: 24 }, stdin: true } as const;

/**
 * Boots the machine until init answers, and saves its state. Nothing is mounted then, so the state
 * goes with any tree, and a visitor's machine mounts its own. Then goes on to the shell's prompt,
 * to learn which content a visitor reads at first.
 * @throws machine-failed with the end of the kernel's console, timeout
 */
export async function bootGolden(root: SealedRoot, options: GoldenOptions): Promise<Golden> {
  const { machine, profile, report, signal } = options;
  const objects = new TracedObjects(root.objects);
  const content = new ContentCache(objects);
  const { snapshot } = loadTree(objects, root.tree);
  const server = new NinePServer(LiveTree.from(snapshot, { content }));
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
  const steps = async (): Promise<Golden> => {
    using init = connect(booted);
    await init.client.hello({ signal });
    await init.client.setHostname(profile.hostname, { signal });
    await init.client.dropCaches({ signal });
    const state = new Uint8Array(await booted.saveState());
    report.detail('start the shell');
    objects.startTrace();
    await startShell(init.client, signal);
    return { v86: await v86Version(), state, touched: objects.touched };
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

/** Mounts the tree, runs a login shell to its prompt and ends it. */
async function startShell(init: InitClient, signal: AbortSignal | undefined): Promise<void> {
  await init.mount(rootMount, { signal });
  const ended = Promise.withResolvers<void>();
  const process = await init.exec(
    shell,
    (event) => {
      if (event.type === 'exit') ended.resolve();
    },
    { signal },
  );
  await process.write(Buffer.from('exit\n'));
  await ended.promise;
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
