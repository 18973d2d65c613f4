import { SandboxError } from '../../protocol/errors.ts';
import type { Cli } from '../cli.ts';
import { confirm } from '../output/confirm.ts';
import { conflictLines, conflictsOf } from './conflict-lines.ts';

const remedy = '--take-all takes back what was changed there since as well: it stays in the history';

interface TakeAllOptions {
  readonly takeAll?: boolean;
  readonly json?: boolean;
}

/** Asks on a terminal before what was changed since goes as well; elsewhere that is an error with the paths. */
export async function withQuestion<Result>(
  { takeAll = false, json = false }: TakeAllOptions,
  cli: Cli,
  work: (all: { readonly takeAll: boolean }) => Promise<Result>,
): Promise<Result> {
  try {
    return await work({ takeAll });
  } catch (cause) {
    const error = SandboxError.from(cause);
    const conflicts = conflictsOf(error);
    if (conflicts.length === 0) throw error;
    const { stdin, stderr } = cli.context;
    if (json || !stdin.isTTY || !stderr.isTTY) {
      if (!json) cli.context.stderr.write(`${conflictLines(conflicts).join('\n')}\n`);
      throw new SandboxError(error.code, `${error.message}. ${remedy}`, { cause, details: error.details });
    }
    stderr.write(`These were changed since in the same place:\n${conflictLines(conflicts).join('\n')}\n`);
    await confirm('Take that back as well? It stays in the history.', cli.context);
    return work({ takeAll: true });
  }
}
