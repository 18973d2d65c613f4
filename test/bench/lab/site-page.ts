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

/** Looks at the screen once per frame, in the page itself: its clock counts from the navigation. */
function untilPrompt(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const screen = find(document);
          if (/[$#]\s*$/.test(screen?.textContent ?? '')) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        const find = (root: ParentNode): Element | undefined => {
          const rows = root.querySelector('.xterm-rows');
          if (rows) return rows;
          for (const { shadowRoot } of root.querySelectorAll('*')) {
            const inside = shadowRoot && find(shadowRoot);
            if (inside) return inside;
          }
          return undefined;
        };
        look();
      }),
  );
}
