import { type Architecture, tabArchitecture } from './architecture.ts';
import { limits } from './limits.ts';

/** What a runtime can do and what running there costs. A host may offer less of it; `SandboxInfo` says what one sandbox has. */
export interface RuntimeDescription {
  /** What people call the place where it runs. */
  readonly place: string;
  /** Its name in a list of choices. */
  readonly title: string;
  /** Whether it runs in the page that shows it, or on a host. */
  readonly runsIn: 'tab' | 'host';
  /** Whether a person chooses it for a new sandbox; otherwise the command alone makes one. */
  readonly isChosen: boolean;
  /** Why the page of Coppice cannot run it, in sentences; absent where it can, and on hosts. */
  readonly notInPage?: string;
  /** What can be done in it, in a sentence. */
  readonly can: string;
  /** What it takes and what it lacks, in a sentence. */
  readonly costs: string;
  /** Whether processes can have terminals. */
  readonly pty: boolean;
  /** Whether the running machine can be put back to an earlier instant, with memory and processes. */
  readonly checkpoints: boolean;
  /** Whether a sandbox begins with the tree of an image; otherwise all of its files are its own. */
  readonly image: boolean;
  /** Whether programs are processes of a Linux kernel; otherwise they are functions of the runtime. */
  readonly linux: boolean;
  /** Whether programs run behind walls of the sandbox; otherwise they are the host's, and a checkout leaves them running. */
  readonly confines: boolean;
  /** Whether its files are on a disk of its host, where those that are in no snapshot yet stay past its end. */
  readonly filesOnHost: boolean;
  /** Whether programs can listen on ports that a preview can show. */
  readonly previews: boolean;
  /** Whether only the kernel's log says that it killed a program for want of memory; otherwise its result does. */
  readonly logsMemoryKills: boolean;
  /** The user's home directory. */
  readonly home: string;
  /** The most that a sandbox can reach. */
  readonly network: 'isolated' | 'full';
  /** The most of each that a sandbox can have, unless its backend says otherwise. */
  readonly most: { readonly memoryMiB: number; readonly diskMiB: number };
  /** The processors whose programs it runs. A host that lacks one of them says so when an image for it is loaded. */
  readonly architectures: readonly Architecture[];
  /** Whether other sandboxes can run inside one. */
  readonly nested: boolean;
  /** How many times as long as natively a program takes (docs/guides/move-work.md). */
  readonly slowdown: number;
}

const inTab = { memoryMiB: limits.memoryMiB.max, diskMiB: limits.diskMiB.max };
const onHost = { memoryMiB: limits.hostMemoryMiB.max, diskMiB: limits.hostDiskMiB.max };

export type DescribedRuntime = 'v86' | 'shell' | 'webcontainer' | 'jail' | 'folder';

/** One row for each runtime, those of tabs first, in the order in which they are offered. */
export const runtimes: Readonly<Record<DescribedRuntime, RuntimeDescription>> = {
  v86: {
    place: 'this tab',
    title: 'Machine',
    runsIn: 'tab',
    isChosen: true,
    can: 'A Debian with its own kernel, compilers and Python; it goes back with its running programs.',
    costs: 'It takes 128 MiB of memory, is about 30 times slower than a host, and has no network.',
    pty: true,
    checkpoints: true,
    image: true,
    linux: true,
    confines: true,
    filesOnHost: false,
    previews: true,
    logsMemoryKills: true,
    home: '/home/user',
    network: 'isolated',
    most: inTab,
    architectures: [tabArchitecture],
    nested: false,
    slowdown: 30,
  },
  shell: {
    place: 'this shell',
    title: 'Shell',
    runsIn: 'tab',
    isChosen: true,
    can: 'Bash with files, text tools and git, there at once.',
    costs: 'It takes almost nothing. It has no Linux: no compilers, no Python, no programs of your own.',
    pty: true,
    checkpoints: false,
    image: false,
    linux: false,
    confines: true,
    filesOnHost: false,
    previews: false,
    logsMemoryKills: false,
    home: '/home/user',
    network: 'isolated',
    most: inTab,
    architectures: [],
    nested: false,
    slowdown: 1,
  },
  webcontainer: {
    place: 'this WebContainer',
    title: 'WebContainer',
    runsIn: 'tab',
    isChosen: true,
    notInPage:
      'Not on this page, whose security policy lets no other site’s code in. A page of your own can have one, by openWebContainers of coppice.js.',
    can: 'Node.js and npm in the tab.',
    costs: 'It loads code of its maker’s site, and has no Linux beside Node.js.',
    pty: true,
    checkpoints: false,
    image: false,
    linux: false,
    confines: true,
    filesOnHost: false,
    previews: true,
    logsMemoryKills: false,
    home: '/home',
    network: 'isolated',
    most: inTab,
    architectures: [],
    nested: false,
    slowdown: 3,
  },
  jail: {
    place: 'this place',
    title: 'Jail',
    runsIn: 'host',
    isChosen: true,
    can: 'A Debian at the speed of the host, with 64-bit programs and as much memory as the host gives.',
    costs: 'It needs a Linux host with a bridge; its files are on that host.',
    pty: true,
    checkpoints: false,
    image: true,
    linux: true,
    confines: true,
    filesOnHost: true,
    previews: true,
    logsMemoryKills: false,
    home: '/home/user',
    network: 'full',
    most: onHost,
    architectures: ['i386', 'amd64'],
    nested: true,
    slowdown: 1,
  },
  folder: {
    place: 'this folder',
    title: 'Folder',
    runsIn: 'host',
    isChosen: false,
    can: 'The programs of the host work in a folder of it, which has a history.',
    costs: 'Nothing keeps them from the rest of the host.',
    pty: true,
    checkpoints: false,
    image: false,
    linux: true,
    confines: false,
    filesOnHost: true,
    previews: false,
    logsMemoryKills: false,
    home: '/home/user',
    network: 'full',
    most: onHost,
    architectures: [],
    nested: false,
    slowdown: 1,
  },
};
