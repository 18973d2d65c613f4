/** Of an option that may be given several times: all that was given. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
