import { z } from 'zod';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { cutText } from '../../sdk/adapters/cut-text.ts';
import type { CandidateReport } from '../../sdk/tournament/tournament-report.ts';
import { type MovedSteps, redoSteps, undoSteps } from '../../sdk/undo/move-steps.ts';
import { notePreviousHead } from '../../sdk/undo/previous-head.ts';
import { undoneTag } from '../../sdk/undo/steps.ts';
import { mcpLimits } from '../limits.ts';
import { type McpTool, mcpTool } from '../mcp-tool.ts';
import { sandboxInput, snapshotInput } from './inputs.ts';
import { cutIn, cutOutput, errorOutput, pendingOutput, textList } from './outputs.ts';

const ends =
  'Everything that runs in the sandbox ends. Answers previousHead, a snapshot of the files before, as the way back.';
const undoRemedy = 'snapshot_list tells the history; takeAll takes back what was changed since as well';
const redoRemedy = `sandbox_checkout to ${undoneTag} goes there, sandbox_merge of it brings both together`;
const label = z.string().min(1).max(256).describe('A word about it, for the history.').exactOptional();
const steps = z.number().int().min(1).max(mcpLimits.listed).default(1).describe('How many steps.');

const snapshotId = z.string();
const snapshotOutput = z.object({
  id: snapshotId,
  parents: textList,
  tags: textList,
  cause: z.looseObject({ type: z.string() }).describe('Why it was taken, such as manual with its label.'),
  takenAtMs: z.number(),
});
/** Where a sandbox was brought, and the way back. */
const moved = {
  head: snapshotId.describe('The snapshot whose files it has now.'),
  previousHead: snapshotId.describe('The files before, as a snapshot.'),
  checkpoint: z.number().optional(),
  unkept: errorOutput.describe('Why not all of what was there is in previousHead.').optional(),
  warning: z.string().describe('What went wrong after it had happened.').optional(),
};
const movedOutput = z.object(moved);
const changeOutput = z.object({
  type: z.string().describe('created, modified, deleted, renamed, or metadata for mode, owner and time.'),
  path: z.string(),
  from: z.string().describe('Where a renamed file was.').optional(),
  sizeBytes: z.number(),
  isDirectory: z.boolean().optional(),
});
const conflictOutput = z.object({ path: z.string(), kind: z.string() });
const stepsOutput = z.object({
  ...moved,
  steps: z.array(snapshotOutput).readonly(),
  changes: z.array(changeOutput).readonly().describe('What differs now from before.'),
  count: z.number().describe('How many changes there are; they may be cut.'),
  settled: z
    .array(conflictOutput)
    .readonly()
    .describe('What was changed since, and is in previousHead only.'),
});
const takeAll = z
  .boolean()
  .describe('Also where what was changed since in the same place is lost with it.')
  .exactOptional();
const candidateOutput = z.object({ name: z.string(), state: z.string(), why: z.string().optional() });

function stepsValue(moved: MovedSteps): MovedSteps & { readonly count: number } {
  const { changes } = moved;
  return { ...moved, changes: changes.slice(0, mcpLimits.listed), count: changes.length };
}

