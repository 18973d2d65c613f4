import { signalName, signalNumber } from '../../processes/signals.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { wait } from '../streams/wait.ts';
import { durationMs } from './durations.ts';

export const timeout: Program = defineProgram({
  usage: '[OPTION] DURATION COMMAND [ARG]...',
  summary: 'Start COMMAND, and kill it if still running after DURATION.',
  usageStatus: 125,
  permutes: false,
  options: {
    preserve: '--preserve-status  exit with the same status as COMMAND, even when the command times out',
    foreground: '--foreground  (ignored)',
    killAfter:
      '-k, --kill-after=DURATION  also send a KILL signal if COMMAND is still running this long after',
    signal: '-s, --signal=SIGNAL  specify the signal to be sent on timeout',
    verbose: '-v, --verbose  diagnose to stderr any signal sent upon timeout',
  },
  async run(invocation) {
    const { call, options, operands, warn } = invocation;
    const [duration, ...argv] = operands;
    if (duration === undefined || argv.length === 0) throw new UsageError('');
    const limitMs = durationMs(duration);
    const signal = signalOf(options.value('signal') ?? 'TERM');
    const command = new AbortController();
    const timer = new AbortController();
    const signals = AbortSignal.any([call.signal, timer.signal]);
    let hasTimedOut = false;
    const limit =
      limitMs === 0 || !Number.isFinite(limitMs)
        ? undefined
        : wait(limitMs, signals).then(async () => {
            hasTimedOut = true;
            if (options.has('verbose'))
              await warn(`sending signal ${signal.slice(3)} to command ${quoteName(argv[0] ?? '')}`);
            command.abort(signal);
          });
    limit?.catch(() => {});
    try {
      const status = await runCommand(invocation, argv, {
        options: { signal: AbortSignal.any([call.signal, command.signal]) },
        failing: 'failed to run command ',
      });
      if (!hasTimedOut || options.has('preserve')) return status;
      return signal === 'SIGKILL' ? 137 : 124;
    } catch (error) {
      call.signal.throwIfAborted();
      if (!hasTimedOut) throw error;
      return signal === 'SIGKILL' ? 137 : 124;
    } finally {
      timer.abort('SIGTERM');
    }
  },
});

function signalOf(text: ShellText): string {
  const number = /^\d+$/.test(text) ? Number(text) : signalNumber(text);
  const name = number === undefined ? undefined : signalName(number);
  if (name === undefined) throw new UsageError(`${quoteName(text)}: invalid signal`);
  return name;
}
