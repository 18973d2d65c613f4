import { limits } from '../protocol/limits.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';

/** A call of a tool, as an agent makes it. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: unknown;
}

/** A recording, as far as calls of tools are concerned. */
export interface CallRecorder {
  call(call: { readonly id: string; readonly tool: string; readonly arguments: unknown }): Promise<void>;
  result(result: {
    readonly id: string;
    readonly result: unknown;
    readonly isError?: boolean;
  }): Promise<void>;
}

const recordings = new WeakMap<SandboxConnection, Set<CallRecorder>>();

/** Calls of tools go into the recording from now on, until the answer is called. */
export function takesCalls(connection: SandboxConnection, recording: CallRecorder): () => void {
  const running = recordings.get(connection) ?? new Set();
  recordings.set(connection, running.add(recording));
  return () => void running.delete(recording);
}

/**
 * Does what a tool does, as an event of the recordings of its sandbox that were begun here and are under way. The tool waits for none of them, and
 * one that fails is its own affair.
 */
export async function recordCall<T>(
  connection: SandboxConnection,
  { tool, arguments: given }: ToolCall,
  work: () => Promise<T>,
): Promise<T> {
  const running = [...(recordings.get(connection) ?? [])];
  if (running.length === 0) return work();
  const id = crypto.randomUUID();
  const tell = (add: (recording: CallRecorder) => Promise<void>) => {
    for (const recording of running) add(recording).catch(() => undefined);
  };
  tell((recording) => recording.call({ id, tool, arguments: bounded(given) }));
  try {
    const result = await work();
    const isError = typeof result === 'object' && result !== null && 'error' in result;
    tell((recording) => recording.result({ id, result: bounded(result), ...(isError ? { isError } : {}) }));
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    tell((recording) => recording.result({ id, result: { error: message }, isError: true }));
    throw error;
  }
}

/** What fits into an event; of more, the beginning as text. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= limits.recordingCallCharacters
    ? (value ?? null)
    : `${text.slice(0, limits.recordingCallCharacters)}…`;
}
