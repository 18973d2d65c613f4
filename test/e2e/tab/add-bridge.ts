import { expect, type Page } from '@playwright/test';
import type { StaticServer } from '../../../scripts/static-server.ts';
import type { BridgeProcess } from '../../fixtures/bridge-process.ts';
import { prompt } from './drive-page.ts';

/** Opens the page by a link as `npm run bridge` prints it, and agrees to the bridge. */
export async function openWithBridge(
  page: Page,
  { site, bridge }: { site: StaticServer; bridge: BridgeProcess },
): Promise<void> {
  await page.goto(`${site.url}#${new URLSearchParams({ bridge: bridge.url, token: bridge.token })}`);
  await prompt(page);
  expect(page.url()).not.toContain(bridge.token);
  const dialog = page.getByRole('dialog', { name: 'Hosts' });
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await expect(dialog.getByText('connected', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
}
