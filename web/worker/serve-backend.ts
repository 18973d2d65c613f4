import { LocalBackend } from '../../sandbox/local-backend.ts';
import { exposeBackend } from '../transports/expose-backend.ts';
import { type TabPlaceOptions, tabPlace } from './tab-place.ts';

/** Serves this worker's sandboxes on `port`. */
export function serveBackend(port: MessagePort, options: TabPlaceOptions): void {
  exposeBackend(new LocalBackend(tabPlace(options)), port);
}
