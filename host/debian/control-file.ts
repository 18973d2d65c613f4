/** One stanza of a Debian control file: field names in lower case to values, continuation lines kept. */
export type Stanza = ReadonlyMap<string, string>;

/** Splits a control file (deb822(5)) into its stanzas. Lines that are neither field nor continuation are refused by name. */
export function parseControl(text: string): Stanza[] {
  const stanzas: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  let field = '';
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      current = undefined;
    } else if (line.startsWith(' ') || line.startsWith('\t')) {
      if (!current) throw new RangeError(`A control file starts with a continuation: ${line.slice(0, 80)}`);
      current.set(field, `${current.get(field)}\n${line}`);
    } else {
      const colon = line.indexOf(':');
      if (colon < 1) throw new RangeError(`Not a line of a control file: ${line.slice(0, 80)}`);
      field = line.slice(0, colon).toLowerCase();
      if (!current) {
        current = new Map();
        stanzas.push(current);
      }
      current.set(field, line.slice(colon + 1).trim());
    }
  }
  return stanzas;
}

/** The value of a field that must be there. @throws RangeError */
export function requiredField(stanza: Stanza, name: string): string {
  const value = stanza.get(name);
  if (value === undefined) throw new RangeError(`A control stanza has no ${name}`);
  return value;
}
