import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { type AskOf, type Fields, readFields } from './fields.ts';

/** What operations work with: that of one request. */
export interface OperationContext {
  readonly backend: SandboxBackend;
  /** Where the served sandboxes are. */
  readonly folder: string;
  /** A sandbox by its name or id, or the usual one; closed by the operation. @throws not-found, conflict */
  openSandbox(which: string | undefined): Promise<Sandbox>;
  /** Sends the client an event. Resolves when more may be sent. */
  tell(event: object): Promise<void>;
  /** Aborted when the client cancels the request, or is gone. */
  readonly signal: AbortSignal;
  /** What whoever serves the folder says of itself. */
  describe(): object;
  /** @throws `unsavedChanges` where the end would lose some */
  assertSaved(): Promise<void>;
  /** Has the folder served no longer, soon after the answer. */
  stop(): void;
}

/** One thing that can be asked for. `run` checks what it is given. */
export interface Operation {
  /** What it does, as the help and the reference have it. */
  readonly summary: string;
  readonly fields: Fields;
  /** What `result` is. */
  readonly result: string;
  /** Which events come before the result. */
  readonly events?: string;
  run(given: Readonly<Record<string, unknown>>, context: OperationContext): Promise<unknown>;
}

const which = {
  sandbox: {
    kind: 'text',
    summary: 'a sandbox by its name or id; by default the one that --sandbox of the server names',
  },
} as const satisfies Fields;

interface Definition<F extends Fields, Run> extends Omit<Operation, 'fields' | 'run'> {
  readonly fields: F;
  readonly run: Run;
}

/** An operation that is about no sandbox, or about all of them. */
export function define<const F extends Fields>(
  op: string,
  parts: Definition<F, (ask: AskOf<F>, context: OperationContext) => Promise<unknown>>,
): Operation {
  return { ...parts, run: (given, context) => parts.run(readFields(parts.fields, given, op), context) };
}

/** An operation on one sandbox, which it has open meanwhile. */
export function about<const F extends Fields>(
  op: string,
  parts: Definition<F, (sandbox: Sandbox, ask: AskOf<F>, context: OperationContext) => Promise<unknown>>,
): Operation {
  const fields = { ...parts.fields, ...which };
  return {
    ...parts,
    fields,
    run: async (given, context) => {
      const ask = readFields(fields, given, op);
      await using sandbox = await context.openSandbox(ask.sandbox);
      return await parts.run(sandbox, ask, context);
    },
  };
}
