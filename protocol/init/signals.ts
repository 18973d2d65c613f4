/** Linux signal numbers on x86 (signal(7)). */
const signalNumbers = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGWINCH: 28,
  SIGSYS: 31,
} as const;

export type SignalName = keyof typeof signalNumbers;

/** The number to send for a name. */
export function signalNumber(name: SignalName): number {
  return signalNumbers[name];
}

/** The name for a number that ended a process; `SIG` and the number for the rare ones. */
export function signalName(number: number): string {
  return Object.entries(signalNumbers).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}
