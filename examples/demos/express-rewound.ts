import type { Demo } from './demo.ts';

const manifest = `cat > package.json <<'END'
{ "name": "basket", "private": true, "dependencies": { "express": "5" } }
END`;

const server = `cat > server.js <<'END'
const express = require('express');
const basket = [{ name: 'apples', price: 3 }, { name: 'bread', price: 4 }];
const app = express();
app.get('/', (request, response) => {
  const total = basket.reduce((sum, { price }) => sum + price, 0);
  response.json({ items: basket.length, total });
});
app.listen(3000);
END`;

const serve = 'node server.js & curl -s --retry 999 --retry-delay 1 --retry-connrefused localhost:3000; echo';

export const demo: Demo = {
  title: 'An Express app, rewound',
  sentence:
    'A server loses a package to a clean-up that went too far, and answers again after one step back.',
  image: 'node',
  async play({ run, install, here, goTo, recording }) {
    await recording.chapter('An app');
    await run('mkdir basket && cd basket');
    await run(manifest);
    await run(server);
    const printed = await install('/home/user/basket');
    await recording.note(
      `The page installs packages for a machine that has Node and no npm: ${printed.replace(/ in .*/s, '')}.`,
    );
    await run('ls node_modules | wc -l');

    await recording.chapter('It answers');
    await run(serve);
    const whole = await here();

    await recording.chapter('A clean-up that went too far');
    await run('rm -r node_modules/r*');
    await run('curl -s localhost:3000; echo');
    await recording.note('Nobody notices: what runs has its code in memory.');
    await run('kill %1; wait; node server.js 2>&1 | head -5');
    await recording.note('No commit has node_modules. The history has.');

    await recording.chapter('One step back');
    await goTo(whole);
    await run('ls -d node_modules/r*');
    await run(serve);
    await recording.note('Continue from here: change a price, break it in your own way, and go back.');
  },
};
