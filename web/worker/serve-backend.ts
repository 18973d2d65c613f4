import { exposeBackend } from '../transports/expose-backend.ts';
import { TabBackend, type TabBackendOptions } from './tab-backend.ts';

/** Serves this worker's sandboxes on `port`. */
export function serveBackend(port: MessagePort, options: TabBackendOptions): void {
  exposeBackend(new TabBackend(options), port);
}
