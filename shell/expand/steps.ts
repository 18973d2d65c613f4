import { isSliceOver, startSlice } from '../io/time-slice.ts';

/**
 * Work that may have to wait for a command, as a generator that yields what it waits for. What need not wait is done at once,
 * which makes most of expansion synchronous and cheap.
 */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>;

export function* wait<Result>(promise: Promise<Result>): Steps<Result> {
  return (yield promise) as Result;
}

/** Between steps of work that a script can make long: at the end of a slice others get the thread. */
export function* pause(): Steps<void> {
  if (isSliceOver()) yield* wait(startSlice());
}

/** Does all of it, and waits where it has to. */
export async function finish<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) {
    let value: unknown;
    try {
      value = await step.value;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}

/** Does all of it at once. @throws Error where it would have to wait */
export function finishNow<Result>(steps: Steps<Result>): Result {
  const step = steps.next();
  if (step.done) return step.value;
  step.value.catch(() => {});
  throw new Error('a command cannot be run here');
}
