import { type Architecture, architectures } from '../architecture.ts';
import { limits } from '../limits.ts';
import {
  absentOr,
  closed,
  dictionary,
  flag,
  integer,
  list,
  nothing,
  numberUpTo,
  oneOf,
  optional,
  record,
  type Schema,
  text,
  textUpTo,
  word,
} from '../schema.ts';
import type {
  ArchiveImport,
  CreateOptions,
  HostImage,
  SandboxBackend,
  SandboxSettings,
  SnapshotImportOptions,
  StartOptions,
  WorkspaceOptions,
} from './backend.ts';
import { gitCredentials } from './git-table.ts';
import { sandboxInfo } from './info-table.ts';
import type { SnapshotRef } from './refs.ts';
import type { Table } from './row.ts';
import { type Network, type RuntimeName, runtimeNames } from './sandbox-info.ts';
import { argument, name, noFields, objectId, path, snapshotRef } from './schemas.ts';

const mebibytes = integer(1, 1_048_576);
const positive = integer(1, 0x7fff_ffff);

const settings: { readonly [Name in keyof SandboxSettings]-?: Schema<NonNullable<SandboxSettings[Name]>> } = {
  network: absentOr(oneOf<Network>('isolated', 'full')),
  allow: absentOr(list(textUpTo(limits.allowedHostCharacters))),
  envs: absentOr(dictionary(argument, argument)),
  cwd: absentOr(path),
  metadata: absentOr(dictionary(name, name)),
};

const createOptions: Schema<Omit<CreateOptions & StartOptions, 'bytes' | 'signal'>> = closed<CreateOptions>({
  runtime: absentOr(oneOf<RuntimeName>(...runtimeNames)),
  image: absentOr(name),
  name: optional(name),
  memoryMiB: absentOr(mebibytes),
  diskMiB: absentOr(mebibytes),
  cpuShares: absentOr(positive),
  pids: absentOr(positive),
  cpus: absentOr(numberUpTo(limits.hostCpus.most)),
  ioMiBps: absentOr(positive),
  ...settings,
  ignore: absentOr(list(path)),
  nested: absentOr(flag),
  timeoutMs: absentOr(positive),
  workspace: absentOr(
    closed<WorkspaceOptions>({
      git: path,
      ref: absentOr(name),
      commit: absentOr(name),
      path: absentOr(path),
      credentials: absentOr(gitCredentials),
      submodules: absentOr(flag),
    }),
  ),
  from: absentOr<SnapshotRef>(snapshotRef),
});

const importOptions: Schema<SnapshotImportOptions> = closed<SnapshotImportOptions>({
  archive: absentOr(closed<ArchiveImport>({ image: absentOr(name), label: name })),
  runtime: absentOr(oneOf<RuntimeName>(...runtimeNames)),
  imageDigest: absentOr(objectId),
  imageFiles: absentOr(closed({ name, tree: objectId, come: absentOr(flag) })),
  architecture: absentOr(oneOf<Architecture>(...architectures)),
  name,
  memoryMiB: absentOr(mebibytes),
  diskMiB: absentOr(mebibytes),
  ...settings,
});

const hostImage: Schema<HostImage> = record<HostImage>({
  name: text,
  digest: objectId,
  architecture: word(...architectures),
  isDefault: flag,
});

/** Every method of a backend: what it may do, what it takes and what it gives. */
export const backendTable: Table<SandboxBackend> = {
  create: { access: 'write', scope: 'all', ask: createOptions, takesSignal: true, gives: 'connection' },
  open: {
    access: 'read',
    ask: closed({ id: name, readOnly: optional(flag) }),
    takesSignal: true,
    gives: 'connection',
  },
  connect: { access: 'read', ask: closed({ id: name }), gives: 'connection' },
  exportTar: { access: 'read', ask: closed({ id: name, at: optional(name) }), gives: 'archive' },
  openImport: { access: 'write', scope: 'all', ask: importOptions, gives: 'import', made: sandboxInfo },
  list: { access: 'read', ask: noFields, gives: 'json', answer: list(sandboxInfo) },
  images: { access: 'read', scope: 'all', ask: noFields, gives: 'json', answer: list(hostImage) },
  delete: { access: 'write', ask: closed({ id: name }), gives: 'json', answer: nothing },
  setTimeout: {
    access: 'write',
    ask: closed({ id: name, timeoutMs: optional(positive) }),
    gives: 'json',
    answer: sandboxInfo,
  },
  rename: { access: 'write', ask: closed({ id: name, name }), gives: 'json', answer: sandboxInfo },
};
