import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { V86Machine } from '../../web/runtimes/v86/v86-machine.ts';
import type { Machine } from '../machine/machine.ts';
import type { SealedRoot } from '../output/seal-root.ts';
import type { Golden } from '../output/write-image.ts';
import type { Profile } from '../profiles/profile.ts';
import type { StepReport } from '../progress.ts';
import { compileV86, v86Version } from './node-v86.ts';

export interface GoldenOptions {
  readonly machine: Machine;
  readonly profile: Profile;
  readonly report: StepReport;
}

/**
 * Boots the machine until init answers, and saves its state. Nothing is mounted then, so the state
 * goes with any tree, and a visitor's machine mounts its own.
 * @throws machine-failed with the end of the kernel's console, timeout
 */
export async function bootGolden(_root: SealedRoot, options: GoldenOptions): Promise<Golden> {
  const { machine, profile, report } = options;
  const server = new NinePServer(new LiveTree());
  report.detail('boot');
  await using booted = await V86Machine.start({
    instantiate: await compileV86(),
    bios: buffer(machine.bios),
    vgaBios: buffer(machine.vgaBios),
    memoryMiB: profile.memoryMiB,
    start: { type: 'boot', kernel: buffer(machine.kernel), initramfs: buffer(machine.initramfs) },
    ninep: (request) => server.handle(request),
  });
  await waitForInit(booted);
  const state = new Uint8Array(await booted.saveState());
  return { v86: await v86Version(), state, touched: new Set() };
}

/** Resolves when init has said its first word. */
async function waitForInit(machine: V86Machine): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    reject(
      new SandboxError(
        'timeout',
        `The guest did not start its init in time. Its console ends: ${machine.console.tail.slice(-2000)}`,
      ),
    );
  }, limits.bootTimeoutMs);
  machine.onFailure = reject;
  machine.port.receive = () => resolve();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
