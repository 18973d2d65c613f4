import { type Tool, tool } from '@openai/agents-core';
import { Capability } from '@openai/agents-core/sandbox';
import { SandboxError } from '../../protocol/errors.ts';
import { AgentsSession } from './openai-agents-session.ts';
import { sandboxTools } from './sandbox-tools.ts';

/** The capability to take snapshots and to go back to them, beside `shell()` and `filesystem()`. */
export function history(): Capability {
  return new HistoryCapability();
}

class HistoryCapability extends Capability {
  readonly type = 'history';

  override tools(): Tool[] {
    if (!(this._session instanceof AgentsSession)) {
      throw new SandboxError(
        'unsupported',
        'Cannot go back in the sandbox: it is of another client than AgentsClient',
      );
    }
    const tools = sandboxTools(this._session.sandbox, { only: ['snapshot', 'checkout', 'undo'] });
    return tools.map(({ name, description, parameters, run }) =>
      tool({
        name,
        description,
        parameters: { ...parameters, properties: { ...parameters.properties }, additionalProperties: true },
        strict: false,
        execute: async (input, _context, details) =>
          JSON.stringify(await run(input, { signal: details?.signal })),
      }),
    );
  }

  override instructions(): string {
    return 'Every command and edit is followed by a snapshot of all files; `undo` and `checkout` go back to one.';
  }
}
