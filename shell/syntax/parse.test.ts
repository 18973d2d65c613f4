// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that expands them.
import { describe, expect, test } from 'vitest';
import { parse, parseUntilProblem, ScriptReader, type SyntaxProblem } from './parse.ts';

/** Scripts, and the line and the words in which bash 5.2 tells of their mistake. */
const mistakes: readonly (readonly [source: string, line: number, message: string])[] = [
  ['if true; fi', 1, "syntax error near unexpected token `fi'"],
  ['echo ;; ', 1, "syntax error near unexpected token `;;'"],
  ['(', 2, 'syntax error: unexpected end of file'],
  ['for', 1, "syntax error near unexpected token `newline'"],
  ['while true; do', 2, 'syntax error: unexpected end of file'],
  ['echo "a', 1, 'unexpected EOF while looking for matching `"\''],
  ["echo 'a", 1, "unexpected EOF while looking for matching `''"],
  ['echo `a', 1, "unexpected EOF while looking for matching ``'"],
  ['echo ${x', 1, "unexpected EOF while looking for matching `}'"],
  ['echo $((1+', 1, "unexpected EOF while looking for matching `)'"],
  ['((1+', 1, "unexpected EOF while looking for matching `)'"],
  ['a=(1 2', 1, "unexpected EOF while looking for matching `)'"],
  ['f() {', 2, 'syntax error: unexpected end of file'],
  ['case x in', 2, 'syntax error: unexpected end of file'],
  ['echo a &&', 2, 'syntax error: unexpected end of file'],
  ['echo a |', 2, 'syntax error: unexpected end of file'],
  ['| x', 1, "syntax error near unexpected token `|'"],
  ['echo (', 1, "syntax error near unexpected token `newline'"],
  ['fi', 1, "syntax error near unexpected token `fi'"],
  ['}', 1, "syntax error near unexpected token `}'"],
  ['[[ a b ]]', 1, 'conditional binary operator expected'],
  ['[[ -z ]]', 1, "unexpected argument `]]' to conditional unary operator"],
  ['a() b', 1, "syntax error near unexpected token `b'"],
  ['x=$(if)', 1, "syntax error near unexpected token `)'"],
  ['&& a', 1, "syntax error near unexpected token `&&'"],
  ['for x y', 1, "syntax error near unexpected token `y'"],
  ['case x', 2, 'syntax error: unexpected end of file'],
  ['echo <', 1, "syntax error near unexpected token `newline'"],
  ['echo < ;', 1, "syntax error near unexpected token `;'"],
  ['{ echo;', 2, 'syntax error: unexpected end of file'],
  ['echo )', 1, "syntax error near unexpected token `)'"],
  ['echo a\nfi', 2, "syntax error near unexpected token `fi'"],
  ['a["x"', 1, "unexpected EOF while looking for matching `]'"],
  ['if x; then\n  y\n', 3, 'syntax error: unexpected end of file'],
  ['select x in a', 2, 'syntax error: unexpected end of file'],
  ['echo a; ; b', 1, "syntax error near unexpected token `;'"],
  ['for ((i=0;i<1)); do :; done', 1, 'syntax error: arithmetic expression required'],
];

function problemOf(source: string): SyntaxProblem | undefined {
  return parseUntilProblem(source).problem;
}

describe('Mistakes are told in the words of bash', () => {
  test.each(mistakes)('%j', (source, line, message) => {
    expect(problemOf(source)).toMatchObject({ line, message });
  });

  test('The source of the line is told with an unexpected token', () => {
    expect(problemOf('echo a\n  fi x\n')?.sourceLine).toBe('  fi x');
  });

  test('What is incomplete could go on', () => {
    for (const source of ['if x', 'echo "a', 'a &&', 'f() {', 'echo $(a', 'cat <(a', 'x=(']) {
      expect([source, problemOf(source)?.isIncomplete]).toEqual([source, true]);
    }
    for (const source of ['fi', 'a ;; b', 'for 1 2']) expect(problemOf(source)?.isIncomplete).toBe(false);
  });

  test('Statements before the line of a mistake are there', () => {
    expect(parseUntilProblem('a\nb; fi\nc').script.statements).toHaveLength(1);
  });
});

describe('A script is read line by line', () => {
  test('The lines of one construct are read together', () => {
    const reader = new ScriptReader('a; b\nif c\nthen d\nfi\ncat <<E\nx\nE\n');
    const counts: number[] = [];
    for (let next = reader.next(); next; next = reader.next()) counts.push(next.statements.length);
    expect(counts).toEqual([2, 1, 1]);
  });

  test('An alias counts from the next line on, and a blank at its end is for the next word', () => {
    const aliases = new Map([
      ['e', 'echo '],
      ['x', 'y z'],
      ['loop', 'loop -l'],
    ]);
    const reader = new ScriptReader('e x\nloop\n', { alias: (name) => aliases.get(name) });
    const words = (): string[] => {
      const command = reader.next()?.statements[0]?.pipelines[0]?.commands[0];
      if (command?.type !== 'SimpleCommand' || !command.name) return [];
      return [command.name, ...command.args].map(({ parts }) =>
        parts[0]?.type === 'Literal' ? parts[0].value : '',
      );
    };
    expect([words(), words()]).toEqual([
      ['echo', 'y', 'z'],
      ['loop', '-l'],
    ]);
  });

  test('Lines are counted, those of a command at its second word or its end', () => {
    const { statements } = parse('a\n\n"b\nc"; d\n');
    const lines = statements.map(({ pipelines }) => pipelines[0]?.commands[0]?.line);
    expect(lines).toEqual([1, 4, 4]);
  });
});

test('A script that is nested too deep ends with the name of the limit', () => {
  expect(() => parse(`${'$('.repeat(2000)}a`)).toThrow(expect.objectContaining({ limit: 'depth' }));
  expect(() => parse('( '.repeat(5000))).toThrow(expect.objectContaining({ limit: 'depth' }));
  expect(() => parse(`echo ${'${x:-'.repeat(100_000)}`)).toThrow(expect.objectContaining({ limit: 'depth' }));
});

test('Brackets that are open cost no more than their length', () => {
  expect(problemOf(`echo ${'{'.repeat(200_000)}}`)).toBeUndefined();
  expect(problemOf(`echo ${'{a,'.repeat(20_000)}${'}'.repeat(20_000)}`)).toBeUndefined();
});

test('H-9 A script without blanks, and one whose lines go on within words, cost no more than their lengths', () => {
  expect(problemOf('a;'.repeat(100_000))).toBeUndefined();
  const reader = new ScriptReader('ec\\\nho\n'.repeat(16_000));
  let lines = 0;
  while (reader.next()) lines += 1;
  expect(lines).toBe(16_000);
});

test('Aliases that double from one to the next end at the limit', () => {
  const doubled = (name: string) => {
    const number = Number(name.slice(1));
    return number < 24 ? `a${number + 1} a${number + 1} ` : undefined;
  };
  const reader = new ScriptReader('a0', { alias: doubled });
  expect(() => reader.next()).toThrow(expect.objectContaining({ limit: 'parseWork' }));
});

test.each(['a; ', '$x', '{a,b}', '$\\\n'])('A line of very many %j ends at the limit', (text) => {
  const reader = new ScriptReader(`: ${text.repeat(2_500_000)}\n`);
  expect(() => reader.next()).toThrow('a line of a script takes too long to read');
});
