import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { HostImage } from '../../../protocol/sandbox/backend.ts';
import { type RuntimeName, runtimeNames, type SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { Action } from './actions.ts';
import type { KnownHost } from './known-host.ts';

/** One place where a new sandbox can run, with what it does and costs in a sentence each. */
export interface SandboxChoice {
  /** Unique in the list. */
  readonly key: string;
  readonly title: string;
  readonly place: string;
  readonly can: string;
  readonly costs: string;
  /** Why it cannot be chosen now. */
  readonly unavailable?: string | undefined;
  /** The images to choose from; none where there is one or none. */
  readonly images: readonly HostImage[];
  readonly action: Extract<Action, { type: 'new-sandbox' }>;
}

/** Runtimes of the tab, as they are listed; the first is chosen unless the active pane has another. */
const ofTheTab = runtimeNames.filter((name) => describeRuntime(name)?.runsIn === 'tab');

const unavailable: { readonly [name in RuntimeName]?: string } = {
  webcontainer:
    'Not on this page, whose security policy lets no other site’s code in. A page of your own can have one, by openWebContainers of coppice.js.',
};

/** Where a new sandbox can run: in this tab, and on each host that the page knows. */
export function listChoices(hosts: readonly KnownHost[]): SandboxChoice[] {
  const here = ofTheTab.map((runtime) => choiceOf(runtime, { key: runtime, place: 'in this tab' }));
  if (hosts.length === 0) {
    const none = 'No host is known here. Start a bridge on one, and add it.';
    return [...here, { ...choiceOf('jail', { key: 'jail', place: 'on a host' }), unavailable: none }];
  }
  return [...here, ...hosts.map(onHost)];
}

/** The key of the choice that would make another sandbox like that of the active pane. */
export function choiceLike(
  info: Pick<SandboxInfo, 'runtime'> | undefined,
  bridge: string | undefined,
): string {
  return bridge ?? info?.runtime ?? 'v86';
}

function onHost({ name, bridge, images, problem }: KnownHost): SandboxChoice {
  const choice = choiceOf('jail', { key: bridge.url, place: `on ${name}` });
  return {
    ...choice,
    unavailable: problem,
    images: images.length > 1 ? images : [],
    action: { type: 'new-sandbox', bridge: bridge.url },
  };
}

function choiceOf(
  runtime: RuntimeName,
  { key, place }: { readonly key: string; readonly place: string },
): SandboxChoice {
  const { title = runtime, can = '', costs = '' } = describeRuntime(runtime) ?? {};
  const action = { type: 'new-sandbox', runtime } as const;
  return { key, title, place, can, costs, unavailable: unavailable[runtime], images: [], action };
}
