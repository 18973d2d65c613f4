import { listenAbort, throwIfAborted } from '../../protocol/abort.ts';
import { copyAncestry } from '../../protocol/copy/copy-ancestry.ts';
import { snapshotNow } from '../../protocol/copy/copy-snapshot.ts';
import { limits } from '../../protocol/limits.ts';
import { resolveSnapshot } from '../../protocol/resolve-snapshot.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { Contest } from './contest.ts';
import { type TournamentFork, TournamentForks, type TournamentHome } from './tournament-forks.ts';
import { tournamentMarkdown } from './tournament-markdown.ts';
import { planTournament, type TournamentOptions, type TournamentPlan } from './tournament-options.ts';
import type { Tournament, TournamentReport } from './tournament-report.ts';

type SnapshotId = SnapshotInfo['id'];

const cannotRun = 'Cannot run the tournament';

/**
 * Forks the sandbox once for each candidate, runs its command and then the test there, and keeps the files of the winner. The sandboxes
 * of losers are ended and deleted as soon as they have lost, all of them before this resolves or rejects. A candidate whose fork
 * cannot be made has failed; where nobody wins, the sandbox stays as it is, and the report says why of each.
 * @throws invalid-argument, limit-exceeded, aborted, not-found (no such base); storage-full where the winner's files cannot be kept
 */
export async function runTournament(home: TournamentHome, options: TournamentOptions): Promise<Tournament> {
  const plan = planTournament(options);
  const { signal, onUpdate } = options;
  throwIfAborted(signal, cannotRun);
  const startedAtMs = Date.now();
  const begin = performance.now();
  const base = await baseOf(home, options);
  const forks = new TournamentForks(home, base);
  let report: Omit<TournamentReport, 'leftOver' | 'durationMs'>;
  try {
    const contest = new Contest({ plan, forks, base, onUpdate, name: forkName(home) });
    const unlisten = listenAbort(signal, () => contest.stop(signal?.reason));
    try {
      await contest.run();
      throwIfAborted(signal, cannotRun);
      const { winner } = contest;
      const kept = winner && (await keepWinner(winner, { home, plan, signal }));
      const { test, judge } = plan;
      report = {
        ...{ base, test, judge: judge.text, startedAtMs, candidates: contest.candidates },
        ...(winner ? { winner: winner.index } : {}),
        ...kept,
      };
    } finally {
      unlisten();
      await contest[Symbol.asyncDispose]();
    }
  } finally {
    await forks[Symbol.asyncDispose]();
  }
  const durationMs = Math.round(performance.now() - begin);
  const whole = { ...report, durationMs, leftOver: forks.leftOver };
  return { ...whole, toMarkdown: () => tournamentMarkdown(whole) };
}

async function baseOf(
  { connection }: TournamentHome,
  { base, memory = false }: TournamentOptions,
): Promise<SnapshotId> {
  if (base === undefined)
    return snapshotNow(connection, 'tournament', memory ? { memory } : { ifChanged: true });
  return resolveSnapshot(await connection.history.get(), base);
}

/** The winner's files become what the plan says. An abort does not end it once HEAD or the tag moves. */
async function keepWinner(
  { fork, snapshot }: { readonly fork: TournamentFork; readonly snapshot: SnapshotId },
  {
    home,
    plan,
    signal,
  }: {
    readonly home: TournamentHome;
    readonly plan: TournamentPlan;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Pick<TournamentReport, 'snapshot' | 'previousHead'>> {
  const { keep } = plan;
  if (keep === 'none') return {};
  const { connection: into } = home;
  const { snapshots } = await into.history.get();
  if (!snapshots.some(({ id }) => id === snapshot)) {
    await copyAncestry(fork.connection, { snapshot, into, onProgress: () => {}, signal });
  }
  throwIfAborted(signal, cannotRun);
  if (keep === 'snapshot') return { snapshot };
  if (keep !== 'head') {
    await into.history.setTag({ name: keep.tag, id: snapshot });
    return { snapshot };
  }
  const { previousHead } = await into.history.checkout({ id: snapshot });
  return { snapshot, previousHead };
}

/** Each has a number after it. */
function forkName({ info }: TournamentHome): string {
  const ending = ' candidate';
  return info.name.slice(0, limits.sandboxNameCharacters - ending.length - 4) + ending;
}
