// The one module of the wire protocol that imports zod: only servers load it.
import { z } from 'zod';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { architectures } from '../architecture.ts';
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Message } from './message.ts';
import { requestsWithBytes, type WireRequest } from './requests.ts';

/** Linux's PATH_MAX; what the guest would refuse need not reach it. */
const pathLength = 4_096;
const nameLength = 1_024;
const issuesTold = 8;

const uint32 = z.int().min(0).max(0xffff_ffff);
const on = uint32;
const path = z.string().max(pathLength);
const name = z.string().max(nameLength);
const snapshotId = z.custom<SnapshotId>(
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  {
    error: 'Not a snapshot id',
  },
);
const treeRef = z.union([z.literal('now'), snapshotId]);
const snapshotRef = z.strictObject({ sandbox: name, snapshot: name });
const mebibytes = z.int().min(1).max(1_048_576);
const count = z.int().min(1).max(0x7fff_ffff);
const characters = z.int().min(1).max(65_535);
const argument = z.string().max(limits.execArgumentBytes);

const createOptions = z.strictObject({
  image: name.exactOptional(),
  name: name.exactOptional(),
  memoryMiB: mebibytes.exactOptional(),
  diskMiB: mebibytes.exactOptional(),
  cpuShares: count.exactOptional(),
  pids: count.exactOptional(),
  cpus: z.number().positive().max(limits.hostCpus.most).exactOptional(),
  ioMiBps: count.exactOptional(),
  network: z.enum(['isolated', 'full']).exactOptional(),
  nested: z.boolean().exactOptional(),
  envs: z.record(argument, argument).exactOptional(),
  cwd: path.exactOptional(),
  metadata: z.record(name, name).exactOptional(),
  timeoutMs: count.exactOptional(),
  workspace: z
    .strictObject({
      git: path,
      ref: name.exactOptional(),
      commit: name.exactOptional(),
      path: path.exactOptional(),
    })
    .exactOptional(),
  from: snapshotRef.exactOptional(),
});

const intakeOptions = z.strictObject({
  imageDigest: z.string().regex(/^[0-9a-f]{64}$/),
  architecture: z.enum(architectures).exactOptional(),
  name,
  memoryMiB: mebibytes.exactOptional(),
  diskMiB: mebibytes.exactOptional(),
});

const execRequest = z.strictObject({
  command: z.union([argument, z.array(argument).min(1).max(limits.execArgumentBytes)]),
  cwd: path.exactOptional(),
  envs: z.record(argument, argument).exactOptional(),
  user: z.enum(['user', 'root']).exactOptional(),
  pty: z.strictObject({ columns: characters, rows: characters }).exactOptional(),
  stdin: z.boolean().exactOptional(),
  clearsAway: z.boolean().exactOptional(),
});

const requestSchema: z.ZodType<WireRequest> = z.discriminatedUnion('method', [
  method('backend.create', { options: createOptions }),
  method('backend.open', { id: name, options: z.strictObject({ readOnly: z.boolean().exactOptional() }) }),
  method('backend.connect', { id: name }),
  method('backend.exportTar', { id: name, at: name.exactOptional() }),
  method('backend.openIntake', { options: intakeOptions }),
  method('backend.list', {}),
  method('backend.images', {}),
  method('backend.delete', { id: name }),
  method('backend.setTimeout', { id: name, timeoutMs: count.exactOptional() }),
  method('sandbox.info', { on }),
  method('sandbox.exec', { on, request: execRequest }),
  method('sandbox.readFile', { on, path, at: treeRef.exactOptional() }),
  method('sandbox.writeFile', { on, path, mode: z.int().min(0).max(0o7777).exactOptional() }),
  method('sandbox.listFiles', { on, path, at: treeRef.exactOptional() }),
  method('sandbox.statFile', { on, path, at: treeRef.exactOptional() }),
  method('sandbox.makeDirectory', { on, path }),
  method('sandbox.removeFile', { on, path }),
  method('sandbox.renameFile', { on, from: path, to: path }),
  method('sandbox.history', { on }),
  method('sandbox.createSnapshot', {
    on,
    label: path.exactOptional(),
    ifChanged: z.boolean().exactOptional(),
    memory: z.boolean().exactOptional(),
  }),
  method('sandbox.checkout', {
    on,
    id: snapshotId,
    options: z.strictObject({ discard: z.boolean().exactOptional() }).exactOptional(),
  }),
  method('sandbox.fork', { on, id: snapshotId, name: name.exactOptional() }),
  method('sandbox.recording', { on }),
  method('sandbox.setRecording', {
    on,
    options: z.strictObject({ perSecond: z.number().min(0).max(limits.recordingPerSecond.max) }),
  }),
  method('sandbox.screenAt', { on, moment: uint32, pid: uint32 }),
  method('sandbox.goToMoment', { on, id: uint32 }),
  method('sandbox.diff', { on, from: treeRef, to: z.union([treeRef, snapshotRef]) }),
  method('sandbox.setTag', { on, name, id: snapshotId.exactOptional() }),
  method('sandbox.deleteSnapshot', { on, id: snapshotId }),
  method('sandbox.collectGarbage', { on }),
  method('sandbox.exportTar', { on, at: treeRef, path: path.exactOptional() }),
  method('sandbox.openParcel', {
    on,
    id: snapshotId,
    have: z.array(snapshotId).max(limits.parcelHave).exactOptional(),
  }),
  method('sandbox.openIntake', { on }),
  method('sandbox.storage', { on }),
  method('sandbox.networkLog', { on }),
  method('sandbox.report', { on }),
  method('sandbox.subscribe', { on, after: z.int().min(0) }),
  method('process.write', { on }),
  method('process.closeStdin', { on }),
  method('process.resize', { on, columns: characters, rows: characters }),
  method('process.kill', { on, signal: z.enum(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']).exactOptional() }),
  method('intake.write', { on }),
  method('intake.finish', { on }),
  method('session.renew', {}),
  method('close', { on }),
]);

/** A request as the client must send it: nothing missing, unknown, or out of bounds. @throws invalid-argument */
export function parseRequest({ json, bytes }: Message): WireRequest {
  const { success, data, error } = requestSchema.safeParse(json);
  if (!success) throw refuse(error);
  if (bytes.length > limits.uploadBytes) {
    const details = { limit: limits.uploadBytes, sizeBytes: bytes.length };
    throw new SandboxError('limit-exceeded', `Cannot take ${bytes.length} bytes in one request`, { details });
  }
  if (bytes.length > 0 && !requestsWithBytes.has(data.method)) {
    throw new SandboxError('invalid-argument', `Cannot carry out "${data.method}": it takes no bytes`);
  }
  return data;
}

function method<const M extends WireRequest['method'], F extends z.ZodRawShape>(
  name: M,
  fields: F,
): z.ZodObject<{ method: z.ZodLiteral<M> } & F, z.core.$strict> {
  return z.strictObject({ method: z.literal(name), ...fields });
}

function refuse({ issues }: z.ZodError): SandboxError {
  const told = issues.slice(0, issuesTold).map((issue) => {
    const where = issue.path.map(String).join('.').slice(0, nameLength);
    return { where, message: issue.message.slice(0, nameLength) };
  });
  const first = told[0];
  const why = first ? `${first.where || 'the request'}: ${first.message}` : 'it is none';
  return new SandboxError('invalid-argument', `Cannot carry out the request: ${why}`, {
    details: { issues: told },
  });
}
