import type { Page } from '@playwright/test';

/** Goes to the site and resolves to the milliseconds from the start of the navigation to the shell's prompt on the screen. */
export async function openSite(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  return untilPrompt(page);
}

/** The same for a reload of the page that is open. */
export async function reloadSite(page: Page): Promise<number> {
  await page.reload({ waitUntil: 'commit' });
  return untilPrompt(page);
}

/** Types a command into the terminal and waits until the history shows the snapshot that it caused. */
export async function runCommand(page: Page, command: string): Promise<void> {
  await page.locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.type(`${command}\n`);
  await page.getByRole('treeitem', { name: command }).first().waitFor();
}

/** Presses Enter at the prompt, and resolves to the milliseconds from the start of the navigation to the prompt that follows. */
export async function untilAnswer(page: Page): Promise<number> {
  const rows = page.locator('coppice-terminal:not([hidden]) .xterm-rows').first();
  const watching = await rows.evaluateHandle((screen) => {
    const prompts = () => [...screen.children].filter((row) => /[$#]\s*$/.test(row.textContent)).length;
    const before = prompts();
    return {
      answered: new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (prompts() <= before) return;
          observer.disconnect();
          resolve(performance.now());
        });
        observer.observe(screen, { childList: true, characterData: true, subtree: true });
      }),
    };
  });
  await page.locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.press('Enter');
  return watching.evaluate(({ answered }) => answered);
}

/** Waits until the page says that it has kept all that it needs without network. */
export function untilOffline(page: Page): Promise<void> {
  return page.getByText('offline ready').waitFor({ timeout: 120_000 });
}

/**
 * Waits for the shell's prompt in the page itself, whose clock counts from the navigation. Once there is a
 * screen it is told of every change to it: looking at each frame would make the browser draw each frame.
 */
function untilPrompt(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const isPrompt = (screen: Element) => /[$#]\s*$/.test(screen.textContent);
        const find = (root: ParentNode): Element | undefined => {
          const rows = root.querySelector('.xterm-rows');
          if (rows) return rows;
          for (const { shadowRoot } of root.querySelectorAll('*')) {
            const inside = shadowRoot && find(shadowRoot);
            if (inside) return inside;
          }
          return undefined;
        };
        const watch = () => {
          const screen = find(document);
          if (!screen) return setTimeout(watch, 10);
          const look = () => {
            if (!isPrompt(screen)) return;
            observer.disconnect();
            resolve(performance.now());
          };
          const observer = new MutationObserver(look);
          observer.observe(screen, { childList: true, characterData: true, subtree: true });
          look();
        };
        watch();
      }),
  );
}
