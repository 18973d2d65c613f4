import { SandboxError } from '../../protocol/errors.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { CliContext } from '../context.ts';
import { plainText } from '../output/plain-text.ts';
import type { Printer } from '../output/printer.ts';
import { type NewFileName, openNewFile } from './open-new-file.ts';

/** Where a recording goes, and what is in it. */
export interface RecordedTo extends NewFileName {
  readonly title?: string | undefined;
  readonly input?: boolean | undefined;
  readonly history?: boolean | undefined;
  /** With the files of the image. */
  readonly image?: boolean | undefined;
  /** Variables of this process whose values are replaced. */
  readonly secretNames?: readonly string[];
}

export interface RecordParts {
  readonly sandbox: Sandbox;
  readonly context: Pick<CliContext, 'directory' | 'environment'>;
  readonly printer: Pick<Printer, 'note'>;
}

/** A recording on its way into a file. Disposing of it leaves what is written. */
export interface FileRecording extends AsyncDisposable {
  /** Writes the end, and says where it is. A recording that failed before is told once. */
  stop(exitCode: number): Promise<void>;
}

/**
 * Records a sandbox into a file of this host, written as it comes: it is whole up to the last fifth of a second whatever ends this process. What
 * goes wrong with the file, such as a full disk, ends the recording and is told, and nothing else.
 * @throws already-exists, not-found, forbidden; as `Sandbox.record`
 */
export async function recordTo(
  to: RecordedTo,
  { sandbox, context, printer }: RecordParts,
): Promise<FileRecording> {
  const { title, input, history, image, secretNames = [] } = to;
  const secrets = secretNames.map((name) => secretOf(name, context.environment));
  const file = await openNewFile(to, context);
  await sandbox.history.settle();
  const recording = await sandbox
    .record({ ...{ title, input, history, image, secrets }, gzip: file.path.endsWith('.gz') })
    .catch(async (error: unknown) => {
      await file.remove();
      throw error;
    });
  const fail = (error: unknown) => {
    const { message } = SandboxError.from(error);
    printer.note(`coppice: ${plainText(`the recording has ended: ${message}`)}`);
  };
  let hasFailed = false;
  const write = async () => {
    try {
      for await (const piece of recording) await file.write(piece);
    } catch (error) {
      hasFailed = true;
      fail(error);
    } finally {
      await file.close();
    }
  };
  const written = write();
  return {
    stop: async (exitCode) => {
      if (hasFailed) return;
      if (image && hasImage(sandbox.info))
        printer.note(`coppice: the files of the image go into ${plainText(file.path)} …`);
      try {
        const { snapshots, redacted } = await recording.stop({ exitCode });
        await written;
        const secrets = redacted === 1 ? 'secret' : 'secrets';
        const secret = redacted === 0 ? '' : `, ${redacted} ${secrets} replaced`;
        if (!hasFailed)
          printer.note(`coppice: recorded in ${plainText(file.path)}: ${snapshots} snapshots${secret}`);
      } catch (error) {
        if (!hasFailed) fail(error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await recording.close().catch(() => undefined);
      await written;
    },
  };
}

function secretOf(name: string, environment: CliContext['environment']): string {
  const value = environment[name];
  if (value) return value;
  throw new SandboxError(
    'invalid-argument',
    `Cannot keep the value of ${name} out of the recording: it has none here`,
  );
}
