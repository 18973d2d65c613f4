import { expect, test } from 'vitest';
import { openTestCli } from '../../cli/test-context.ts';
import { runsLong } from '../runs-long.ts';
import { runWorld } from './folder-oracle/run-world.ts';

/** 50 in `npm test`; `npm run test:long` makes 2,000. */
const rounds = Number(process.env.COPPICE_FOLDER_ROUNDS ?? (runsLong ? 2_000 : 50));
const seed = Number(process.env.COPPICE_FOLDER_SEED ?? Date.now() % 1_000_000);
const roundsInWorld = 25;

test(`R-12 whatever a person, an agent, undo, redo, checkouts, kills, full disks, mounts and rules do to a folder, each byte is there or in a snapshot: ${rounds} rounds of seed ${seed}`, {
  timeout: 7_200_000,
}, async () => {
  await using cli = await openTestCli({ isEmpty: true });
  const outcomes = new Map<string, number>();
  const onOutcome = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  for (let world = 0; world * roundsInWorld < rounds; world++) {
    const inWorld = Math.min(roundsInWorld, rounds - world * roundsInWorld);
    await runWorld({ seed: seed + world, rounds: inWorld, cli, onOutcome });
  }
  console.info(`seed ${seed}:`, Object.fromEntries([...outcomes].sort()));
  expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(rounds);
});
