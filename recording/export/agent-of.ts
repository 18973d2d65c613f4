import type { RecordingHeader } from '../format/recording-header.ts';

/** Who ran a session, as an import has noted it in the header: a name, and a version where one is known. */
export function agentOf({ rest, coppice }: RecordingHeader): {
  name: string;
  version: string;
  model?: string;
} {
  const session = rest?.session;
  const told = typeof session === 'object' && session !== null ? (session as Record<string, unknown>) : {};
  const agent = typeof told.agent === 'string' ? told.agent : coppice.generator;
  const [, name = agent, version = ''] = /^(.*\S)\s+(\S+)$/.exec(agent) ?? [];
  return { name, version, ...(typeof told.model === 'string' ? { model: told.model } : {}) };
}
