import type { Printer } from '../output/printer.ts';
import type { Place } from '../place/place.ts';

/**
 * Tells people that what ran in a sandbox has ended, after its files were put at another snapshot. Nothing can have run in one that
 * the command itself has opened in a folder, and programs in a folder with a history run on.
 */
export function noteEnded({ type }: Place, printer: Printer): void {
  if (printer.isJson || (type !== 'served' && type !== 'bridge')) return;
  printer.note('Every process in it has ended; a supervised one starts again');
}
