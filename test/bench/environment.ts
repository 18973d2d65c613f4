import { availableParallelism, loadavg } from 'node:os';
import { v86Version } from '../../images/golden/node-v86.ts';
import { type ChromiumOptions, launchOptions, openChromium } from './lab/chromium.ts';

/** With what, and on what, the figures were measured. */
export async function describeEnvironment(options: ChromiumOptions): Promise<Record<string, unknown>> {
  return {
    chromium: await chromiumVersion(options),
    chromiumFlags: (await launchOptions(options)).args,
    node: process.versions.node,
    v86: await v86Version(),
    cores: availableParallelism(),
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

async function chromiumVersion(options: ChromiumOptions): Promise<string> {
  await using chromium = await openChromium(options);
  return (await chromium.browser.send('Browser.getVersion')).product;
}
