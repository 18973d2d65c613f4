import { HeldEvents } from '../held-events.ts';
import type { ImportSource } from '../importer.ts';
import { readLines } from '../read-lines.ts';
import type { DatedEvent } from '../transcript.ts';
import { ClaudeSession } from './claude-session.ts';

/**
 * A session of Claude Code: JSON Lines, whose format its maker calls internal. What is understood becomes events, in the order of the
 * file, with `id` and `parent` for the tree that messages are; every other line is kept as it is. Sub-agents come from
 * `subagents/agent-ID.jsonl` of the session's folder, long outputs from `tool-results/ID.txt`. Tags in texts, such as
 * `<command-name>`, are text: output of any program can have them.
 */
export async function* importClaudeCode(source: ImportSource): AsyncGenerator<DatedEvent> {
  const session = new ClaudeSession(source);
  const held = new HeldEvents();
  for await (const line of readLines(source.pieces)) {
    await session.read(line);
    held.add(session.take());
    // What a sub-agent did is known when its call ends, and happened before that.
    if (!session.waitsForAgent || held.isFull) yield* held.take(session.ms);
  }
  held.add(session.finish());
  yield* held.take(Number.POSITIVE_INFINITY);
}
