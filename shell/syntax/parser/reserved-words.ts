/** Words that mean something where a command begins. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...[
    '!',
    '{',
    '}',
    'case',
    'do',
    'done',
    'elif',
    'else',
    'esac',
    'fi',
    'for',
    'if',
    'then',
    'until',
    'while',
  ],
  ...['[[', 'coproc', 'function', 'select', 'time'],
]);
