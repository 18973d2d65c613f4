import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Transport } from '../../../protocol/wire/transports/transport.ts';
import type { SandboxRecords } from '../../../sandbox/backend/sandbox-records.ts';
import type { SandboxRecord } from '../../../sandbox/sandbox-settings.ts';

/** What the process of a shell asks of its bridge, which alone has the registry. */
type Question =
  | { readonly ask: 'get' | 'remove' | 'begin' | 'forgetUnfinished'; readonly sandbox: string }
  | { readonly ask: 'add'; readonly record: SandboxRecord };

/** From the process: a question, or the answer to a `ping`, of which it sends one when it begins to serve. */
export type FromShell = (Question & { readonly id: number }) | { readonly pong: number };

/** From the bridge. */
export type ToShell =
  | { readonly id: number; readonly record?: SandboxRecord; readonly error?: unknown }
  | { readonly ping: number };

export function sendMessage(transport: Transport, message: FromShell | ToShell): void {
  void transport.send(new TextEncoder().encode(JSON.stringify(message)));
}

/** What the other end sent; the caller checks what it uses. @throws SyntaxError */
export function readMessage<Message extends FromShell | ToShell>(bytes: Uint8Array): Message {
  return JSON.parse(new TextDecoder().decode(bytes)) as Message;
}

/** The registry, in the process of a shell: as far as making and opening a sandbox needs it. Answers pings on the way. */
export function askedRecords(transport: Transport): SandboxRecords {
  const waiting = new Map<number, PromiseWithResolvers<SandboxRecord | undefined>>();
  let lastId = 0;
  transport.receive = (bytes) => {
    const message = readMessage<ToShell>(bytes);
    if ('ping' in message) return sendMessage(transport, { pong: message.ping });
    const { id, record, error } = message;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(record);
    else asked?.reject(SandboxError.from(error));
  };
  const ask = (question: Question): Promise<SandboxRecord | undefined> => {
    if (waiting.size >= limits.shellQuestions) {
      throw new SandboxError('busy', 'Cannot ask the bridge: too many questions wait for an answer');
    }
    const id = ++lastId;
    const asked = Promise.withResolvers<SandboxRecord | undefined>();
    waiting.set(id, asked);
    sendMessage(transport, { ...question, id });
    return asked.promise;
  };
  return {
    get: async (sandbox) => found(await ask({ ask: 'get', sandbox })),
    add: async (record) => void (await ask({ ask: 'add', record })),
    remove: async (sandbox) => void (await ask({ ask: 'remove', sandbox })),
    begin: async (sandbox) => void (await ask({ ask: 'begin', sandbox })),
    forgetUnfinished: async (sandbox) => void (await ask({ ask: 'forgetUnfinished', sandbox })),
    // The bridge lists them, and clears away what was never finished.
    list: async () => [],
    unfinished: async () => [],
  };
}

function found(record: SandboxRecord | undefined): SandboxRecord {
  if (record) return record;
  throw new SandboxError('not-found', 'The bridge has no such sandbox');
}

/**
 * Answers the questions of one process. It may read of every sandbox, as forks and comparisons do; it adds, and removes,
 * only those that it has begun itself.
 */
export function recordsFor(
  records: SandboxRecords,
): (question: Question) => Promise<SandboxRecord | undefined> {
  const begun = new Set<string>();
  const assertBegun = (sandbox: string): void => {
    if (!begun.has(sandbox))
      throw new SandboxError('forbidden', `Sandbox "${sandbox}" is none of this process`);
  };
  return async (question) => {
    switch (question.ask) {
      case 'get':
        return records.get(question.sandbox);
      case 'begin':
        await assertIsNew(records, question.sandbox);
        await records.begin(question.sandbox);
        begun.add(question.sandbox);
        return undefined;
      case 'add':
        assertBegun(question.record.id);
        if (question.record.runtime !== 'shell')
          throw new SandboxError('forbidden', 'A shell makes shells only');
        await records.add(question.record);
        return undefined;
      case 'remove':
      case 'forgetUnfinished':
        assertBegun(question.sandbox);
        await records[question.ask](question.sandbox);
        return undefined;
      default:
        throw new SandboxError('protocol-violation', 'The process of a shell asked for what there is not');
    }
  };
}

/** What is begun and not added is deleted by the next bridge: it must not be a sandbox that there is. */
async function assertIsNew(records: SandboxRecords, id: string): Promise<void> {
  const isThere = await records.get(id).then(
    () => true,
    () => false,
  );
  if (isThere) throw new SandboxError('forbidden', `Sandbox "${id}" is none of this process`);
}
