/** Whether all of what is long by nature runs, as in `npm run test:long`; else a sample of it (test/sample.ts). */
export const runsLong: boolean = process.env.COPPICE_LONG === '1';

/** `test` of a test runner in the long run; else a function that declares nothing. */
export function inLongRun<Declare extends (...args: never[]) => void>(test: Declare): Declare {
  return runsLong ? test : ((() => undefined) as unknown as Declare);
}
