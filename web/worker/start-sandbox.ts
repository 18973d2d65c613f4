import { SandboxError } from '../../protocol/errors.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { BlockCodec } from '../../runtimes/v86/memory-image/block-codec.ts';
import type { HandedMemory } from '../../runtimes/v86/memory-image/handed-memory.ts';
import { type LoadedMemory, loadMemory } from '../../runtimes/v86/memory-image/load-memory.ts';
import { receiveMemory } from '../../runtimes/v86/memory-image/receive-memory.ts';
import type { LocalSandbox } from '../../sandbox/local-sandbox.ts';
import { type MachineStart, type StartParts, startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { diffTrees } from '../../tree/objects/diff-trees.ts';
import { fetchAhead } from './assets/fetch-ahead.ts';
import { canResume } from './machine/golden-resume.ts';
import type { MachineParts } from './machine/guest-machine.ts';
import { MachineSlot } from './machine/machine-slot.ts';

export type SandboxParts = Omit<StartParts, 'machineFor' | 'afterStart' | 'source'> & {
  readonly source: ImageSource;
  readonly machine: MachineParts;
  /** Fetches what the first commands read. */
  readonly prefetch: () => Promise<void>;
  /** Keeps the image for use without network, telling how far it is; the signal ends it. */
  readonly keepOffline: (
    onProgress: (doneBytes: number, totalBytes: number) => void,
    signal: AbortSignal,
  ) => Promise<void>;
};

/**
 * Starts a sandbox in v86, in this worker. The store is the sandbox's once this resolves, and stays
 * the caller's when it rejects.
 * @throws missing-object, corrupt-object, machine-failed, timeout
 */
export function startSandbox(info: SandboxInfo, parts: SandboxParts): Promise<LocalSandbox> {
  const { machine, prefetch, keepOffline, ...rest } = parts;
  return startLocalSandbox(info, {
    ...rest,
    goesOnFromMemory: machine.origin !== undefined && machine.openKernels !== undefined,
    machineFor: async (start) => {
      const { tree, memory, source } = start;
      const { handed } = start;
      const resume = !handed && (await mayResume(start, { machine, image: parts.source.tree }));
      const read = (id: ObjectId) => readMemory(id, { source, machine });
      const ahead = machine.takeAhead?.();
      const received =
        handed && machine.origin && receiveMemory(handed as HandedMemory, { origin: machine.origin, ahead });
      if (!received) ahead?.takeBack();
      return (told) =>
        new MachineSlot(tree, { parts: machine, resume, memory, received, loadMemory: read, told });
    },
    afterStart: ({ signal, onOffline }) =>
      fetchAhead({
        // What a fork reads next its parent has mostly read: its guest has that.
        prefetch: parts.handed ? async () => undefined : prefetch,
        keepOffline: () => keepOffline(onOffline, signal),
        signal,
      }),
  });
}

/** @throws unsupported, and what `loadMemory` throws */
function readMemory(
  id: ObjectId,
  { source, machine }: Pick<MachineStart, 'source'> & { machine: MachineParts },
): LoadedMemory {
  const { origin, openKernels } = machine;
  if (!origin || !openKernels)
    throw new SandboxError('unsupported', 'This machine does not go on from memory');
  const codec = new BlockCodec(openKernels);
  return loadMemory(id, { origin, codec, read: (object) => source.read(object) });
}

/** Looks at what differs between the image and HEAD; too much to look at is too much to go on with. */
async function mayResume(
  { source, head }: MachineStart,
  { machine, image }: { machine: MachineParts; image: ObjectId },
): Promise<boolean> {
  const { session } = machine;
  if (!session) return false;
  const { changes, truncated } = await diffTrees(async (id) => source.read(id), image, head);
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  return !truncated && canResume(session, paths);
}
