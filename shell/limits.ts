/** What one process of the shell may use. What goes past a limit ends with a `ShellLimitError` that names it. */
export const shellLimits = {
  /** Bytes of a script's source. */
  sourceBytes: 16_777_216,
  /** `eval`, subshells and substitutions within each other. */
  depth: 256,
  /** Bytes that wait in a pipe (Linux's default). */
  pipeBytes: 65_536,
  /** Bytes of standard input that a program gets which takes all of it at once. */
  inputBytes: 16_777_216,
  /** Lines that a program holds at a time (`sort`, `tac`, `diff`, `shuf`). */
  lines: 4_000_000,
  /** Bytes that a command substitution, or a program that answers all at once, prints. */
  captureBytes: 16_777_216,
  /** Characters of one value. */
  valueLength: 16_777_216,
  /** Elements of an array. */
  arrayElements: 1_000_000,
  /** Words that one expansion makes: braces, globs, splitting. */
  words: 1_000_000,
  /** Characters of values that one arithmetic expression evaluates, as they are expressions themselves; each counts for 16 at least. */
  arithmeticWork: 8_388_608,
  /** Steps of reading one line of a script with what belongs to it: characters that are looked at again, parts of words, commands. */
  parseWork: 134_217_728,
  /** Nodes of a syntax tree that a transform of the host answers. */
  transformedNodes: 1_000_000,
  /** Positions that the match of one pattern looks at. */
  patternWork: 134_217_728,
  /** Descriptors of one process. */
  descriptors: 1024,
  /** Processes of a sandbox at a time: subshells, background jobs, programs. */
  processes: 512,
  /** Programs at a time, of all sandboxes of a thread, that run in threads of their own (`jq`, `sqlite3`, `js`). */
  programThreads: 32,
  /** Bytes of memory of one such program. */
  programMemoryBytes: 268_435_456,
  /** Bytes, and number, of the files that such a program gets a copy of (`js`). */
  copiedBytes: 67_108_864,
  copiedFiles: 50_000,
  /** Commands of a shell's history (bash's HISTSIZE). */
  historyLines: 500,
  /** How long a script computes before it lets others have the thread, in milliseconds. */
  sliceMs: 8,
} as const;

/**
 * What one run of a client may do, unless the client says otherwise for it, up to `most`. What goes past it ends, with the name of the
 * limit in the result.
 */
export const runLimits = {
  /** Simple commands, tests and arithmetic. */
  commands: { usual: 9_007_199_254_740_991, most: 9_007_199_254_740_991, unit: 'commands' },
  /** Rounds of `for`, `while`, `until` and `select`, all together. */
  loopIterations: { usual: 9_007_199_254_740_991, most: 9_007_199_254_740_991, unit: 'rounds of loops' },
  /** Functions and sourced files within each other. */
  callDepth: { usual: 1_000, most: 10_000, unit: 'calls within each other' },
  /** Bytes of one here-document, with what is expanded in it. */
  hereDocumentBytes: { usual: 16_777_216, most: 16_777_216, unit: 'bytes in a here-document' },
} as const;

export type RunLimit = keyof typeof runLimits;
