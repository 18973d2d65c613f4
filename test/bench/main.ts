import { start } from './tab/start.ts';
import { Lab } from './lab/lab.ts';
await using lab = new Lab({runs:3});
console.log(JSON.stringify(await start.measure(lab)));
