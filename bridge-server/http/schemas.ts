import { z } from '@hono/zod-openapi';
import { architectures } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { FileInfo } from '../../protocol/sandbox/files.ts';
import type { Change, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import {
  diskHolders,
  groupLimits,
  isolations,
  runtimeNames,
  type SandboxInfo,
} from '../../protocol/sandbox/sandbox-info.ts';
import { errorCodes, errorSchema } from './error-body.ts';

/** The answer of every route when it fails. */
export const failed: {
  default: { description: string; content: { 'application/json': { schema: typeof errorSchema } } };
} = {
  default: {
    description: 'It failed; the status is that of the code.',
    content: { 'application/json': { schema: errorSchema } },
  },
};

/** Of sandboxes, as they come in paths. */
export const idSchema: z.ZodType<string> = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be the id of a sandbox')
  .openapi({ example: '3f0c1c1e-8a5b-4e0f-9a37-5d7f0f6f2b11' });

/** A shell, as a part of a path. */
export const shellIdSchema: z.ZodType<string> = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the id of a shell')
  .openapi({ example: '0123456789abcdef' });

/** Variables of a command or a shell. */
export const envsSchema: z.ZodType<Record<string, string>> = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/),
  z
    .string()
    .max(limits.execArgumentBytes)
    .refine((text) => !text.includes('\0'), 'must not hold NUL'),
);

/** A port of TCP, as a part of a path. */
export const portSchema: z.ZodType<number> = z.coerce
  .number()
  .int()
  .min(1)
  .max(65_535)
  .openapi({ example: 8_080 });

/** An absolute path inside the sandbox that does not climb. */
export const pathSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(4_096)
  .startsWith('/', 'must be absolute')
  .refine((path) => !path.includes('\0') && !path.split('/').includes('..'), 'must not hold ".." or NUL')
  .openapi({ pattern: '^/', example: '/etc/hostname' });

/** A name for people: one line. */
export const nameSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}*$/u, 'must be one line of text')
  // In words that every engine knows. Made of the expression above, it would have its flag in it.
  .openapi({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$', example: 'before-upgrade' });

/** What means a snapshot of a sandbox (`resolveSnapshot`). */
export const snapshotRefSchema: z.ZodType<string> = nameSchema.openapi({
  description:
    'The id of a snapshot, the start of one that no other has (4 digits or more), a tag, or `HEAD`.',
  example: 'HEAD',
});

/** What means a snapshot of no sandbox in particular. */
export const anySnapshotSchema: z.ZodType<string> = z
  .string()
  .regex(/^[0-9a-f]{4,64}$/, 'must be the id of a snapshot, or the start of one (4 digits or more)')
  .openapi({ example: '3f0c1c1e8a5b' });

/** A snapshot, or the files as they are now. */
export const treeRefSchema: z.ZodType<string> = nameSchema.openapi({
  description: 'A snapshot, by its id, the start of one, a tag or `HEAD`; or `now`, the files as they are.',
  example: 'HEAD',
});

export type SandboxView = Loose<SandboxInfo> & { readonly state: 'open' | 'closed' };

export const sandboxSchema: z.ZodType<SandboxView> = z
  .object({
    id: z.string(),
    name: z.string(),
    image: z.string().openapi({ description: 'Empty where its runtime begins without one.' }),
    imageDigest: z.string(),
    architecture: z
      .enum(architectures)
      .optional()
      .openapi({ description: 'What the programs of its image are for.' }),
    memoryMiB: z.number(),
    diskMiB: z.number(),
    cpuShares: z.number().optional(),
    pids: z.number().optional(),
    cpus: z.number().optional().openapi({ description: 'Processors at most; absent: no such limit.' }),
    ioMiBps: z.number().optional().openapi({ description: 'MiB a second at most; absent: no such limit.' }),
    notHeld: z
      .array(z.enum(groupLimits))
      .optional()
      .openapi({ description: 'Limits that nothing on this host holds it to.' }),
    network: z.enum(['isolated', 'full']).optional(),
    allow: z
      .array(z.string())
      .optional()
      .openapi({ description: 'What it reaches of the network `full`; absent: all of it.' }),
    runtime: z.enum(runtimeNames),
    createdAtMs: z.number(),
    cwd: z.string().optional().openapi({ description: 'Where what runs in it begins.' }),
    ignore: z
      .array(z.string())
      .optional()
      .openapi({ description: 'Directories in which changes wake no capture by themselves.' }),
    metadata: z.record(z.string(), z.string()).optional().openapi({ description: 'Its labels.' }),
    expiresAtMs: z.number().optional().openapi({
      description: 'When it is deleted with its history; absent: it lives until somebody deletes it.',
    }),
    nested: z
      .boolean()
      .optional()
      .openapi({ description: 'Whether its programs may make sandboxes inside.' }),
    isolation: z.enum(isolations).optional().openapi({ description: 'What keeps its jail from the host.' }),
    diskHeldBy: z.enum(diskHolders).optional().openapi({
      description: 'What holds it to `diskMiB`: a quota of the kernel, or the bridge, which looks.',
    }),
    unsaved: z
      .object({ sinceMs: z.number(), code: z.enum(errorCodes), message: z.string() })
      .optional()
      .openapi({ description: 'Why files of it are in no snapshot, and since when. The bridge keeps them.' }),
    state: z.enum(['open', 'closed']).openapi({ description: 'Whether the bridge holds it open now.' }),
  })
  .openapi('Sandbox');

/** Fields that are absent in memory are absent in JSON too. */
export type Loose<T> = { readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: T[Key] | undefined;
};

export type FileView = Loose<FileInfo>;

export const fileSchema: z.ZodType<FileView> = z
  .object({
    path: z.string(),
    name: z.string(),
    type: z.enum(['file', 'directory', 'symlink', 'device', 'fifo', 'socket']),
    mode: z.number(),
    uid: z.number(),
    gid: z.number(),
    sizeBytes: z.number(),
    modifiedAtMs: z.number(),
    target: z.string().optional().openapi({ description: 'Where a symlink leads.' }),
  })
  .openapi('File');

export type ChangeView = Loose<Change>;

export const changeSchema: z.ZodType<ChangeView> = z
  .object({
    type: z.enum(['created', 'modified', 'deleted', 'renamed', 'metadata']),
    path: z.string(),
    from: z.string().optional().openapi({ description: 'Where a renamed file was.' }),
    sizeBytes: z.number(),
    isDirectory: z.boolean().optional(),
  })
  .openapi('Change');

/** A snapshot as the API tells it. */
export interface SnapshotView {
  readonly id: string;
  readonly tree: string;
  readonly memory?: string | undefined;
  readonly parents: readonly string[];
  readonly cause: SnapshotInfo['cause'];
  readonly coverage: SnapshotInfo['coverage'];
  readonly changes: SnapshotInfo['changes'];
  readonly takenAtMs: number;
  readonly extensions?: Readonly<Record<string, { text: string; objects: readonly string[] }>> | undefined;
  readonly tags: readonly string[];
}

const part = z.union([
  z.object({ captured: z.literal(true) }),
  z.object({ captured: z.literal(false), why: z.string() }),
]);

export const changesSchema: z.ZodType<SnapshotInfo['changes']> = z
  .object({
    created: z.number(),
    modified: z.number(),
    deleted: z.number(),
    paths: z.array(z.string()).openapi({ description: `At most ${limits.snapshotPaths}.` }),
  })
  .openapi('ChangeSummary');

const causeSchema: z.ZodType<SnapshotInfo['cause']> = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('image'), image: z.string() }),
    z.object({
      type: z.literal('capture'),
      commands: z.array(z.string()),
      runs: z.array(z.string()).exactOptional().openapi({
        description: 'Ids of the runs of these commands. Captures of one run were taken while it went on.',
      }),
    }),
    z.object({ type: z.literal('manual'), label: z.string() }),
    z.object({ type: z.literal('checkout'), from: z.string() }),
    z.object({ type: z.literal('fork'), sandbox: z.string() }),
    z.object({ type: z.literal('import'), source: z.string() }),
  ])
  .openapi('Cause');

