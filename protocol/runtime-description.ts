import { type Architecture, tabArchitecture } from './architecture.ts';
import type { RuntimeName, SandboxInfo } from './sandbox/sandbox-info.ts';

/** What a runtime can do and what running there costs. A host may offer less of it; `SandboxInfo` says what one sandbox has. */
export interface RuntimeDescription {
  /** What people call the place where it runs. */
  readonly place: string;
  /** Whether processes can have terminals. */
  readonly pty: boolean;
  /** Whether the running machine can be put back to an earlier instant, with memory and processes. */
  readonly checkpoints: boolean;
  /** Whether a sandbox begins with the tree of an image; otherwise all of its files are its own. */
  readonly image: boolean;
  /** The most that a sandbox can reach. */
  readonly network: NonNullable<SandboxInfo['network']>;
  /** The processors whose programs it runs. A host that lacks one of them says so when an image for it is loaded. */
  readonly architectures: readonly Architecture[];
  /** Whether other sandboxes can run inside one. */
  readonly nested: boolean;
  /** How many times as long as natively a program takes (docs/guides/move-work.md). */
  readonly slowdown: number;
}

/** Names without a description are reserved. */
const descriptions: { readonly [Name in RuntimeName]?: RuntimeDescription } = {
  v86: {
    place: 'this tab',
    pty: true,
    checkpoints: true,
    image: true,
    network: 'isolated',
    architectures: [tabArchitecture],
    nested: false,
    slowdown: 30,
  },
  shell: {
    place: 'this shell',
    pty: true,
    checkpoints: false,
    image: false,
    network: 'isolated',
    architectures: [],
    nested: false,
    slowdown: 1,
  },
  webcontainer: {
    place: 'this WebContainer',
    pty: true,
    checkpoints: false,
    image: false,
    network: 'isolated',
    architectures: [],
    nested: false,
    slowdown: 3,
  },
  jail: {
    place: 'this place',
    pty: true,
    checkpoints: false,
    image: true,
    network: 'full',
    architectures: ['i386', 'amd64'],
    nested: true,
    slowdown: 1,
  },
};

/** The description of a runtime; `undefined` for one that only a newer peer knows. */
export function describeRuntime(name: RuntimeName): RuntimeDescription | undefined {
  return Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
}
