import { defineConfig } from '@playwright/test';

/**
 * What Playwright 1.65 turns off (`disabledFeatures` in its `chromiumSwitches.ts`). Chromium takes the last list alone, so one
 * without these would replace them: pages then no longer close and move as Playwright expects.
 */
const offInPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];
/** Of the address bar, which nobody sees: two pages in a process of their own for each window, two thirds of its processor time. */
const addressBar = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Chromium is Debian's, with V8 as a visitor has it; the flags keep it from looking for its maker's servers. */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  globalSetup: './test/e2e/share-layer.ts',
  outputDir: 'test-results/e2e',
  workers: 1,
  timeout: 900_000,
  // The first command in a cold tab compiles as it goes, and machines that test others' changes may be three times slower.
  expect: { timeout: 300_000 },
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${[...offInPlaywright, ...addressBar].join()}`,
      ],
    },
  },
});
