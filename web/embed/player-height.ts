import { embedLimits } from './limits.ts';

/** How high a player of this width is in a page that does not say: what is beside its terminal is below it where there is no room. */
export function playerHeightPx(widthPx: number): number {
  const { height, narrowBelow, narrowHeight } = embedLimits.playerPx;
  return widthPx < narrowBelow ? narrowHeight : height;
}
