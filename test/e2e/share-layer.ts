import { setup, teardown } from '../host/shared-layer.ts';

/** Once before all tests of the page: their bridges unpack the image once. Answers what is done after them. */
export default async function shareLayer(): Promise<() => Promise<void>> {
  await setup();
  return teardown;
}
