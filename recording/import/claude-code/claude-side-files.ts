import type { ReadSideFile } from '../importer.ts';
import { importLimits } from '../limits.ts';

/** A name that stays in its folder. */
const plainName = /^[\w-][\w.-]{0,199}$/;

/**
 * The whole output of a command, of which the session has the beginning. The path in the session is of the machine that wrote it, and may be
 * any: only its last part is used, below `tool-results`.
 */
export async function readLongOutput(path: string, read: ReadSideFile): Promise<string | undefined> {
  const name = path.split(/[/\\]/).at(-1) ?? '';
  const bytes = plainName.test(name) ? await readBounded(`tool-results/${name}`, read) : undefined;
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** What a sub-agent wrote. */
export async function readAgentFile(id: string, read: ReadSideFile): Promise<Uint8Array | undefined> {
  return plainName.test(id) ? readBounded(`subagents/agent-${id}.jsonl`, read) : undefined;
}

async function readBounded(path: string, read: ReadSideFile): Promise<Uint8Array | undefined> {
  const bytes = await read(path);
  return bytes === undefined || bytes.length > importLimits.sideFileBytes ? undefined : bytes;
}
