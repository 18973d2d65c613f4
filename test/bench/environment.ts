import { availableParallelism, loadavg, release } from 'node:os';
import { v86Version } from '../../images/golden/node-v86.ts';
import { launchOptions, openChromium } from './lab/chromium.ts';

/** With what the machine in the tab was measured. */
export async function describeBrowser(): Promise<Record<string, unknown>> {
  return {
    chromium: await chromiumVersion(),
    chromiumFlags: (await launchOptions()).args,
    v86: await v86Version(),
  };
}

/** On what figures were measured. */
export async function describeHost(): Promise<Record<string, unknown>> {
  return {
    node: process.versions.node,
    kernel: release(),
    cores: availableParallelism(),
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

async function chromiumVersion(): Promise<string> {
  await using chromium = await openChromium();
  return (await chromium.browser.send('Browser.getVersion')).product;
}
