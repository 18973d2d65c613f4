// `coppice.js` of the site: the SDK with this origin's sandboxes as its backend, for other pages of the origin.
import { openBackend } from './backend.ts';

await openBackend();

export * from '../../sdk/index.ts';
