import { FileAssets } from '../../../host/images/file-assets.ts';
import { type GoldenSession, parseGoldenSession } from '../../../protocol/golden-session.ts';
import { machineManifest } from '../../../protocol/image-manifest.ts';
import { ImageSource } from '../../../protocol/image-source.ts';
import { limits } from '../../../protocol/limits.ts';
import type { LoadedMemory } from '../../../runtimes/v86/memory-image/load-memory.ts';
import type { MemoryOrigin } from '../../../runtimes/v86/memory-image/memory-image.ts';
import { ObjectSource } from '../../../sandbox/object-source.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import { GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { memoryOrigin } from '../../../web/worker/machine/memory-origin.ts';
import { builtImage } from '../../fixtures/built-image.ts';
import { type WatchedModule, watchedModule } from './watched-module.ts';

/** What a guest is made of; the same for any number of them. */
export interface GuestParts {
  readonly memoryMiB: number;
  readonly hostname: string;
  readonly bios: ArrayBuffer;
  readonly vgaBios: ArrayBuffer;
  readonly kernel: ArrayBuffer;
  readonly initramfs: ArrayBuffer;
  /** The golden state. */
  readonly state: ArrayBuffer;
  readonly session: GoldenSession;
  readonly watched: WatchedModule;
  readonly origin: MemoryOrigin;
  /** The image's objects, behind those of `store`. */
  readonly source: (store: MemoryStore) => ObjectSource;
  /** The image's tree. */
  readonly tree: ObjectId;
  readonly makeTree: () => LiveTree;
}

/** Reads them from the built image and the installed v86. */
export async function readGuestParts(): Promise<GuestParts> {
  const built = await builtImage('debian');
  const manifest = machineManifest(built.manifest);
  if (!manifest.golden) throw new Error('The image has no golden state');
  const assets = new FileAssets(built.folder);
  const image = await ImageSource.open(manifest, assets);
  const source = new ObjectSource(new MemoryStore(), image);
  return {
    memoryMiB: manifest.memoryMiB,
    hostname: manifest.hostname,
    bios: await assets.content(manifest.bios),
    vgaBios: await assets.content(manifest.vgaBios),
    kernel: await assets.content(manifest.kernel),
    initramfs: await assets.content(manifest.initramfs),
    state: await assets.content(manifest.golden),
    session: parseGoldenSession(new TextDecoder().decode(await assets.content(manifest.golden.session))),
    watched: await watchedModule(),
    origin: memoryOrigin(manifest, { image: manifest.tree, memoryMiB: manifest.memoryMiB }),
    source: (store) => new ObjectSource(store, image),
    tree: manifest.tree,
    makeTree: () =>
      LiveTree.from(source.loadTree(manifest.tree).sealed.snapshot, {
        content: new ContentCache(source, { budgetBytes: limits.contentCacheBytes }),
        totalBytes: 1024 * 1024 * 1024,
        totalInodes: limits.inodes,
      }),
  };
}

/** A guest of the tab's own code in this process, at its golden prompt, that can be rewound. */
export async function openGuest(
  given?: GuestParts,
  from: { tree?: LiveTree; memory?: LoadedMemory } = {},
): Promise<GuestMachine> {
  const { watched, state, makeTree, ...parts } = given ?? (await readGuestParts());
  return GuestMachine.start(from.tree ?? makeTree(), {
    resume: true,
    memory: from.memory,
    onFailure: (error) => console.error(error),
    parts: {
      ...parts,
      ...watched,
      start: { type: 'restore', state: { bytes: state } },
    },
  });
}

/** The same, booted with another amount of RAM than the golden state has. */
export async function bootGuest(
  given: GuestParts,
  { memoryMiB }: { memoryMiB: number },
): Promise<GuestMachine> {
  const { watched, kernel, initramfs, makeTree, ...parts } = given;
  return GuestMachine.start(makeTree(), {
    onFailure: (error) => console.error(error),
    parts: {
      ...parts,
      ...watched,
      memoryMiB,
      session: undefined,
      start: { type: 'boot', kernel, initramfs },
    },
  });
}

/** Runs a command to its end. Resolves to what it printed. */
export async function run(guest: GuestMachine, command: string): Promise<string> {
  const process = startProcess(guest, command);
  await process.ended;
  return process.output();
}

/** A process, what it has printed so far, and its end. */
export function startProcess(
  guest: GuestMachine,
  command: string,
): { started: Promise<unknown>; ended: Promise<void>; output: () => string } {
  const ended = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let output = '';
  const started = guest.init.exec({ command }, (event) => {
    if (event.type === 'exit') ended.resolve();
    else output += decoder.decode(event.bytes, { stream: true });
  });
  started.catch(ended.reject);
  return { started, ended: ended.promise, output: () => output };
}
