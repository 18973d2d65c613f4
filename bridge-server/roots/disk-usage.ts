import { text } from 'node:stream/consumers';
import { SandboxError } from '../../protocol/errors.ts';
import { HostTool } from '../programs/host-tool.ts';

/**
 * The bytes that a folder takes of its file system, each file once, in whatever blocks it has. What comes and
 * goes meanwhile is counted or not. @throws internal
 */
export async function diskUsage(folder: string): Promise<number> {
  await using tool = new HostTool('du', ['--summarize', '--block-size=1', '--one-file-system', '--', folder]);
  const [said] = await Promise.all([
    text(tool.stdout),
    // It fails for files that have gone between being listed and looked at, and says a sum all the same.
    tool.finish().catch(() => undefined),
  ]);
  const bytes = /^\d+/.exec(said)?.[0];
  if (bytes !== undefined) return Number(bytes);
  throw new SandboxError('internal', `Cannot find out what ${folder} takes of its disk`);
}
