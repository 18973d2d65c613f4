import type { Sandbox } from '../../../sdk/sandbox.ts';

/** Opens a new sandbox of the `debian` image, the caller's to close. */
export type OpenSandbox = () => Promise<Sandbox>;
