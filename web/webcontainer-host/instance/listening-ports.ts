import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { ProcessHandle } from '../../../protocol/sandbox/processes.ts';

/** As the kernel writes it: where the relay of a jail with a network listens (`RELAY_PORT` of guest/launch), whom no program started. */
const relay = '0100007F:EEB7';

/**
 * Prints the ports that anything listens on, a line for each time that they are others: without a fork, since in an emulator
 * each takes long. A line on its terminal, or the end of it, ends it.
 */
const tellPorts = `
stty -echo -opost
last=
while :; do
  now=
  for file in /proc/net/tcp /proc/net/tcp6; do
    [[ -r $file ]] || continue
    while read -r _ local _ state _; do
      [[ $state != 0A || $local = ${relay} ]] || now+=" $((16#\${local##*:}))"
    done <"$file"
  done
  [[ $now = "$last" ]] || printf '%s\\n' "ports$now"
  last=$now
  read -rt 1 && exit
  (( $? > 128 )) || exit
done
`;

const mostLineCharacters = 4_096;

/** Tells which ports programs of a sandbox listen on, while it runs. Whoever starts it closes it. */
export class ListeningPorts {
  readonly #onChange: (opened: readonly number[], closed: readonly number[]) => void;
  #open: ReadonlySet<number> = new Set();
  #starting: Promise<ProcessHandle> | undefined;
  #isClosed = false;

  constructor(onChange: (opened: readonly number[], closed: readonly number[]) => void) {
    this.#onChange = onChange;
  }

  get open(): readonly number[] {
    return [...this.#open];
  }

  /** Starts it where it does not run: it ends with every process at a checkout. */
  start({ processes }: Pick<SandboxConnection, 'processes'>): void {
    if (this.#starting || this.#isClosed) return;
    let line = '';
    const decoder = new TextDecoder();
    const request = {
      command: ['/bin/bash', '-c', tellPorts],
      cwd: '/',
      pty: { columns: 80, rows: 24 },
      stdin: true,
    };
    const starting = processes.exec(request, (event) => {
      if (event.type === 'exit') {
        if (this.#starting === starting) this.#starting = undefined;
        this.#tell(new Set());
        return;
      }
      const lines = (line + decoder.decode(event.bytes, { stream: true })).split('\n');
      line = lines.pop()?.slice(-mostLineCharacters) ?? '';
      for (const text of lines) this.#read(text);
    });
    this.#starting = starting;
    starting.catch(() => {
      if (this.#starting === starting) this.#starting = undefined; // The next spawn tries again.
    });
    if (this.#isClosed) this.close();
  }

  close(): void {
    this.#isClosed = true;
    void this.#starting?.then((process) => process.kill()).catch(() => undefined);
  }

  #read(line: string): void {
    const [mark, ...ports] = line.trim().split(' ');
    if (mark !== 'ports') return;
    this.#tell(
      new Set(ports.map(Number).filter((port) => Number.isInteger(port) && port > 0 && port < 65_536)),
    );
  }

  #tell(now: ReadonlySet<number>): void {
    const before = this.#open;
    this.#open = now;
    const opened = [...now].filter((port) => !before.has(port));
    const closed = [...before].filter((port) => !now.has(port));
    if (!this.#isClosed && opened.length + closed.length > 0) this.#onChange(opened, closed);
  }
}