/** Tools that go through the past of a sandbox, and bring sandboxes together. */
export const historyTools: readonly McpTool[] = [
  mcpTool({
    name: 'snapshot_create',
    description: 'Takes a snapshot of all files of a sandbox as they are now, to go back to later.',
    input: z.strictObject({ sandbox: sandboxInput, label }),
    output: snapshotOutput,
    effect: 'add',
    async run({ sandbox: which, ...options }, { sandboxes }) {
      return { value: await (await sandboxes.use(which)).createSnapshot(options) };
    },
  }),
  mcpTool({
    name: 'snapshot_list',
    description:
      'Lists the snapshots of a sandbox, newest first, with their labels and tags, and says which one is HEAD.',
    input: z.strictObject({
      sandbox: sandboxInput,
      count: z.number().int().min(1).max(mcpLimits.listed).default(50).describe('The most that are listed.'),
    }),
    output: z.object({
      head: snapshotId,
      pending: pendingOutput,
      snapshots: z.array(snapshotOutput),
      count: z.number().describe('How many there are.'),
    }),
    effect: 'read',
    async run({ sandbox: which, count }, { sandboxes }) {
      const { snapshots, head, pending } = await (await sandboxes.use(which)).history.get();
      const shown = snapshots.toReversed().slice(0, count);
      return { value: { head, pending, snapshots: shown, count: snapshots.length } };
    },
  }),
  ...(['sandbox_restore', 'sandbox_checkout'] as const).map((name) =>
    mcpTool({
      name,
      description: `Puts all files of a sandbox back to a snapshot${name === 'sandbox_restore' ? ' (the same as sandbox_checkout)' : ''}. ${ends}`,
      input: z.strictObject({ sandbox: sandboxInput, snapshot: snapshotInput }),
      output: movedOutput,
      effect: 'set',
      async run({ sandbox: which, snapshot }, { sandboxes }) {
        const sandbox = await sandboxes.use(which);
        return { value: await notePreviousHead(sandbox, await sandbox.checkout(snapshot)) };
      },
    }),
  ),
  mcpTool({
    name: 'sandbox_undo',
    description: `Takes back the last steps: what changed since HEAD is the first one, if anything did, and each snapshot before is another. ${ends}`,
    input: z.strictObject({ sandbox: sandboxInput, count: steps, takeAll }),
    output: stepsOutput,
    effect: 'change',
    async run({ sandbox: which, ...options }, { sandboxes }) {
      return {
        value: stepsValue(await undoSteps(await sandboxes.use(which), { ...options, remedy: undoRemedy })),
      };
    },
  }),
  mcpTool({
    name: 'sandbox_redo',
    description: `Does again what sandbox_undo took back, if nothing has changed since. ${ends}`,
    input: z.strictObject({ sandbox: sandboxInput, count: steps, takeAll }),
    output: stepsOutput,
    effect: 'change',
    async run({ sandbox: which, ...options }, { sandboxes }) {
      return {
        value: stepsValue(await redoSteps(await sandboxes.use(which), { ...options, remedy: redoRemedy })),
      };
    },
  }),
  mcpTool({
    name: 'sandbox_diff',
    description:
      'Lists which files differ between two snapshots of a sandbox, or between a snapshot and now.',
    input: z.strictObject({
      sandbox: sandboxInput,
      from: snapshotInput.default('HEAD'),
      to: snapshotInput.describe('A snapshot, or "now" for the files as they are.').default('now'),
    }),
    output: z.object({
      changes: z.array(changeOutput),
      count: z.number().describe('How many there are; changes may be cut.'),
      cut: cutOutput,
    }),
    effect: 'read',
    async run({ sandbox: which, from, to }, { sandboxes }) {
      const all = await (await sandboxes.use(which)).diff(from, to);
      const changes = all.slice(0, mcpLimits.listed);
      const lines = changes.map(
        ({ type, path, from }) => `${type}\t${from === undefined ? '' : `${from} -> `}${path}`,
      );
      return {
        value: {
          ...{ changes, count: all.length },
          ...cutIn('changes', { shown: changes.length, all: all.length }),
        },
        text: [...lines, `[${all.length} changes]`].join('\n'),
      };
    },
  }),
  mcpTool({
    name: 'sandbox_merge',
    description: `Brings the changes of a fork, or of a snapshot, into a sandbox: give fromSandbox or snapshot. A conflict changes nothing, and names the files; prefer then says whose are taken. ${ends}`,
    input: z.strictObject({
      sandbox: sandboxInput,
      fromSandbox: z
        .string()
        .min(1)
        .max(256)
        .describe('Name or id of the sandbox that has the changes.')
        .exactOptional(),
      snapshot: snapshotInput.exactOptional(),
      prefer: z.enum(['ours', 'theirs']).describe('Whose file is taken at a conflict.').exactOptional(),
      label,
    }),
    output: z.object({
      ...moved,
      outcome: z.string().describe('merged, fast-forward or up-to-date.'),
      base: snapshotId.describe('The nearest common ancestor.'),
      settled: z.array(conflictOutput).readonly().describe('Conflicts that prefer has settled.'),
    }),
    effect: 'change',
    async run({ sandbox: which, fromSandbox, snapshot, ...options }, { sandboxes }) {
      const from = fromSandbox === undefined ? snapshot : await sandboxes.use(fromSandbox);
      if (from === undefined || (fromSandbox !== undefined && snapshot !== undefined)) {
        throw new SandboxError('invalid-argument', 'Cannot merge: give either fromSandbox or snapshot');
      }
      const sandbox = await sandboxes.use(which);
      return { value: await notePreviousHead(sandbox, await sandbox.merge(from, options)) };
    },
  }),
  mcpTool({
    name: 'sandbox_tournament',
    description:
      'Tries several commands, each in a copy of the sandbox of its own, runs a test after each, and keeps the files of the one that wins. Use it when there are several ways to do something and a test can tell which works.',
    input: z.strictObject({
      sandbox: sandboxInput,
      candidates: z
        .array(z.string().min(1).max(limits.tournamentCommandBytes))
        .min(1)
        .max(limits.tournamentCandidates),
      test: z.string().min(1).max(limits.tournamentCommandBytes).describe('A command; exit code 0 passes.'),
      base: snapshotInput.exactOptional(),
      jobs: z.number().int().min(1).max(limits.tournamentJobs).exactOptional(),
      timeoutMs: z.number().int().min(1).max(limits.tournamentCandidateMs.max).exactOptional(),
      keep: z
        .enum(['head', 'snapshot', 'none'])
        .default('head')
        .describe(
          'What becomes of the files of the winner: those of the sandbox, a snapshot beside, or nothing.',
        ),
    }),
    output: z.object({
      candidates: z.array(candidateOutput),
      winner: z.number().describe('The index of the winner; absent where nobody has won.').optional(),
      snapshot: snapshotId.optional(),
      previousHead: snapshotId.optional(),
      leftOver: textList.describe('Sandboxes that could not be deleted.'),
      durationMs: z.number(),
    }),
    effect: 'change',
    async run({ sandbox: which, ...options }, { sandboxes, signal, progress }) {
      const sandbox = await sandboxes.use(which);
      const onUpdate = (all: readonly CandidateReport[]): void =>
        progress(all.map(({ state }, index) => `${index + 1} ${state}`).join(', '));
      const tournament = await sandbox.tournament({ ...options, signal, onUpdate });
      const { candidates, winner, snapshot, previousHead, leftOver, durationMs } = tournament;
      const reports = candidates.map(({ name, state, why }) => ({ name: cutText(name, 200), state, why }));
      return {
        value: { candidates: reports, winner, snapshot, previousHead, leftOver, durationMs },
        text: tournament.toMarkdown(),
      };
    },
  }),
];
