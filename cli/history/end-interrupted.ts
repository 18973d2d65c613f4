import { SandboxError } from '../../protocol/errors.ts';
import { ancestorsOf } from '../../sdk/undo/ancestors.ts';
import { notePreviousHead } from '../../sdk/undo/previous-head.ts';
import { keptLabel, undoneTag } from '../../sdk/undo/steps.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { changeLine } from '../compare/change-lines.ts';
import { Style } from '../output/style.ts';
import { withQuestion } from './ask-to-take-all.ts';
import { snapshotTitle } from './describe-snapshot.ts';
import { findSnapshot } from './references.ts';
import { shortId } from './snapshot-value.ts';

/** Ends a write to a folder that was interrupted, or takes back what it has done: what was changed since stays. @throws not-found, conflict */
export async function endInterrupted(
  which: 'continue' | 'abort',
  options: SharedOptions & { readonly takeAll?: boolean },
  cli: Cli,
): Promise<void> {
  await using opened = await cli.openSandbox({ ...options, endsInterrupted: true });
  const { sandbox, place } = opened;
  const { interrupted } = place;
  if (!interrupted) throw new SandboxError('not-found', `Nothing was interrupted: nothing to ${which}`);
  const [from, to] =
    which === 'continue' ? [interrupted.from, interrupted.to] : [interrupted.to, interrupted.from];
  // What the interrupted write has left, and what was changed since.
  await sandbox.createSnapshot({ ifChanged: true, label: keptLabel });
  const changes = [{ from: from.id, to: to.id }];
  const result = await withQuestion(options, cli, ({ takeAll }) =>
    sandbox.applyChanges({
      changes,
      onto: [to.id],
      label: keptLabel,
      ...(takeAll ? { prefer: 'theirs' as const } : {}),
    }),
  );
  const view = await sandbox.history.get();
  const wentBack = ancestorsOf(view, interrupted.from.id).some(({ id }) => id === interrupted.to.id);
  if (which === 'continue' && wentBack) await sandbox.history.setTag(undoneTag, interrupted.from.id);
  const left = which === 'continue' ? interrupted.from.id : result.previousHead;
  const moved = await notePreviousHead(sandbox, { ...result, previousHead: left });
  const changed = await sandbox.diff(result.previousHead, result.head);
  const printer = cli.printer(options);
  const style = new Style(cli.context);
  const stays = moved.head === to.id ? '' : ', with what was changed since';
  printer.result({ ...moved, changes: changed }, () =>
    [
      ...changed.map((change) => changeLine(change, style)),
      `HEAD is ${shortId(moved.head)} now: ${snapshotTitle(findSnapshot(view, to.id))}${stays}`,
    ].join('\n'),
  );
  printer.warn(moved);
}
