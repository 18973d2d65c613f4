/** A frame of `/embed/` that waits for this page. */
export function makeFrame(page: URL, title: string, role = '#client'): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  // For its own keys of copying; nothing else is delegated.
  frame.allow = 'clipboard-write';
  frame.referrerPolicy = 'origin';
  frame.setAttribute('part', 'frame');
  // In a page that is isolated (COEP), a frame without that header is shown only so.
  if (crossOriginIsolated) frame.setAttribute('credentialless', '');
  frame.src = new URL(role, page).href;
  return frame;
}

const workers = new Map<string, Promise<void>>();

/**
 * The frame, not shown, that runs the shells of all embeds of this page (web/embed/frame/shared-shells.ts): it stays as long as the page.
 * Resolves when it is there, or cannot be: then each has a worker of its own.
 */
export function shareWorker(page: URL): Promise<void> {
  let loaded = workers.get(page.href);
  if (loaded) return loaded;
  const frame = makeFrame(page, '', '#worker');
  frame.hidden = true;
  frame.ariaHidden = 'true';
  loaded = new Promise((resolve) => {
    for (const type of ['load', 'error']) frame.addEventListener(type, () => resolve(), { once: true });
  });
  workers.set(page.href, loaded);
  document.documentElement.append(frame);
  return loaded;
}

/** An element with a class, a part of that name, and a text. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  element.setAttribute('part', className);
  element.textContent = text;
  return element;
}
