/** Something that a terminal got: output, what repaints all of it, or another size. */
interface TerminalEvent {
  readonly at: number;
  readonly type: 'output' | 'keyframe' | 'resize';
  readonly data: string;
  readonly columns: number;
  readonly rows: number;
}

export interface PageTerminal {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly events: TerminalEvent[];
}

/** What stands beside the terminal: a message, a call of a tool, a command, a snapshot, a note, a chapter. */
export interface PageItem {
  readonly at: number;
  readonly kind: string;
  readonly title: string;
  text: string;
  hasFailed: boolean;
}

export interface PageRecording {
  readonly title: string;
  readonly duration: number;
  readonly terminals: readonly PageTerminal[];
  readonly items: readonly PageItem[];
  /** Items that are not shown, as there are too many. */
  readonly hidden: number;
}

/**
 * Reads the recording of a page from the text that its bytes inflate to. It becomes part of the page's script as it is, by its source, so it uses nothing from
 * outside of itself.
 */
export function readPageRecording(text: string): PageRecording {
  const most = { items: 5_000, textUnits: 4_000, side: 1_000 };
  const cut = (whole: string) =>
    whole.length > most.textUnits ? `${whole.slice(0, most.textUnits)}…` : whole;
  const words = (value: unknown) =>
    cut(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''));
  const side = (value: unknown, usual: number) =>
    Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), most.side) : usual;
  const [head = '{}', ...lines] = text.split('\n');
  const header = JSON.parse(head);
  const columns = side(header.term?.cols, 80);
  const rows = side(header.term?.rows, 24);
  const terminals = new Map<number, PageTerminal>([[1, { title: 'Terminal', columns, rows, events: [] }]]);
  const items: PageItem[] = [];
  const calls = new Map<string, PageItem>();
  const commands = new Map<number, PageItem>();
  let hidden = 0;
  let at = 0;

  const add = (kind: string, title: string, told: string): PageItem => {
    const item = { at, kind, title: cut(title), text: cut(told), hasFailed: false };
    if (items.length < most.items) items.push(item);
    else hidden += 1;
    return item;
  };
  const addCall = ({ tool, arguments: given }: Record<string, unknown>): PageItem => {
    const { command } = (given ?? {}) as Record<string, unknown>;
    // Of a shell, the command says it all.
    return typeof command === 'string'
      ? add('call', `${tool}: ${command}`, '')
      : add('call', String(tool), words(given));
  };
  const show = (terminal: number, type: TerminalEvent['type'], data: string, size: unknown[] = []) => {
    const shown = terminals.get(terminal);
    const last = shown?.events.at(-1);
    shown?.events.push({
      at,
      type,
      data,
      columns: side(size[0], last?.columns ?? shown.columns),
      rows: side(size[1], last?.rows ?? shown.rows),
    });
  };
  const tell = (event: Record<string, unknown>) => {
    const { type, terminal = 0, text: told = '' } = event as { type: string; terminal: number; text: string };
    if (type === 'output') show(terminal, 'output', String(event.data));
    else if (type === 'keyframe' || type === 'resize')
      show(terminal, type, String(event.data ?? ''), [event.columns, event.rows]);
    else if (type === 'terminal' && terminals.size < 100)
      terminals.set(terminal, {
        title: cut(String(event.title)),
        columns: side(event.columns, columns),
        rows: side(event.rows, rows),
        events: [],
      });
    else if (type === 'message') add(String(event.role), String(event.role), told);
    else if (type === 'note') add('note', 'Note', told);
    else if (type === 'chapter') add('chapter', String(event.title), '');
    else if (type === 'snapshot') {
      const { created = 0, modified = 0, deleted = 0 } = (event.changes ?? {}) as Record<string, number>;
      add('snapshot', String(event.label), `${created} new, ${modified} changed, ${deleted} deleted`);
    } else if (type === 'call') calls.set(String(event.id), addCall(event));
    else if (type === 'result') {
      const call = calls.get(String(event.id));
      calls.delete(String(event.id));
      if (!call) return;
      call.text = `${call.text}\n\n${words(event.result)}`.trim();
      call.hasFailed = event.isError === true;
      // Of a call that runs a command, the call is shown.
    } else if (type === 'command' && calls.size === 0)
      commands.set(Number(event.command), add('command', `$ ${told}`, ''));
    else if (type === 'command-end') {
      const command = commands.get(Number(event.command));
      commands.delete(Number(event.command));
      if (!command || event.exitCode === 0) return;
      command.hasFailed = true;
      command.text = `ended with ${event.exitCode}`;
    }
  };

  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const [interval, code, data] = JSON.parse(line);
    at = Math.round((at + interval) * 1_000) / 1_000;
    if (code === 'o') show(1, 'output', data);
    else if (code === 'r') show(1, 'resize', '', String(data).split('x').map(Number));
    else if (code === 'C') tell(JSON.parse(data));
  }
  return {
    title: String(header.title ?? 'Recording'),
    duration: at,
    terminals: [...terminals.values()],
    items,
    hidden,
  };
}
