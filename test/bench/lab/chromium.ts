import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrowserContext,
  type CDPSession,
  chromium,
  type LaunchOptions,
  type Page,
  type PlaywrightTestConfig,
} from '@playwright/test';
import { root } from '../../../scripts/run-step.ts';

/** A running Chromium with one tab. */
export interface Chromium extends AsyncDisposable {
  readonly page: Page;
  /** Commands for the browser as a whole. */
  readonly browser: CDPSession;
}

/** The path and flags of the end-to-end tests' Chromium, but for those by which V8 would run otherwise than a visitor's. */
export async function launchOptions(): Promise<LaunchOptions> {
  // The file belongs to no TypeScript project, so it is imported where the compiler does not look.
  const module: { default: PlaywrightTestConfig } = await import(join(root, 'playwright.config.ts'));
  const { args = [], ...options } = module.default.use?.launchOptions ?? {};
  return { ...options, args: args.filter((flag) => !flag.startsWith('--js-flags=')) };
}

/** Starts Chromium with an empty profile on disk (one in memory is not durable); both are gone when disposed. */
export async function openChromium(): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'coppice-bench-profile-'));
  let context: BrowserContext | undefined;
  const dispose = async () => {
    await context?.close();
    await rm(profile, { recursive: true, force: true });
  };
  try {
    context = await chromium.launchPersistentContext(profile, {
      ...(await launchOptions()),
      viewport: { width: 1280, height: 800 },
    });
    const [page = await context.newPage()] = context.pages();
    const browser = await context.browser()?.newBrowserCDPSession();
    if (!browser) throw new Error('This Playwright does not reach the browser of a persistent context');
    return { page, browser, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
