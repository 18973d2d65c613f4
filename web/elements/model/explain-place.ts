import { describeRuntime } from '../../../protocol/runtime-description.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import type { SandboxModel } from './sandbox-model.ts';

/** Where a sandbox runs, in a word or two, and in sentences why there and what that means. */
export interface PlaceText {
  readonly place: string;
  readonly why: string;
}

/** `undefined` until its info is known. */
export function explainPlace({ state, host }: Pick<SandboxModel, 'state' | 'host'>): PlaceText | undefined {
  if (state.info === undefined) return undefined;
  const { title = state.info.runtime, can = '', costs = '' } = describeRuntime(state.info.runtime) ?? {};
  const place = host === undefined ? 'in this tab' : `on ${plainLine(host.name, 80)}`;
  const reason = state.why ?? `It was made as a ${title.toLowerCase()} ${place}.`;
  return { place, why: `${reason} ${can} ${costs}`.trim() };
}
