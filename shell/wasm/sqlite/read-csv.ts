/** Rows of a text as `.import` has them: fields in double quotes may hold separators and line breaks. */
export function* readCsv(
  text: string,
  { columnSeparator, rowSeparator }: { readonly columnSeparator: string; readonly rowSeparator: string },
): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at);
    row.push(field.text);
    at = field.end;
    if (text.startsWith(columnSeparator, at)) {
      at += columnSeparator.length;
      if (at === text.length) row.push('');
      else continue;
    } else at += text.startsWith('\r\n', at) ? 2 : rowSeparator.length;
    yield row;
    row = [];
  }
  if (row.length > 0) yield row;

  function plainField(source: string, from: number): { text: string; end: number } {
    let end = from;
    while (
      end < source.length &&
      !source.startsWith(columnSeparator, end) &&
      !source.startsWith(rowSeparator, end)
    ) {
      end += 1;
    }
    const isCarriageReturn =
      rowSeparator === '\n' && source[end] === '\n' && source[end - 1] === '\r' && end > from;
    const last = isCarriageReturn ? end - 1 : end;
    return { text: source.slice(from, last), end };
  }

  function quotedField(source: string, from: number): { text: string; end: number } {
    let found = '';
    let start = from + 1;
    for (;;) {
      const end = source.indexOf('"', start);
      if (end < 0) return { text: found + source.slice(start), end: source.length };
      found += source.slice(start, end);
      if (source[end + 1] !== '"') return { text: found, end: end + 1 };
      found += '"';
      start = end + 2;
    }
  }
}
