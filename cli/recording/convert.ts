import { redactSession } from '../../recording/edit/redact-session.ts';
import type { Cli, SharedOptions } from '../cli.ts';
import { bytesText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import { formatFor } from './formats.ts';
import { readSession } from './read-session.ts';
import { type SecretOptions, secretsOf } from './secrets.ts';
import { withFiles } from './with-files.ts';
import { assertFree, writeSession } from './write-session.ts';

export interface ConvertOptions extends SharedOptions, SecretOptions {
  readonly to?: string;
  readonly keepSecrets?: boolean;
  readonly withFiles?: boolean;
  readonly force?: boolean;
}

/** Writes a session in another format. @throws as `readSession` and `writeSession` */
export async function convert(
  { file, to }: { readonly file: string; readonly to: string },
  options: ConvertOptions,
  cli: Cli,
): Promise<void> {
  const { context } = cli;
  const format = formatFor(to, options.to);
  await assertFree(to, { context, force: options.force });
  const session = await readSession(file, context);
  await using beside = options.withFiles ? await withFiles(session, options, cli) : undefined;
  const whole = beside?.session ?? session;
  const written = options.keepSecrets ? whole : redactSession(whole, await secretsOf(options, context));
  const sizeBytes = await writeSession(written, { path: to, format, context, force: options.force });
  const printer = cli.printer(options);
  if (session.damage !== undefined) printer.note(`coppice: ${plainText(session.damage)}`);
  if (to === '-') return;
  printer.result(
    { file: to, from: session.format, format, sizeBytes },
    () => `${to}: ${format}, ${bytesText(sizeBytes)}`,
  );
}
