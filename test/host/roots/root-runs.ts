import { runsLong } from '../../runs-long.ts';

/** How many histories of a root are tried. Each mounts, unpacks and reads whole roots: a second or two. */
export const rootRuns: number = runsLong ? 200 : 4;
export const rootRunsTimeoutMs: number = 120_000 + rootRuns * 10_000;
