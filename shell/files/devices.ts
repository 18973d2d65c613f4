import { makeDevice } from '../../tree/live/device-number.ts';
import { fileMode } from '../../tree/live/file-mode.ts';
import type { InodeView } from '../../tree/live/file-tree.ts';
import type { OpenFile } from '../io/open-file.ts';
import { endStep } from '../io/time-slice.ts';
import { ShellError } from '../shell-error.ts';
import { madeInode } from './made-inode.ts';

/** What a device does (Linux's Documentation/admin-guide/devices.txt). */
interface DeviceKind {
  readonly minor: number;
  readonly major: number;
  readonly fill?: (into: Uint8Array) => Uint8Array;
  readonly isFull?: boolean;
}

export interface Device extends DeviceKind {
  readonly name: string;
  readonly inode: InodeView;
}

const randomBytesAtOnce = 65_536;
const readBytesAtOnce = 65_536;

const kinds: Readonly<Record<string, DeviceKind>> = {
  null: { major: 1, minor: 3 },
  zero: { major: 1, minor: 5, fill: (into) => into },
  full: { major: 1, minor: 7, fill: (into) => into, isFull: true },
  random: { major: 1, minor: 8, fill: randomBytes },
  urandom: { major: 1, minor: 9, fill: randomBytes },
  tty: { major: 5, minor: 0 },
};

const links: Readonly<Record<string, string>> = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
};

const devices = new Map<string, Device>(
  Object.entries(kinds).map(([name, kind]) => {
    const mode = fileMode.characterDevice | 0o666;
    return [
      name,
      {
        ...kind,
        name,
        inode: inodeOf({ mode, minor: kind.minor, major: kind.major }),
      },
    ];
  }),
);

const deviceLinks = new Map<string, InodeView>(
  Object.entries(links).map(([name, target], index) => {
    return [name, inodeOf({ mode: fileMode.symlink | 0o777, minor: 32 + index, target })];
  }),
);

/** `/dev` of a tree that has none. */
export const deviceDirectory: InodeView = inodeOf({
  mode: fileMode.directory | 0o755,
  minor: 64,
});

/** Names in `/dev` that are there whatever the tree has. */
export const deviceNames: readonly string[] = [...devices.keys(), ...deviceLinks.keys()];

/** A device by its name in `/dev`. */
export function deviceNamed(name: string): Device | undefined {
  return devices.get(name);
}

/** A link in `/dev` to what a process has open. It leads nowhere here: the process knows its descriptors. */
export function deviceLinkNamed(name: string): InodeView | undefined {
  return deviceLinks.get(name);
}

/** What a process has open, which it opens itself: here it is no more than a pipe that is there. */
export const descriptorInode: InodeView = inodeOf({ mode: fileMode.fifo | 0o600, minor: 65 });

/** The device that a node of the tree is. */
export function deviceOfNode({ mode, rdev }: InodeView): Device | undefined {
  if ((mode & fileMode.typeMask) !== fileMode.characterDevice) return undefined;
  for (const device of devices.values()) if (device.inode.rdev === rdev) return device;
  return undefined;
}

/** @throws ShellError EIO of the terminal: a process that has one opens it itself */
export function openDevice(device: Device): OpenFile {
  if (device.name === 'tty') throw new ShellError('EIO');
  return new OpenDevice(device);
}

class OpenDevice implements OpenFile {
  readonly type = 'null';
  readonly path: string;
  readonly #device: Device;
  #unread: Uint8Array = new Uint8Array(0);

  constructor(device: Device) {
    this.path = `/dev/${device.name}`;
    this.#device = device;
  }

  async read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    await endStep(signal);
    if (this.#unread.length > 0) {
      const bytes = this.#unread.subarray(0, maxBytes);
      this.#unread = this.#unread.subarray(bytes.length);
      return bytes;
    }
    const { fill } = this.#device;
    return fill ? fill(new Uint8Array(Math.min(maxBytes, readBytesAtOnce))) : this.#unread;
  }

  unread(bytes: Uint8Array): void {
    const both = new Uint8Array(bytes.length + this.#unread.length);
    both.set(bytes);
    both.set(this.#unread, bytes.length);
    this.#unread = both;
  }

  async write(): Promise<void> {
    if (this.#device.isFull) throw new ShellError('ENOSPC');
  }

  retain(): void {}

  release(): void {}
}

function randomBytes(into: Uint8Array): Uint8Array {
  for (let at = 0; at < into.length; at += randomBytesAtOnce) {
    crypto.getRandomValues(into.subarray(at, at + randomBytesAtOnce));
  }
  return into;
}

function inodeOf(made: { mode: number; minor: number; major?: number; target?: string }): InodeView {
  return {
    ...madeInode,
    // Past what a tree counts to.
    ino: 2 ** 33 + made.minor,
    mode: made.mode,
    rdev: made.major === undefined ? 0 : makeDevice(made.major, made.minor),
    sizeBytes: made.target?.length ?? 0,
    version: 1,
    parent: 1,
    target: made.target,
  };
}
