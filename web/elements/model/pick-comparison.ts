import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import { findRow } from './history-rows.ts';
import type { SandboxModel } from './sandbox-model.ts';
import type { SandboxState } from './sandbox-state.ts';

/** Two trees to compare, older first. `from` is `undefined` for the first snapshot, which has no changes. */
export interface Comparison {
  readonly from: TreeRef | undefined;
  readonly to: TreeRef;
  /** The sandbox of `from`, if it is not that of `to`. */
  readonly beside?: SandboxModel;
}

/**
 * The pair that the changes panel compares: the marked snapshot with the selected one, the selected one with now,
 * or a row of the history with the one before it. Now itself is compared with HEAD. With `beside`, the other pane's
 * marked or selected snapshot is compared with the one selected here.
 */
export function pickComparison(state: SandboxState, beside?: SandboxModel): Comparison {
  const { selected, marked, comparing, history } = state;
  if (comparing === 'beside' && beside?.state.history !== undefined) {
    return { from: beside.state.marked ?? beside.state.selected, to: selected, beside };
  }
  if (comparing === 'marked' && marked !== undefined && marked !== selected) {
    return { from: marked, to: selected };
  }
  if (selected === 'now') return { from: history?.head, to: 'now' };
  if (comparing === 'since') return { from: selected, to: 'now' };
  return { from: findRow(state, selected)?.parents[0], to: selected };
}
