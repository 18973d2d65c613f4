/** Bits of each character of a random text of some 40 characters are 4.5 and more; those of a long name 4.2 at most. */
const leastBits = 4.3;
/** How often a random text of letters and digits goes from lower case, upper case and digits to another: 62 %; a long name 25 %. */
const leastChanges = 0.4;

/**
 * Whether a text is as if drawn at random from lower case, upper case and digits. Hexadecimal is not, so that ids of commits and
 * checksums are left as they are, nor is anything of one case.
 */
export function isRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false;
  return bitsOf(text) >= leastBits && changesOf(text) >= leastChanges;
}

function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function changesOf(text: string): number {
  const characters = text.replaceAll(/[^A-Za-z0-9]/g, '');
  let changes = 0;
  for (let at = 1; at < characters.length; at++)
    if (kindOf(characters, at) !== kindOf(characters, at - 1)) changes++;
  return changes / (characters.length - 1);
}

function kindOf(text: string, at: number): 'digit' | 'upper' | 'lower' {
  const code = text.charCodeAt(at);
  return code <= 0x39 ? 'digit' : code <= 0x5a ? 'upper' : 'lower';
}
