/** What one process of the shell may use. What goes past a limit ends with a `ShellLimitError` that names it. */
export const shellLimits = {
  /** Bytes of a script's source. */
  sourceBytes: 16_777_216,
  /** Functions, `eval`, `source`, subshells and substitutions within each other. */
  depth: 256,
  /** Bytes that wait in a pipe (Linux's default). */
  pipeBytes: 65_536,
  /** Bytes of standard input that a program gets which takes all of it at once. */
  inputBytes: 67_108_864,
  /** Bytes that a command substitution, or a program that answers all at once, prints. */
  captureBytes: 67_108_864,
  /** Characters of one value. */
  valueLength: 67_108_864,
  /** Elements of an array. */
  arrayElements: 1_000_000,
  /** Words that one expansion makes: braces, globs, splitting. */
  words: 1_000_000,
  /** Descriptors of one process. */
  descriptors: 1024,
  /** Processes of a sandbox at a time: subshells, background jobs, programs. */
  processes: 512,
  /** How long a script computes before it lets others have the thread, in milliseconds. */
  sliceMs: 8,
} as const;
