import { pathOfNone } from '../../processes/executables.ts';
import { errorMessages } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { ProgramCall } from '../program.ts';
import type { Invocation } from './define-program.ts';

interface CommandOptions {
  readonly options?: Parameters<ProgramCall['run']>[1];
  /** What is said of a command that there is none of, before its name. */
  readonly failing?: ShellText;
  /** Its name stands without quotes. */
  readonly isBare?: boolean;
}

/** Runs another program, and says so where there is none: the answer is 127 then. */
export async function runCommand(
  { call, warn, out }: Pick<Invocation<never>, 'call' | 'warn' | 'out'>,
  argv: readonly ShellText[],
  { options = {}, failing = '', isBare = false }: CommandOptions = {},
): Promise<number> {
  await out.flush();
  const [name = ''] = argv;
  const { environment = call.environment } = options;
  const path = environment.get('PATH') ?? pathOfNone;
  const isMissing = call.find !== undefined && !name.includes('/') && call.find(name, path) === undefined;
  const status = await call.run(argv, options);
  call.signal.throwIfAborted();
  const isSilent = isMissing || (call.find === undefined && status === 127 && !name.includes('/'));
  if (isSilent) await warn(`${failing}${isBare ? name : quoteName(name)}: ${errorMessages.ENOENT}`);
  return status;
}
