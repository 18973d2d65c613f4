/** What differs from one run to the next and means nothing, with what stands for it in a comparison. */
const noise: readonly (readonly [pattern: RegExp, stands: string])[] = [
  // Times of day and dates, as ISO 8601, `date`, `ls -l` and logs write them.
  [
    /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?/g,
    '<time>',
  ],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?: {1,2}\d{1,2})?(?:,? (?:\d{4}|\d{1,2}:\d{2}(?::\d{2})?(?: [A-Z]{3,4})?(?: \d{4})?))\b/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?\b/g, '<time>'],
  // Seconds and milliseconds since 1970, of this century.
  [/\b1[6-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  // How long something took.
  [/\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|µs|us|ms|s|sec|secs|seconds?|minutes?|min)\b/g, '<duration>'],
  [/\b\d{1,4}m ?\d{1,2}(?:\.\d{1,9})?s\b/g, '<duration>'],
  // Processes, addresses, ids.
  [/\b(?:pid|process|ppid)[ =:]{1,2}\d{1,7}\b/gi, '<pid>'],
  [/\[\d{2,7}\]/g, '[<pid>]'],
  [/\b0x[0-9a-f]{6,16}\b/gi, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  // How many lines a shell that goes on has read, which it counts from its own beginning.
  [/\b(bash|sh): line \d{1,7}:/g, '$1: line <number>:'],
  // Temporary names.
  [/\/(?:var\/)?tmp\/[\w.-]{1,255}/g, '<temporary>'],
  [/\btmp[._-]?[A-Za-z0-9]{6,12}\b/g, '<temporary>'],
  [/\b(?:localhost|127\.0\.0\.1):\d{4,5}\b/g, 'localhost:<port>'],
];

/** A text in which what means nothing is told by its kind. `more`: patterns of the user. */
export function withoutNoise(text: string, more: readonly RegExp[] = []): string {
  let left = text;
  for (const pattern of more) left = left.replaceAll(pattern, '<ignored>');
  for (const [pattern, stands] of noise) left = left.replaceAll(pattern, stands);
  return left;
}

const noisePaths =
  /^\/(?:tmp|var\/tmp|run|var\/run|var\/log|var\/cache|proc|dev|sys)(?:\/|$)|(?:^|\/)(?:__pycache__|\.cache|\.bash_history|\.python_history|\.wget-hsts|\.lesshst)(?:\/|$)/;

/** Whether what is at a path differs from one run to the next: logs, caches, histories, temporary files. */
export function isNoisePath(path: string): boolean {
  return noisePaths.test(path);
}
