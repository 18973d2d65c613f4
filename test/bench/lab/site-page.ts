import type { Page } from '@playwright/test';

/** Goes to the site and resolves to the milliseconds from the start of the navigation to the shell's prompt on the screen. */
export async function openSite(page: Page, url: string): Promise<number> {
  await page.goto(`${url}?start=machine`, { waitUntil: 'commit' });
  const [promptMs] = await untilPrompts(page, 1);
  return promptMs;
}

/** The same for a reload of the page that is open. */
export async function reloadSite(page: Page): Promise<number> {
  await page.reload({ waitUntil: 'commit' });
  const [promptMs] = await untilPrompts(page, 1);
  return promptMs;
}

/** The same for a reload, and until the shell has answered an Enter that the page itself pressed at the prompt. */
export async function reloadUntilAnswer(page: Page): Promise<{ promptMs: number; answerMs: number }> {
  await page.reload({ waitUntil: 'commit' });
  const [promptMs, answerMs = Number.NaN] = await untilPrompts(page, 2);
  return { promptMs, answerMs };
}

/** Waits until the shell has answered an Enter that the page itself pressed at its prompt. */
export async function untilAnswer(page: Page): Promise<void> {
  await untilPrompts(page, 2);
}

/** Types a command into the terminal and waits until the history shows the snapshot that it caused. */
export async function runCommand(page: Page, command: string): Promise<void> {
  await page.locator('coppice-terminal:not([hidden])').first().click();
  await page.keyboard.type(`${command}\n`);
  await page.getByRole('treeitem', { name: command }).first().waitFor();
}

/** Waits until the page says that it has kept all that it needs without network. */
export function untilOffline(page: Page): Promise<void> {
  return page.getByText('offline ready').waitFor({ timeout: 120_000 });
}

/**
 * Waits for so many prompts of the shell in the page itself, whose clock counts from the navigation. At each but the
 * last the page presses Enter where the focus is, in the instant in which the prompt is there: the way from a driver
 * to the page is nothing that a user waits for. Once there is a screen it is told of every change to it: looking at
 * each frame would make the browser draw each frame.
 */
function untilPrompts(page: Page, count: number): Promise<[number, ...number[]]> {
  return page.evaluate(
    (count) =>
      new Promise((resolve) => {
        const find = (root: ParentNode): Element | undefined => {
          // A player that one has gone on from is still there, not shown.
          const rows = [...root.querySelectorAll('.xterm-rows')].find((each) => each.checkVisibility());
          if (rows) return rows;
          for (const { shadowRoot } of root.querySelectorAll('*')) {
            const inside = shadowRoot && find(shadowRoot);
            if (inside) return inside;
          }
          return undefined;
        };
        const isPrompt = ({ textContent }: Element) => /[$#]\s*$/.test(textContent);
        const pressEnter = () => {
          let focused = document.activeElement;
          while (focused?.shadowRoot) focused = focused.shadowRoot.activeElement;
          // xterm.js goes by the code of the key.
          focused?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13 }));
        };
        const times: number[] = [];
        let seen = 0;
        const watch = () => {
          const screen = find(document);
          if (!screen) return setTimeout(watch, 10);
          const look = () => {
            const prompts = isPrompt(screen) ? [...screen.children].filter(isPrompt).length : 0;
            if (prompts <= seen) return;
            seen = prompts;
            times.push(performance.now());
            if (times.length < count) return pressEnter();
            observer.disconnect();
            resolve(times as [number, ...number[]]);
          };
          const observer = new MutationObserver(look);
          observer.observe(screen, { childList: true, characterData: true, subtree: true });
          look();
        };
        watch();
      }),
    count,
  );
}
