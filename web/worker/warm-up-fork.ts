import type { GoldenSession } from '../../protocol/golden-session.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { Emulator } from '../../runtimes/v86/emulator.ts';
import { noPages } from '../../runtimes/v86/live/lazy-ram.ts';
import { handDevices, receiveDevices } from '../../runtimes/v86/memory-image/handed-devices.ts';
import { putMachine, putRam } from '../../runtimes/v86/memory-image/resume.ts';
import type { SandboxMachine } from '../../sandbox/machine/sandbox-machine.ts';
import { handOverTree } from '../../sandbox/memory/handed-machine.ts';
import { LazyStore } from '../../sandbox/memory/lazy-store.ts';
import { PrecopiedFiles } from '../../sandbox/memory/precopied-files.ts';
import { ObjectSource } from '../../sandbox/object-source.ts';
import { startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { rootIno } from '../../tree/live/tree-snapshot.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import type { NinePState } from '../../tree/ninep/ninep-state.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { sessionState } from './machine/golden-resume.ts';

/** After so many a browser has compiled most of what they call: with 8, a fork took a fifth longer. */
const rounds = 24;

const info: SandboxInfo = {
  ...{ id: 'rehearsal', name: 'rehearsal', image: '', imageDigest: '', runtime: 'v86' },
  ...{ memoryMiB: 0, diskMiB: 1, createdAtMs: 0 },
};

/**
 * Does what going on from another's machine takes, with the emulator's own state, a tree that hardly differs, and a
 * sandbox without a machine, so that the code for it is compiled by the time that somebody waits for it. The emulator
 * is as it was.
 */
export async function warmUpFork(
  emulator: Emulator,
  { tree, source, session }: { tree: SealedTree; source: ImageSource; session: GoldenSession },
): Promise<void> {
  const files = LiveTree.from(tree.snapshot);
  // It looks at the directories that a guest has open, which are not read before.
  const ninep = sessionState(session, files);
  for (let round = 0; round < rounds; round++) {
    rehearseMachine(emulator, { files, ninep });
    await rehearseSandbox(`rehearsal-${round}`, { tree, source });
  }
}

function rehearseMachine(emulator: Emulator, { files, ninep }: { files: LiveTree; ninep: NinePState }): void {
  const server = new NinePServer(files);
  server.restoreState(structuredClone(ninep));
  const devices = structuredClone(handDevices(emulator.devices.save()));
  const times = { clockMs: performance.now(), takenAtMs: Date.now() };
  putRam(emulator, noPages);
  putMachine(emulator, {
    image: { ...times, devices, ninep: server.saveState(), terminals: [] },
    pages: noPages,
    devices: (present) => receiveDevices(devices, { present }),
  });
}

async function rehearseSandbox(
  name: string,
  { tree, source }: { tree: SealedTree; source: ImageSource },
): Promise<void> {
  const changed = LiveTree.from(tree.snapshot);
  changed.create(rootIno, name, { mode: 0o100644, uid: 0, gid: 0 });
  const objects = new ObjectSource(new MemoryStore(), source);
  const files = handOverTree({ tree: changed.snapshot() }, { previous: tree, base: tree, source: objects });
  const refuse = () => Promise.reject(new RangeError('It is a rehearsal'));
  const handed = new PrecopiedFiles().complete({ info, memory: {}, ...files });
  const sandbox = await startLocalSandbox(info, {
    store: await LazyStore.open(handed.objects, refuse),
    handed,
    machineFor: async () => () => noMachine,
    ...{
      source,
      known: tree,
      readOnly: false,
      keepsRunning: true,
      backend: { fork: refuse, openOther: refuse },
      host: { quota: refuse },
    },
  });
  await sandbox.close();
}

const noMachine: SandboxMachine = {
  replaced: 0,
  start: async () => undefined,
  running: () => Promise.reject(new RangeError('It is a rehearsal')),
  sync: async () => false,
  replaceFiles: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
