import type { Demo } from './demo.ts';

const first = `cat > reverse.c <<'END'
#include <string.h>
void reverse(char *text) {
  size_t n = strlen(text);
  for (size_t i = 0; i < n; i++) {
    char c = text[i];
    text[i] = text[n - 1 - i];
    text[n - 1 - i] = c;
  }
}
END`;

const check = `cat > check.c <<'END'
#include <stdio.h>
#include <string.h>
void reverse(char *text);
static int check(const char *given, const char *wanted) {
  char text[32];
  strcpy(text, given);
  reverse(text);
  int ok = strcmp(text, wanted) == 0;
  printf("%s reverse(\\"%s\\") is \\"%s\\"\\n", ok ? "ok  " : "FAIL", given, text);
  return ok;
}
int main(void) {
  int passed = check("", "") + check("a", "a") + check("abc", "cba") + check("abcd", "dcba");
  printf("%d of 4\\n", passed);
  return passed == 4 ? 0 : 1;
}
END`;

const makefile = `cat > Makefile <<'END'
check: reverse.c check.c
\t@tcc -o check check.c reverse.c && ./check
.PHONY: check
END`;

const next = `cat > words.c <<'END'
void reverse_words(char *text) {
  /* "one two" becomes "two one" */
}
END`;

export const demo: Demo = {
  title: 'A C lab with checks',
  sentence: 'An exercise with its checks: a wrong answer, a look at why, a right one, and the next is yours.',
  image: 'debian',
  async play({ run, recording }) {
    await recording.chapter('The exercise');
    await recording.note(
      'Write reverse(), which turns a string round in place. `make check` says how far you are.',
    );
    await run('mkdir lab && cd lab');
    await run(check);
    await run(makefile);

    await recording.chapter('First answer');
    await run(first);
    await run('make check');
    await recording.note('Each pair is exchanged twice: the loop has to end in the middle.');

    await recording.chapter('Second answer');
    await run("sed -i 's|i < n;|i < n / 2;|' reverse.c && grep -n for reverse.c");
    await run('make check');

    await recording.chapter('Yours');
    await run(next);
    await recording.note(
      'Continue from here: the words are yours to turn round, and each step can be taken back.',
    );
  },
};
