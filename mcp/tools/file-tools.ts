import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { TreeRef } from '../../protocol/sandbox/refs.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { mcpLimits } from '../limits.ts';
import { type McpTool, mcpTool } from '../mcp-tool.ts';
import { pathInput, sandboxInput, snapshotInput } from './inputs.ts';
import { cutIn, cutOutput } from './outputs.ts';

const encoding = z
  .enum(['text', 'base64'])
  .default('text')
  .describe('How bytes are written: base64 for what is no text.');
const at = snapshotInput
  .describe('A snapshot to read from; the files as they are now if left out.')
  .exactOptional();
const place = { sandbox: sandboxInput, path: pathInput };

const file = z.object({
  path: z.string(),
  name: z.string(),
  type: z.string().describe('file, directory, symlink …'),
  mode: z.number(),
  uid: z.number(),
  gid: z.number(),
  sizeBytes: z.number(),
  modifiedAtMs: z.number(),
  target: z.string().describe('Where a link leads.').optional(),
});

/** Tools that read and change the files of a sandbox. */
export const fileTools: readonly McpTool[] = [
  mcpTool({
    name: 'sandbox_fs_read',
    description: 'Reads a file of a sandbox, or a part of it, now or as it was in a snapshot.',
    input: z.strictObject({
      ...place,
      at,
      encoding,
      offsetBytes: z.number().int().min(0).default(0).describe('Where to begin.'),
      lengthBytes: z
        .number()
        .int()
        .min(1)
        .max(mcpLimits.fileBytes)
        .default(limits.modelOutputCharacters)
        .describe('The most that is answered; sizeBytes tells how much there is.'),
    }),
    output: z.object({
      path: z.string(),
      encoding,
      content: z.string(),
      offsetBytes: z.number(),
      readBytes: z.number(),
      sizeBytes: z.number(),
    }),
    effect: 'read',
    async run({ sandbox: which, path, at, encoding, offsetBytes, lengthBytes }, { sandboxes }) {
      const sandbox = await sandboxes.use(which);
      const all = await readBounded(sandbox, { path, ...(at === undefined ? {} : { at }) });
      const bytes = all.subarray(offsetBytes, offsetBytes + lengthBytes);
      const content = Buffer.from(bytes).toString(encoding === 'base64' ? 'base64' : 'utf8');
      const value = { path, encoding, content, offsetBytes, readBytes: bytes.length, sizeBytes: all.length };
      const rest = all.length - offsetBytes - bytes.length;
      return { value, text: rest > 0 ? `${content}\n[${rest} of ${all.length} bytes follow]` : content };
    },
  }),
  mcpTool({
    name: 'sandbox_fs_write',
    description:
      'Writes a file of a sandbox: makes it, or replaces all of its content. Its directory has to be there.',
    input: z.strictObject({ ...place, content: z.string().max(mcpLimits.fileBytes * 1.4), encoding }),
    output: z.object({ path: z.string(), writtenBytes: z.number() }),
    effect: 'set',
    async run({ sandbox: which, path, content, encoding }, { sandboxes }) {
      const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
      if (bytes.length > mcpLimits.fileBytes) throw tooLarge('write', path);
      await (await sandboxes.use(which)).files.write(path, bytes);
      return { value: { path, writtenBytes: bytes.length } };
    },
  }),
  mcpTool({
    name: 'sandbox_fs_list',
    description: 'Lists what is in a directory of a sandbox, now or in a snapshot.',
    input: z.strictObject({ ...place, at }),
    output: z.object({
      path: z.string(),
      entries: z.array(file),
      count: z.number().describe('How many there are; entries may be cut.'),
      cut: cutOutput,
    }),
    effect: 'read',
    async run({ sandbox: which, path, at }, { sandboxes }) {
      const sandbox = await sandboxes.use(which);
      const all = await sandbox.files.list(path, { at: await treeOf(sandbox, at) });
      const entries = all.slice(0, mcpLimits.listed);
      const text = entries.map(({ name, type, sizeBytes }) => `${type}\t${sizeBytes}\t${name}`).join('\n');
      const cut = cutIn('entries', { shown: entries.length, all: all.length });
      return {
        value: { path, entries, count: all.length, ...cut },
        text: `${text}\n[${all.length} entries]`,
      };
    },
  }),
  mcpTool({
    name: 'sandbox_fs_stat',
    description: 'Tells the type, size, mode, owner and time of a file or directory of a sandbox.',
    input: z.strictObject({ ...place, at }),
    output: file,
    effect: 'read',
    async run({ sandbox: which, path, at }, { sandboxes }) {
      const sandbox = await sandboxes.use(which);
      return { value: await sandbox.files.stat(path, { at: await treeOf(sandbox, at) }) };
    },
  }),
  mcpTool({
    name: 'sandbox_fs_remove',
    description: 'Removes a file of a sandbox, or a directory with all it holds.',
    input: z.strictObject(place),
    output: z.object({ path: z.string(), removed: z.boolean() }),
    effect: 'change',
    async run({ sandbox: which, path }, { sandboxes }) {
      await (await sandboxes.use(which)).files.remove(path);
      return { value: { path, removed: true } };
    },
  }),
];

/** A file that is not too large for an answer. @throws limit-exceeded, not-found */
export async function readBounded(
  sandbox: Sandbox,
  { path, at }: { readonly path: string; readonly at?: string },
): Promise<Uint8Array> {
  const tree = { at: await treeOf(sandbox, at) };
  const { sizeBytes } = await sandbox.files.stat(path, tree);
  if (sizeBytes > mcpLimits.fileBytes) throw tooLarge('read', path);
  const bytes = await sandbox.files.read(path, { format: 'bytes', ...tree });
  // A link is small, and what it leads to need not be.
  if (bytes.length > mcpLimits.fileBytes) throw tooLarge('read', path);
  return bytes;
}

async function treeOf(sandbox: Sandbox, at: string | undefined): Promise<TreeRef> {
  return at === undefined ? 'now' : sandbox.history.resolve(at);
}

function tooLarge(what: 'read' | 'write', path: string): SandboxError {
  return new SandboxError(
    'limit-exceeded',
    `Cannot ${what} ${path} in one call: ${mcpLimits.fileBytes} bytes is the most; use a command such as head, tail or split`,
    { details: { limit: 'fileBytes', max: mcpLimits.fileBytes } },
  );
}
