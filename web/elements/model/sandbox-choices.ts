import { chosenRuntimes, describeRuntime } from '../../../protocol/runtime-description.ts';
import type { HostImage } from '../../../protocol/sandbox/backend.ts';
import type { RuntimeName, SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
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

/** The first is chosen unless the active pane has another. */
const ofTheTab = chosenRuntimes('tab');
const ofHosts = chosenRuntimes('host');

/** Where a new sandbox can run: in this tab, and on each host that the page knows. */
export function listChoices(hosts: readonly KnownHost[]): SandboxChoice[] {
  const here = ofTheTab.map((runtime) => choiceOf(runtime, { key: runtime, place: 'in this tab' }));
  if (hosts.length > 0) return [...here, ...hosts.flatMap((host) => ofHosts.map(onHost(host)))];
  const unavailable = 'No host is known here. Start a bridge on one, and add it.';
  const there = ofHosts.map((runtime) => choiceOf(runtime, { key: runtime, place: 'on a host' }));
  return [...here, ...there.map((choice) => ({ ...choice, unavailable }))];
}

/** The key of the choice that would make another sandbox like that of the active pane. */
export function choiceLike(
  info: Pick<SandboxInfo, 'runtime'> | undefined,
  bridge: string | undefined,
): string {
  const runtime = info?.runtime ?? ofTheTab[0] ?? '';
  return bridge === undefined ? runtime : keyOnHost(bridge, runtime);
}

/** A bridge makes the first of its host's runtimes where it is told none. */
function onHost({ name, bridge, images, problem }: KnownHost): (runtime: RuntimeName) => SandboxChoice {
  return (runtime) => {
    const key = keyOnHost(bridge.url, runtime);
    const asked = key === bridge.url ? {} : { runtime };
    return {
      ...choiceOf(runtime, { key, place: `on ${name}` }),
      unavailable: problem,
      images: describeRuntime(runtime)?.image && images.length > 1 ? images : [],
      action: { type: 'new-sandbox', bridge: bridge.url, ...asked },
    };
  };
}

/** Sandboxes of runtimes that nobody chooses there count as those of the first. */
function keyOnHost(bridge: string, runtime: string): string {
  const others: readonly string[] = ofHosts.slice(1);
  return others.includes(runtime) ? `${bridge} ${runtime}` : bridge;
}

function choiceOf(
  runtime: RuntimeName,
  { key, place }: { readonly key: string; readonly place: string },
): SandboxChoice {
  const { title = runtime, can = '', costs = '', notInPage } = describeRuntime(runtime) ?? {};
  const action = { type: 'new-sandbox', runtime } as const;
  return { key, title, place, can, costs, unavailable: notInPage, images: [], action };
}