export const snapshotSchema: z.ZodType<SnapshotView> = z
  .object({
    id: z.string(),
    tree: z.string(),
    memory: z.string().optional(),
    parents: z.array(z.string()),
    cause: causeSchema,
    coverage: z
      .object({ files: part, memory: part, processes: part, sockets: part, mounts: part })
      .openapi('Coverage'),
    changes: changesSchema,
    takenAtMs: z.number(),
    extensions: z
      .record(z.string(), z.object({ text: z.string(), objects: z.array(z.string()) }))
      .optional()
      .openapi({ description: 'What the snapshot says beyond its fields, by name.' }),
    tags: z.array(z.string()),
  })
  .openapi('Snapshot');

/** Where a checkout has gone to, and what it has left. */
export const checkoutSchema: z.ZodType<{
  readonly head: string;
  readonly previousHead: string;
  readonly unkept?: { readonly code: string; readonly message: string } | undefined;
}> = z
  .object({
    head: z.string(),
    previousHead: z.string(),
    unkept: z.object({ code: z.string(), message: z.string() }).optional().openapi({
      description: 'Why not all of what was left is in `previousHead`; its coverage says so too.',
    }),
  })
  .openapi('Checkout');

/** Which part of a list. */
export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Of a list that comes in pages. */
export const pageShape: { cursor: z.ZodType<string | undefined>; limit: z.ZodType<number> } = {
  cursor: z.string().max(4_096).optional().openapi({ description: '`next` of the page before.' }),
  limit: z.coerce.number().int().min(1).max(limits.pageItems.max).default(limits.pageItems.usual),
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: string | undefined;
}

/**
 * One page of `items`. The cursor names the last item that was told, so nothing is told twice or
 * left out when the list grows. @throws not-found when what the cursor names is gone
 */
export function pageOf<Item>(
  items: readonly Item[],
  { cursor, limit, key }: PageQuery & { key: (item: Item) => string },
): Page<Item> {
  const last = cursor === undefined ? -1 : items.findIndex((item) => key(item) === cursor);
  if (cursor !== undefined && last < 0) {
    throw new SandboxError('not-found', 'Cannot go on with this list: the entry of its cursor is gone');
  }
  const page = items.slice(last + 1, last + 1 + limit);
  const end = page.at(-1);
  const hasMore = last + 1 + page.length < items.length;
  return { items: page, ...(hasMore && end !== undefined ? { next: key(end) } : {}) };
}
