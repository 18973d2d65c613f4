import type { RootKind } from '../../../bridge-server/roots/open-root-maker.ts';
import { runsLong } from '../../runs-long.ts';

const runs = runsLong ? Math.ceil(Number(process.env.COPPICE_PROPERTY_RUNS ?? 10_000) / 50) : 4;

/** How many histories of a root are tried, of 50 times as many of a tree. Each mounts, unpacks and reads whole roots: a second or two. */
export function rootRuns(kind: RootKind): number {
  return runsLong || kind === 'overlay' ? runs : runs / 2;
}
/** Of what hangs. The long run unpacks some thousand roots in one test. */
export const rootRunsTimeoutMs: number = runsLong ? 7_200_000 : 240_000;
