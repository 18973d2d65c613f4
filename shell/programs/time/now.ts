import type { Timestamp } from '../../../tree/live/file-tree.ts';
import { type TimeZone, zoneOf } from '../../time/time-zone.ts';
import type { ProgramCall } from '../program.ts';

/** The clock that the tree has too. */
export function now(): Timestamp {
  return timestampOf(Date.now());
}

export function timestampOf(milliseconds: number): Timestamp {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: Math.floor((milliseconds - seconds * 1000) * 1_000_000) };
}

/** The zone of a process. */
export function zoneOfCall({ environment }: Pick<ProgramCall, 'environment'>): TimeZone {
  return zoneOf(environment.get('TZ'));
}
