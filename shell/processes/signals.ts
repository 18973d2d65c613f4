/** Linux's signals by number (signal(7), x86). */
const names: readonly string[] = [
  '',
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGUSR1',
  'SIGSEGV',
  'SIGUSR2',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGSTKFLT',
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
];

const minRealTime = 34;
const maxRealTime = 64;

/** Signals that end nothing unless a process has a handler for them. Stopping is not supported, so they are among these. */
const harmless: ReadonlySet<string> = new Set([
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGWINCH',
]);

/** `SIGTERM` of 15. */
export function signalName(number: number): string | undefined {
  if (number >= 1 && number < names.length) return names[number];
  if (number < minRealTime || number > maxRealTime) return undefined;
  if (number === minRealTime) return 'SIGRTMIN';
  if (number === maxRealTime) return 'SIGRTMAX';
  return number < 50 ? `SIGRTMIN+${number - minRealTime}` : `SIGRTMAX-${maxRealTime - number}`;
}

/** 15 of `SIGTERM`, `TERM` or `term`. */
export function signalNumber(name: string): number | undefined {
  const upper = name.toUpperCase();
  const full = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  if (full === 'SIG') return undefined;
  const index = names.indexOf(full);
  if (index > 0) return index;
  for (let number = minRealTime; number <= maxRealTime; number++)
    if (signalName(number) === full) return number;
  return undefined;
}

/** Numbers of all signals in order. */
export function signalNumbers(): readonly number[] {
  const all: number[] = [];
  for (let number = 1; number <= maxRealTime; number++)
    if (signalName(number) !== undefined) all.push(number);
  return all;
}

/** Whether a signal ends a process that has no handler for it. */
export function isDeadly(name: string): boolean {
  return !harmless.has(name);
}

/** What `wait` answers of a process that a signal ended. */
export function signalExitCode(name: string): number {
  return 128 + (signalNumber(name) ?? 0);
}

/** What bash says of a process that a signal ended (`strsignal`). */
export const signalWords: ReadonlyMap<string, string> = new Map([
  ['SIGHUP', 'Hangup'],
  ['SIGQUIT', 'Quit'],
  ['SIGILL', 'Illegal instruction'],
  ['SIGTRAP', 'Trace/breakpoint trap'],
  ['SIGABRT', 'Aborted'],
  ['SIGBUS', 'Bus error'],
  ['SIGFPE', 'Floating point exception'],
  ['SIGKILL', 'Killed'],
  ['SIGUSR1', 'User defined signal 1'],
  ['SIGSEGV', 'Segmentation fault'],
  ['SIGUSR2', 'User defined signal 2'],
  ['SIGALRM', 'Alarm clock'],
  ['SIGTERM', 'Terminated'],
]);
