/** Whether the thread's stack was not enough for what is nested in a script: engines tell it by the message alone. */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|too much recursion/i.test(error.message);
}
