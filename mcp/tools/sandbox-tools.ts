import { z } from 'zod';
import { SandboxError } from '../../protocol/errors.ts';
import { mcpLimits } from '../limits.ts';
import { type McpTool, mcpTool } from '../mcp-tool.ts';
import { sandboxInput, snapshotInput } from './inputs.ts';
import { cutIn, cutOutput, errorOutput, pendingOutput, textList } from './outputs.ts';

const unsaved = z.object({ sinceMs: z.number(), code: z.string(), message: z.string() });
const infoShape = {
  id: z.string(),
  name: z.string(),
  image: z.string(),
  imageDigest: z.string(),
  architecture: z.string().optional(),
  memoryMiB: z.number(),
  diskMiB: z.number(),
  cpuShares: z.number().optional(),
  pids: z.number().optional(),
  cpus: z.number().optional(),
  ioMiBps: z.number().optional(),
  notHeld: textList.describe('Limits that nothing holds it to.').optional(),
  network: z.string().optional(),
  allow: textList.describe('What it reaches of its network; all where absent.').optional(),
  runtime: z.string(),
  createdAtMs: z.number(),
  cwd: z.string().optional(),
  ignore: textList.optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  expiresAtMs: z.number().optional(),
  nested: z.boolean().optional(),
  isolation: z.string().optional(),
  diskHeldBy: z.string().optional(),
  unsaved: unsaved.describe('Why files of it are in no snapshot.').optional(),
};
const infoOutput = z.object(infoShape);
const storage = z.object({
  storedBytes: z.number(),
  snapshots: z.number(),
  usageBytes: z.number(),
  quotaBytes: z.number(),
  persisted: z.boolean(),
  backend: z.string(),
  stopped: errorOutput.describe('Why nothing is saved now.').optional(),
});

/** Tools that make, find and end sandboxes. */
export const sandboxTools: readonly McpTool[] = [
  mcpTool({
    name: 'sandbox_create',
    description:
      'Makes a new sandbox: a computer of its own with files, commands and a history. It is deleted when this client ends, unless the server keeps what it makes, as a bridge does. If there is no default sandbox, the first one made becomes it.',
    input: z.strictObject({
      name: z.string().min(1).max(64).describe('What it is called.').exactOptional(),
      image: z
        .string()
        .min(1)
        .max(256)
        .describe('The image it begins with; usually left out.')
        .exactOptional(),
      memoryMiB: z.number().int().positive().describe('The most memory, in MiB.').exactOptional(),
      diskMiB: z.number().int().positive().describe('The most its files may take, in MiB.').exactOptional(),
    }),
    output: infoOutput,
    effect: 'add',
    async run(options, { sandboxes, signal }) {
      const { info } = await sandboxes.create({ ...options, signal });
      return { value: info };
    },
  }),
  mcpTool({
    name: 'sandbox_list',
    description: 'Lists the sandboxes there are, with their names, ids and what runs them.',
    input: z.strictObject({}),
    output: z.object({
      sandboxes: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          runtime: z.string(),
          image: z.string(),
          createdAtMs: z.number(),
          isYours: z.boolean().describe('Whether this client has made it.'),
        }),
      ),
      count: z.number().describe('How many there are; sandboxes may be cut.'),
      cut: cutOutput,
    }),
    effect: 'read',
    async run(_, { sandboxes }) {
      const all = await sandboxes.list();
      const shown = all.slice(0, mcpLimits.listed).map(({ id, name, runtime, image, createdAtMs }) => ({
        ...{ id, name, runtime, image, createdAtMs },
        isYours: sandboxes.hasMade(id),
      }));
      const cut = cutIn('sandboxes', { shown: shown.length, all: all.length });
      return { value: { sandboxes: shown, count: all.length, ...cut } };
    },
  }),
  mcpTool({
    name: 'sandbox_inspect',
    description:
      'Tells what a sandbox is: its limits, its storage, its current snapshot (HEAD) and unsaved changes.',
    input: z.strictObject({ sandbox: sandboxInput }),
    output: z.object({
      ...infoShape,
      storage,
      head: z.string(),
      pending: pendingOutput,
      snapshots: z.number(),
    }),
    effect: 'read',
    async run({ sandbox: which }, { sandboxes }) {
      const sandbox = await sandboxes.use(which);
      const [storage, { head, pending, snapshots }] = await Promise.all([
        sandbox.storage(),
        sandbox.history.get(),
      ]);
      return { value: { ...sandbox.info, storage, head, pending, snapshots: snapshots.length } };
    },
  }),
  mcpTool({
    name: 'sandbox_stop',
    description:
      'Ends everything that runs in a sandbox and closes it. Its files and history stay; the next call opens it again. Where its last changes cannot be saved it stays open, and the error says why.',
    input: z.strictObject({
      sandbox: sandboxInput,
      discard: z
        .boolean()
        .describe('Close it also where its last changes cannot be saved, and give those up.')
        .exactOptional(),
    }),
    output: z.object({ id: z.string(), name: z.string(), wasOpen: z.boolean() }),
    effect: 'set',
    endsSandbox: true,
    async run({ sandbox, ...options }, { sandboxes }) {
      const { id, name } = await sandboxes.find(sandbox);
      return { value: { id, name, wasOpen: await sandboxes.stop(id, options) } };
    },
  }),
  mcpTool({
    name: 'sandbox_remove',
    description:
      'Deletes a sandbox that was made by this client, with its files and history. This cannot be undone.',
    input: z.strictObject({ sandbox: z.string().min(1).max(256).describe('Name or id of the sandbox.') }),
    output: z.object({ id: z.string(), name: z.string(), removed: z.boolean() }),
    effect: 'change',
    endsSandbox: true,
    async run({ sandbox }, { sandboxes }) {
      const { id, name } = await sandboxes.find(sandbox);
      await sandboxes.remove(id);
      return { value: { id, name, removed: true } };
    },
  }),
  mcpTool({
    name: 'sandbox_fork',
    description:
      'Makes one or more copies of a sandbox that continue from its files as they are now, or from a snapshot. Use it to try something without touching the original; sandbox_merge brings changes back.',
    input: z.strictObject({
      sandbox: sandboxInput,
      count: z.number().int().min(1).max(mcpLimits.forks).default(1).describe('How many copies.'),
      from: snapshotInput.exactOptional(),
      name: z.string().min(1).max(64).describe('What they are called.').exactOptional(),
    }),
    output: z.object({
      forks: z
        .array(z.union([errorOutput, infoOutput]))
        .describe('Each is a sandbox, or why it could not be made.'),
    }),
    effect: 'add',
    async run({ sandbox: which, ...options }, { sandboxes }) {
      const forks = await sandboxes.fork(await sandboxes.use(which), options);
      const [first] = forks;
      if (first instanceof SandboxError && forks.every((fork) => fork instanceof SandboxError)) throw first;
      const results = forks.map((fork) => (fork instanceof SandboxError ? fork.toData() : fork.info));
      return { value: { forks: results } };
    },
  }),
];
