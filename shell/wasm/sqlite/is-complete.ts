type Token = 'semicolon' | 'space' | 'create' | 'temp' | 'trigger' | 'end' | 'explain' | 'other';

/** States of SQLite's `sqlite3_complete`: 1 is the end of a statement; from 4 on it is within a trigger. */
const transitions: readonly Readonly<Record<Token, number>>[] = [
  { semicolon: 1, space: 0, explain: 3, create: 4, temp: 2, trigger: 2, end: 2, other: 2 },
  { semicolon: 1, space: 1, explain: 3, create: 4, temp: 2, trigger: 2, end: 2, other: 2 },
  { semicolon: 1, space: 2, explain: 2, create: 2, temp: 2, trigger: 2, end: 2, other: 2 },
  { semicolon: 1, space: 3, explain: 3, create: 4, temp: 2, trigger: 2, end: 2, other: 2 },
  { semicolon: 1, space: 4, explain: 2, create: 2, temp: 4, trigger: 5, end: 2, other: 2 },
  { semicolon: 6, space: 5, explain: 5, create: 5, temp: 5, trigger: 5, end: 5, other: 5 },
  { semicolon: 6, space: 6, explain: 5, create: 5, temp: 5, trigger: 5, end: 7, other: 5 },
  { semicolon: 1, space: 7, explain: 5, create: 5, temp: 5, trigger: 5, end: 5, other: 5 },
];

const tokens =
  /\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$)|;|\[[^\]]*\]?|(["'`])[\s\S]*?(?:\1|$)|[\p{L}\p{N}_$]+|[\s\S]/gu;

/** Whether the text is whole statements, each with its semicolon. */
export function isCompleteSql(text: string): boolean {
  let state = 0;
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('/*') && !(token.length > 3 && token.endsWith('*/'))) return false;
    if (/^["'`[]/.test(token) && !isClosed(token)) return false;
    state = transitions[state]?.[kindOf(token)] ?? 0;
  }
  return state === 1;
}

/** Whether there is nothing but blanks and comments. */
export function isEmptySql(text: string): boolean {
  return text.replace(/--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|[\s;]+/g, '') === '';
}

function isClosed(token: string): boolean {
  const end = token.startsWith('[') ? ']' : token.charAt(0);
  return token.length > 1 && token.endsWith(end);
}

function kindOf(token: string): Token {
  if (token === ';') return 'semicolon';
  if (/^(?:\s|--|\/\*)/.test(token)) return 'space';
  const word = token.toLowerCase();
  if (word === 'create' || word === 'trigger' || word === 'end' || word === 'explain') return word;
  return word === 'temp' || word === 'temporary' ? 'temp' : 'other';
}
