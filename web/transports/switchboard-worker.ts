// The switchboard: a SharedWorker through which one page of the origin finds the page that has a
// sandbox open. It passes ports on and reads nothing that goes through them.
import type { SwitchboardMessage } from './switchboard-messages.ts';

const servers = new Map<string, MessagePort>();

(globalThis as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = ({ ports: [page] }) => {
  if (!page) return;
  page.addEventListener('close', () => {
    for (const [id, server] of servers) if (server === page) servers.delete(id);
  });
  page.onmessage = ({ data, ports: [port] }: MessageEvent<SwitchboardMessage>) => {
    if (data.type === 'serve') servers.set(data.id, page);
    if (data.type === 'unserve' && servers.get(data.id) === page) servers.delete(data.id);
    if (data.type !== 'connect' || !port) return;
    const server = servers.get(data.id);
    if (server) server.postMessage(data, [port]);
    else port.postMessage({ type: 'absent' } satisfies SwitchboardMessage);
  };
};
