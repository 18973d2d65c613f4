/** A word that sh, bash and zsh take as it is. One that begins with `=`, `%` or `^` is something else to some of them. */
const plainWord = /^[\w+,./:@-][\w%+,./:=@^-]*$/;

/**
 * The words of a command as one text that sh, bash and zsh take apart into the same words: `git commit -m 'a b'`. Control
 * characters stay as they are: what goes to a terminal goes through `plainText` first.
 */
export function quoteWords(words: readonly string[]): string {
  // A first word with `=` would set a variable.
  return words.map((word, at) => (at === 0 && word.includes('=') ? quoted(word) : quoteWord(word))).join(' ');
}

function quoteWord(word: string): string {
  return plainWord.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
