import { deltaOfMoment } from '../../sandbox/memory/delta-of-moment.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { rootIno } from '../../tree/live/tree-snapshot.ts';
import { applyTreeDelta } from '../../tree/objects/apply-tree-delta.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { decodeTreeDelta } from '../../tree/objects/tree-delta.ts';
import type { Emulator } from '../runtimes/v86/emulator.ts';
import { handDevices } from '../runtimes/v86/memory-image/handed-devices.ts';
import { putAt } from '../runtimes/v86/memory-image/resume.ts';

/** After so many a browser has compiled most of what they call. */
const rounds = 8;

/**
 * Does what going on from another's machine takes, with the emulator's own state and a tree that hardly differs, so
 * that the code for it is compiled by the time that somebody waits for it. The emulator is as it was.
 */
export function rehearseFork(emulator: Emulator, tree: SealedTree): void {
  for (let round = 0; round < rounds; round++) {
    const devices = structuredClone(handDevices(emulator.devices.save()));
    const times = { clockMs: performance.now(), takenAtMs: Date.now() };
    const ninep = {
      version: 1,
      messageBytes: 0,
      fids: new Float64Array(),
      names: [],
      xattrs: [],
      locks: [],
    } as const;
    putAt(emulator, { image: { ...times, devices, ninep, terminals: [] }, pages: new Map() });
    const changed = LiveTree.from(tree.snapshot);
    changed.create(rootIno, `rehearsal-${round}`, { mode: 0o100644, uid: 0, gid: 0 });
    const { sealed } = sealTree(changed.snapshot(), tree);
    const { delta } = deltaOfMoment(sealed.snapshot, { sealed, base: tree });
    applyTreeDelta(decodeTreeDelta(delta.bytes), tree);
  }
}
