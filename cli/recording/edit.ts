import { SandboxError } from '../../protocol/errors.ts';
import { cutSession } from '../../recording/edit/cut-session.ts';
import { joinSessions } from '../../recording/edit/join-sessions.ts';
import { editLimits } from '../../recording/edit/limits.ts';
import { redactSession } from '../../recording/edit/redact-session.ts';
import type { SessionStream } from '../../recording/format/session-stream.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { bytesText } from '../output/amounts.ts';
import { readSession } from './read-session.ts';
import { type SecretOptions, secretsOf } from './secrets.ts';
import { assertFree, type WriteOptions, writeSession } from './write-session.ts';

type EditOptions = SharedOptions & WriteOptions;

interface CutOptions extends EditOptions {
  /** Milliseconds since the beginning. */
  readonly from?: number;
  readonly to?: number;
}

/** @throws as `readSession` and `writeSession` */
export async function redact(
  { file, to }: { readonly file: string; readonly to: string },
  options: EditOptions & SecretOptions,
  cli: Cli,
): Promise<void> {
  await assertFree(to, { context: cli.context, force: options.force });
  const session = await readSession(file, cli.context);
  await write(redactSession(session, await secretsOf(options, cli.context)), to, { options, cli });
}

/** @throws invalid-argument for a part that is empty; as `readSession` and `writeSession` */
export async function cut(
  { file, to }: { readonly file: string; readonly to: string },
  options: CutOptions,
  cli: Cli,
): Promise<void> {
  const range = { from: (options.from ?? 0) / 1_000, to: (options.to ?? Number.POSITIVE_INFINITY) / 1_000 };
  if (range.to <= range.from)
    throw new SandboxError(
      'invalid-argument',
      'Cannot cut a part that ends before it begins: --to is after --from',
    );
  await assertFree(to, { context: cli.context, force: options.force });
  const session = await readSession(file, cli.context);
  await write(cutSession(session, range), to, { options, cli });
}

/** @throws limit-exceeded for too many; as `joinSessions`, `readSession` and `writeSession` */
export async function join(
  { to, files }: { readonly to: string; readonly files: readonly string[] },
  options: EditOptions,
  cli: Cli,
): Promise<void> {
  if (files.length > editLimits.joined)
    throw new SandboxError('limit-exceeded', `Cannot join more than ${editLimits.joined} recordings`);
  await assertFree(to, { context: cli.context, force: options.force });
  const sessions: SessionStream[] = [];
  for (const file of files) sessions.push(await readSession(file, cli.context));
  await write(joinSessions(sessions), to, { options, cli });
}

async function write(
  session: SessionStream,
  path: string,
  { options, cli }: { readonly options: EditOptions; readonly cli: Cli },
): Promise<void> {
  const { context } = cli;
  const sizeBytes = await writeSession(session, { path, format: 'recording', context, force: options.force });
  if (path === '-') return;
  cli.printer(options).result({ file: path, sizeBytes }, () => `${path}: ${bytesText(sizeBytes)}`);
}
