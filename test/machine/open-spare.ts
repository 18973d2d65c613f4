import { Emulator, type EmulatorParts } from '../../runtimes/v86/emulator.ts';
import { PrecopiedMachine } from '../../runtimes/v86/memory-image/precopied-machine.ts';
import type { WatchedModule } from './live/watched-module.ts';

/** A machine at the golden state, as it stands ready in a worker, and what can be put ahead into it; the caller's to dispose. */
export async function openSpare(
  parts: EmulatorParts & Pick<WatchedModule, 'marks'>,
  state: ArrayBuffer,
): Promise<{ spare: Emulator; ahead: PrecopiedMachine }> {
  const spare = await Emulator.open(parts);
  await spare.restore({ bytes: state });
  if (parts.marks) spare.watch(parts.marks, () => spare.restored?.keys() ?? []);
  return { spare, ahead: new PrecopiedMachine(spare) };
}
