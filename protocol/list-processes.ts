import { askSandbox } from './ask-sandbox.ts';
import { SandboxError } from './errors.ts';
import { limits } from './limits.ts';
import type { SandboxConnection } from './sandbox/connection.ts';

/** The states of proc_pid_stat(5). */
const states = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting',
  I: 'idle',
  T: 'stopped',
  t: 'traced',
  Z: 'zombie',
  X: 'dead',
} as const;

/** The state of a process. `waiting`: for a device, uninterruptibly; `other`: an unknown state. */
export type ProcessState = (typeof states)[keyof typeof states] | 'other';
export const processStates: readonly [ProcessState, ...ProcessState[]] = [
  'other',
  ...new Set(Object.values(states)),
];

/** A process of a sandbox, as its kernel reports it. Its name and arguments are data (H-9). */
export interface SandboxProcess {
  readonly pid: number;
  readonly parentPid: number;
  /** The name of its user, or the number where there is no such name. */
  readonly user: string;
  /** Its arguments without control characters, cut to 32 of 256 characters each; of a zombie its name in brackets. */
  readonly command: readonly string[];
  readonly state: ProcessState;
  /** Processor time so far. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly residentBytes: number;
}

/** The processes of a sandbox. */
export interface ProcessList {
  /** Sorted by number, `limits.listedProcesses` at most. */
  readonly processes: readonly SandboxProcess[];
  /** Whether these are all. */
  readonly isComplete: boolean;
}

/**
 * Prints the content of /proc (proc_pid_stat(5)) as NUL-terminated fields: for each process seven fields and the
 * number of its arguments, then the arguments. Omits itself and kernel threads (PF_KTHREAD), and prints $1
 * processes at most. Bash reads a line with one read call, but other delimiters byte by byte, so the script reads
 * lines where it can. A tick is 10 ms and a page 4 KiB on all guests.
 */
const script = `
[[ -e /proc/self/stat ]] || { printf 'nothing\\0'; exit 0; }
shopt -s nullglob
left=$1 IFS=$'\\n'
declare -A names
mapfile -t lines </etc/passwd
for line in "\${lines[@]}"; do IFS=: read -r name _ uid _ <<<"$line"; names[$uid]=$name; done
for dir in /proc/[0-9]*; do
  [[ $dir = /proc/$$ ]] && continue
  mapfile -t lines 2>/dev/null <"$dir/stat" || continue
  stat="\${lines[*]}"
  IFS=' ' read -r -a fields <<<"\${stat##*) }"
  (( \${#fields[@]} < 22 || fields[6] & 0x200000 )) && continue
  (( left-- )) || { printf 'more\\0'; break; }
  uid= args=()
  mapfile -t lines 2>/dev/null <"$dir/status"
  for line in "\${lines[@]}"; do [[ $line = Uid:* ]] && { IFS=$'\\t' read -r _ uid _ <<<"$line"; break; }; done
  mapfile -d '' -n 32 -t args 2>/dev/null <"$dir/cmdline"
  if (( \${#args[@]} == 0 )); then comm=\${stat#*(}; args=("[\${comm%)*}]"); fi
  args=("\${args[@]//[[:cntrl:]]/?}")
  printf '%s\\0' "\${dir#/proc/}" "\${fields[1]}" "\${names[$uid]:-$uid}" "\${fields[0]}" \\
    $(( (fields[11] + fields[12]) * 10 )) $(( fields[21] * 4096 )) "\${#args[@]}"
  for arg in "\${args[@]}"; do printf '%s\\0' "\${arg:0:256}"; done
done
exit 0
`;
const fieldsBeforeArguments = 7;
const mostArguments = 32;
const mostCharacters = 256;

/**
 * The running processes of a sandbox. The query leaves no trace in its history; in a tab it takes seconds.
 * @throws unsupported where a sandbox has no /proc; timeout, connection-lost
 */
export async function listProcesses(connection: SandboxConnection): Promise<ProcessList> {
  const said = await askSandbox(connection, {
    script,
    args: [`${limits.listedProcesses}`],
    timeoutMs: limits.requestTimeoutMs,
  });
  if (said.startsWith('nothing\0')) {
    const why = 'what it runs in has no /proc';
    throw new SandboxError('unsupported', `Cannot list processes of this sandbox: ${why}`, {
      details: { feature: 'processes' },
    });
  }
  return parseProcessList(said);
}

/** Parses the script's output, and clamps every value to its valid range, since a sandbox can forge it (H-9). */
export function parseProcessList(said: string): ProcessList {
  const fields = said.split('\0', limits.listedProcesses * (fieldsBeforeArguments + mostArguments) + 1);
  const processes: SandboxProcess[] = [];
  let at = 0;
  while (processes.length < limits.listedProcesses && fields.length - at > fieldsBeforeArguments) {
    const [pid, parentPid, user = '', state = '', cpuMs, residentBytes, count] = fields.slice(
      at,
      at + fieldsBeforeArguments,
    );
    at += fieldsBeforeArguments;
    const end = Math.min(at + Math.min(amount(count), mostArguments), fields.length);
    const known = Object.hasOwn(states, state) ? states[state as keyof typeof states] : 'other';
    processes.push({
      pid: amount(pid),
      parentPid: amount(parentPid),
      user: plainText(user),
      command: fields.slice(at, end).map(plainText),
      state: known,
      cpuMs: amount(cpuMs),
      residentBytes: amount(residentBytes),
    });
    at = end;
  }
  return { processes: processes.sort((a, b) => a.pid - b.pid), isComplete: fields[at] !== 'more' };
}

function plainText(text: string): string {
  return text.slice(0, mostCharacters).replaceAll(/\p{Cc}/gu, '?');
}

function amount(text: string | undefined): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
