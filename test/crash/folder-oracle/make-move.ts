import type { Sandbox } from '../../../sdk/sandbox.ts';
import { redoSteps, undoSteps } from '../../../sdk/undo/move-steps.ts';

/** What a command does with a history. */
export type Move =
  | { readonly type: 'commit'; readonly label: string }
  | { readonly type: 'undo'; readonly count: number; readonly takeAll: boolean }
  | { readonly type: 'redo'; readonly count: number; readonly takeAll: boolean }
  /** To one of the snapshots, counted around from the oldest. */
  | { readonly type: 'checkout'; readonly which: number };

export async function makeMove(sandbox: Sandbox, move: Move): Promise<void> {
  if (move.type === 'commit') await sandbox.createSnapshot({ label: move.label, ifChanged: true });
  else if (move.type === 'undo') await undoSteps(sandbox, { ...move, remedy: '' });
  else if (move.type === 'redo') await redoSteps(sandbox, { ...move, remedy: '' });
  else {
    const { snapshots } = await sandbox.history.get();
    const id = snapshots[move.which % snapshots.length]?.id;
    if (id) await sandbox.checkout(id);
  }
}
