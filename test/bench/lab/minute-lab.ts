import { launch } from 'puppeteer-core';
import { type Minute, spendMinute } from '../visitor/minute.ts';
import type { Lab } from './lab.ts';

/** Spends a visitor's first minute at a site, in a browser that has never seen it. */
export type MinuteLab = (lab: Lab, siteUrl: string) => Promise<Minute>;

export const minuteInChromium: MinuteLab = async (lab, siteUrl) => {
  const module = `${siteUrl}coppice.js`;
  await using chromium = await lab.openChromium();
  await chromium.page.goto(module);
  return await chromium.page.evaluate(spendMinute, module);
};

/** Debian's Firefox, as the tests drive it. */
export const minuteInFirefox: MinuteLab = async (_lab, siteUrl) => {
  const module = `${siteUrl}coppice.js`;
  await using browser = await launch({
    browser: 'firefox',
    protocol: 'webDriverBiDi',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    protocolTimeout: 300_000,
  });
  const page = await browser.newPage();
  await page.goto(module);
  return await page.evaluate(spendMinute, module);
};
