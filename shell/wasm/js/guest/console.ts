import type { GuestLibrary } from './guest-host.ts';

/** `console` and `util`. Runs within QuickJS. */
export function installConsole({ call, modules }: GuestLibrary): void {
  const lineWidth = 72;
  const deepest = 2;
  const mostItems = 100;

  function quote(text: string): string {
    const json = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"');
    return text.includes("'") ? JSON.stringify(text) : `'${json}'`;
  }

  function nameOf(value: object): string {
    const maker: unknown = Object.getPrototypeOf(value)?.constructor;
    return typeof maker === 'function' ? maker.name : '';
  }

  function isPlainKey(key: string): boolean {
    return /^[A-Za-z_$][\w$]*$/.test(key);
  }

  function membersOf(value: object, seen: readonly unknown[]): string[] {
    return Object.entries(value).map(
      ([key, member]) => `${isPlainKey(key) ? key : quote(key)}: ${inspect(member, seen)}`,
    );
  }

  function itemsOf(items: readonly unknown[], seen: readonly unknown[]): string[] {
    const shown = items.slice(0, mostItems).map((item) => inspect(item, seen));
    if (items.length > mostItems) shown.push(`... ${items.length - mostItems} more items`);
    return shown;
  }

  function wrap(open: string, parts: readonly string[], close: string): string {
    if (parts.length === 0) return open + close;
    const line = `${open} ${parts.join(', ')} ${close}`;
    if (line.length <= lineWidth && !line.includes('\n')) return line;
    return `${open}\n${parts.map((part) => `  ${part.replace(/\n/g, '\n  ')}`).join(',\n')}\n${close}`;
  }

  function inspectObject(value: object, seen: readonly unknown[]): string {
    if (value instanceof Error) return `${value}\n${value.stack ?? ''}`.trimEnd();
    if (value instanceof Date) return value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return 'Promise {}';
    const name = nameOf(value);
    if (Array.isArray(value))
      return seen.length > deepest ? '[Array]' : wrap('[', itemsOf(value, [...seen, value]), ']');
    if (seen.length > deepest) return `[${name || 'Object'}]`;
    const inner = [...seen, value];
    if (value instanceof Uint8Array)
      return wrap(`${name}(${value.length}) [`, itemsOf(Array.from(value), inner), ']');
    if (value instanceof Set) return wrap(`Set(${value.size}) {`, itemsOf([...value], inner), '}');
    if (value instanceof Map) {
      const entries = [...value].map(([key, item]) => `${inspect(key, inner)} => ${inspect(item, inner)}`);
      return wrap(`Map(${value.size}) {`, entries, '}');
    }
    return wrap(
      name === 'Object' ? '{' : `${name || '[Object: null prototype]'} {`,
      membersOf(value, inner),
      '}',
    );
  }

  function inspect(value: unknown, seen: readonly unknown[] = []): string {
    if (typeof value === 'string') return quote(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return value.toString();
    if (Object.is(value, -0)) return '-0';
    if (typeof value === 'function') {
      const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'Function';
      return value.name ? `[${kind}${kind === 'class' ? ' ' : ': '}${value.name}]` : `[${kind} (anonymous)]`;
    }
    if (typeof value !== 'object' || value === null) return String(value);
    return seen.includes(value) ? '[Circular]' : inspectObject(value, seen);
  }

  function format(...values: readonly unknown[]): string {
    const [first, ...rest] = values;
    if (typeof first !== 'string') return values.map(textOf).join(' ');
    const text = first.replace(/%[sdifjoO%]/g, (mark) => {
      if (mark === '%%') return '%';
      if (rest.length === 0) return mark;
      const value = rest.shift();
      if (mark === '%s') return typeof value === 'object' ? inspect(value) : String(value);
      if (mark === '%d' || mark === '%f') return String(Number(value));
      if (mark === '%i') return String(Number.parseInt(String(value), 10));
      return mark === '%j' ? JSON.stringify(value) : inspect(value);
    });
    return [text, ...rest.map(textOf)].join(' ');
  }

  function textOf(value: unknown): string {
    return typeof value === 'string' ? value : inspect(value);
  }

  const print =
    (fd: 1 | 2) =>
    (...values: readonly unknown[]): void => {
      call('output', [fd, `${format(...values)}\n`]);
    };
  const [out, err] = [print(1), print(2)];
  modules.util = { format, inspect: (value: unknown) => inspect(value) };
  Object.assign(globalThis, {
    console: { log: out, info: out, debug: out, dir: out, error: err, warn: err, trace: err },
  });
}
