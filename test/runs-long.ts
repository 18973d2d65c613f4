/** Whether all of what is long by nature runs, as in `npm run test:long`; else a sample of it (test/sample.ts). */
export const runsLong: boolean = process.env.COPPICE_LONG === '1';
