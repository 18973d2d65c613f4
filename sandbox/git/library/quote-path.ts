const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
};

/** As git quotes a path that would break a line (`quote_c_style`). */
export function quotePath(path: string): string {
  if (!/["\\\p{Cc}]/u.test(path)) return path;
  const text = path.replaceAll(
    /["\\\p{Cc}]/gu,
    (unit) => escapes[unit] ?? `\\${unit.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${text}"`;
}
