import { askSandbox } from '../protocol/ask-sandbox.ts';
import { limits } from '../protocol/limits.ts';
import type { SandboxConnection } from '../protocol/sandbox/connection.ts';
import { type ExecRequest, loginShell } from '../protocol/sandbox/processes.ts';

/** Where a shell stands: what another one needs to go on from there. */
export interface ShellContext {
  readonly cwd: string;
  /** What it exports, but for what every shell, login and terminal sets for itself. */
  readonly envs: Readonly<Record<string, string>>;
}

/**
 * Says in NUL-terminated records where the shell $1 is: its directory, then what it exports. A shell at its
 * prompt is asked (guest/rootfs/etc/coppice/bashrc); while a program runs in front of it, that program has
 * what the shell exports. A shell of runtime `shell`, says it in its /proc/PID/environ (shell/invocation/live-environment.ts).
 */
const askShell = `
shell=$1 file=/dev/shm/coppice-shell.$1
if [[ ! -e /proc/self/stat ]]; then
  mapfile -d '' -t records < <(cat "/proc/$shell/environ")
  ((\${#records[@]})) || exit 1
  for record in "\${records[@]}"; do [[ $record = PWD=* ]] && printf '%s\\0' "\${record#PWD=}"; done
  printf '%s\\0' "\${records[@]}"
  exit 0
fi 2>/dev/null
IFS= read -r stat <"/proc/$shell/stat" || exit 1
set -- \${stat##*) }
ask() {
  : >"$file" && kill -WINCH "$shell" || return
  for turn in {1..60}; do
    [[ -s $file && $(tail -c 1 "$file") = '=' ]] && { cat "$file"; break; }
    sleep 0.05
  done
  rm -f "$file"
}
{
  printf '%s\\0' "$(readlink "/proc/$shell/cwd")"
  if [[ $3 = "$6" ]]; then ask; else cat "/proc/$6/environ"; fi
} 2>/dev/null
exit 0
`;

/** What every shell, login and terminal sets for itself. */
const ownVariables: ReadonlySet<string> = new Set(
  '_ SHLVL PWD TERM COLUMNS LINES HOME USER LOGNAME SHELL'.split(' '),
);

/**
 * Asks a running bash of a sandbox where it stands, without a trace in its terminal or the history.
 * Of other shells only the directory is known. @throws not-found when it is no more; timeout, connection-lost
 */
export async function readShellContext(connection: SandboxConnection, pid: number): Promise<ShellContext> {
  const timeoutMs = limits.shellContextTimeoutMs;
  return parseShellContext(await askSandbox(connection, { script: askShell, args: [`${pid}`], timeoutMs }));
}

/** What to run for a shell that goes on at `place`: a plain login shell where nothing is special. */
export function shellAt(place: ShellContext): Pick<ExecRequest, 'command' | 'cwd' | 'envs'> {
  const { cwd, envs } = place;
  // The start files of a login would set variables anew that come along.
  if (Object.keys(envs).length > 0) return { command: loginShell.slice(0, 1), cwd, envs };
  return { command: loginShell, cwd };
}

/** Reads the records; what a sandbox says is cut to what an exec request takes (H-9). */
export function parseShellContext(text: string): ShellContext {
  const [cwd = '', ...records] = text.split('\0');
  const envs: Record<string, string> = {};
  let room = limits.execArgumentBytes / 2;
  for (const record of records) {
    const at = record.indexOf('=');
    const name = record.slice(0, at);
    if (at < 1 || ownVariables.has(name)) continue;
    room -= 3 * record.length; // UTF-8 has at most three bytes for each unit of UTF-16.
    if (room > 0) envs[name] = record.slice(at + 1);
  }
  return { cwd: cwd.startsWith('/') ? cwd : '/', envs };
}
