import { availableParallelism, loadavg, release } from 'node:os';
import { v86Version } from '../../images/golden/node-v86.ts';
import { type ChromiumOptions, launchOptions, openChromium } from './lab/chromium.ts';

/** With what the machine in the tab was measured. */
export async function describeBrowser(options: ChromiumOptions): Promise<Record<string, unknown>> {
  return {
    chromium: await chromiumVersion(options),
    chromiumFlags: (await launchOptions(options)).args,
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

async function chromiumVersion(options: ChromiumOptions): Promise<string> {
  await using chromium = await openChromium(options);
  return (await chromium.browser.send('Browser.getVersion')).product;
}
