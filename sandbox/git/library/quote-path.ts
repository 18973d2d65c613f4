const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\x07': '\\a',
  '\b': '\\b',
  '\v': '\\v',
  '\f': '\\f',
};

/** As git quotes a path that would break a line, and, with `bytes`, one that is not ASCII (`quote_c_style`, `core.quotePath`). */
export function quotePath(path: string, { bytes = false }: { readonly bytes?: boolean } = {}): string {
  const special = bytes ? /["\\\p{Cc}]|\P{ASCII}+/gu : /["\\\p{Cc}]/gu;
  if (!special.test(path)) return path;
  const text = path.replaceAll(special, (unit) => escapes[unit] ?? octal(unit));
  return `"${text}"`;
}

function octal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(
    '',
  );
}
