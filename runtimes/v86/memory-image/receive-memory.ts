import type { DeviceState } from '../live/device-state.ts';
import { receiveDevices } from './handed-devices.ts';
import { type HandedMemory, incomplete, pagesOf } from './handed-memory.ts';
import { assertSameOrigin, type StartMemory } from './load-memory.ts';
import type { MemoryOrigin } from './memory-image.ts';
import type { PrecopiedMachine } from './precopied-machine.ts';

/**
 * What a machine like `origin` goes on from, into which others were put `ahead`.
 * @throws version-mismatch for that of another machine; corrupt-object where something is missing
 */
export function receiveMemory(
  handed: HandedMemory,
  { origin, ahead }: { origin: MemoryOrigin; ahead: PrecopiedMachine | undefined },
): StartMemory {
  assertSameOrigin(handed.origin, origin);
  if (!ahead && handed.edition > 0) throw incomplete('what went ahead of it is not here');
  const before = ahead?.before(handed);
  const devices = (present: DeviceState) => receiveDevices(handed.devices, { present, before });
  return { image: handed, pages: pagesOf(handed), devices };
}
