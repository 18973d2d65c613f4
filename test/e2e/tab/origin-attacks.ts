// What pages of other origins, of the same site, try on the site's: each function runs in such a page.

/** Where scripts of the attacker ran. */
declare const ran: string[];

/**
 * From now on, this page answers what a preview asks its host, with a script of its own, as the host that the page of `embedder`,
 * by default this one, has in a frame.
 */
export function answerPreviews(embedder: string = location.origin): void {
  const places: string[] = [];
  Object.assign(globalThis, { ran: places });
  const script = '<p>shown</p><script>top.postMessage({ ran: location.href }, "*")</script>';
  addEventListener('message', ({ data, ports: [port] }) => {
    if (data?.ran) places.push(data.ran);
    if (data?.type !== 'coppice-preview' || !port) return;
    port.onmessage = ({ data: asked, ports: [answer] }) => {
      if (asked.type !== 'request' || !answer) return;
      const headers = [['content-type', 'text/html']];
      answer.onmessage = () => {
        answer.postMessage({ type: 'piece', bytes: new TextEncoder().encode(script) });
        answer.postMessage({ type: 'end' });
      };
      answer.postMessage({ type: 'head', status: 200, statusText: 'OK', headers });
    };
    port.postMessage({ type: 'ready', embedder });
  });
}

export function whereItRan(): string[] {
  return ran;
}

/** Frames a page; resolves when something is loaded, be it that the browser shows none. */
export async function frame(url: string): Promise<void> {
  const element = document.createElement('iframe');
  const loaded = new Promise((resolve) => element.addEventListener('load', resolve));
  element.src = url;
  document.body.append(element);
  await loaded;
}

/** Frames the host's page and asks it for instances of others. Resolves to what it answers, one after the other. */
export async function askHost({ headless, victim }: { headless: string; victim: string }): Promise<string[]> {
  const answers: string[] = [];
  for (const host of [victim, location.host]) {
    const given = Promise.withResolvers<MessagePort>();
    addEventListener('message', ({ data, ports: [port] }) => {
      if (data?.type === 'init' && port) given.resolve(port);
    });
    const element = document.createElement('iframe');
    element.src = headless;
    document.body.append(element);
    const port = await given.promise;
    const answer = Promise.withResolvers<string>();
    port.onmessage = ({ data }) => answer.resolve(data.value?.value?.message ?? 'done');
    port.postMessage({
      ...{ id: 'a', type: 2, path: ['build'] },
      argumentList: [{ type: 0, value: { host } }],
    });
    answers.push(await answer.promise);
    element.remove();
  }
  return answers;
}

/** Asks the host's page, the first frame of the tab, for the history of what another page has booted. */
export function askHistory(): void {
  const heard: string[] = [];
  Object.assign(globalThis, { heard });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => heard.push('answered');
  window.top?.frames[0]?.postMessage({ type: 'coppice-history' }, '*', [port2]);
}

export function whatWasHeard(): string[] {
  return (globalThis as unknown as { heard: string[] }).heard;
}

/** Imports the site's module, to have its sandboxes. */
export async function importSdk(module: string): Promise<string> {
  return import(module).then(
    ({ Sandbox }) => Sandbox.list().then((all: unknown[]) => `${all.length} sandboxes`),
    () => 'not loaded',
  );
}
