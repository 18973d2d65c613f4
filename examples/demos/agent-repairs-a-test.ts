import type { Demo, DemoStage } from './demo.ts';

const model = 'scripted';

export const demo: Demo = {
  title: 'An agent repairs a test',
  sentence:
    'A scripted agent makes a test pass by deleting it; it is taken back one step, told so, and goes on.',
  async play(stage) {
    const { recording, here, goTo } = stage;
    const bash = toolOf(stage);
    await recording.chapter('The task');
    await stage.run('mkdir shop && cd shop');
    await stage.run(`cat > price.js <<'END'
exports.total = (items) => items.reduce((sum, { price }) => sum + price, 0);
END`);
    await stage.run(`cat > test.js <<'END'
const { total } = require('./price.js');
const expect = (got, wanted) => {
  if (got !== wanted) throw new Error('expected ' + wanted + ', got ' + got);
};
expect(total([{ price: 5 }]), 5);
expect(total([{ price: 5, count: 3 }]), 15);
console.log('2 tests passed');
END`);
    await recording.message({ role: 'user', text: 'The test of `total` fails. Please repair it.' });

    await recording.chapter('What the agent does');
    await recording.message({ role: 'assistant', model, text: 'I run the test first.' });
    await bash('js test.js');
    const before = await here();
    await recording.message({
      role: 'assistant',
      model,
      text: 'The second expectation fails, so I remove it.',
    });
    await bash("sed -i '/count: 3/d; s/2 tests/1 test/' test.js");
    await bash('js test.js');
    await recording.message({ role: 'assistant', model, text: 'Done: the test passes.' });

    await recording.chapter('Taken back');
    await recording.note('It passes, and nothing is repaired. Back to before it edited the test.');
    await goTo(before);
    await stage.run('grep -c expect test.js');
    await recording.message({
      role: 'user',
      text: 'The test was right: an item has a count. Repair `price.js`, and leave `test.js` as it is.',
    });

    await recording.chapter('Continued');
    await recording.message({
      role: 'assistant',
      model,
      text: 'Then the price is to be multiplied by the count, which is 1 where there is none.',
    });
    await bash(
      "sed -i 's/{ price }) => sum + price/{ price, count = 1 }) => sum + price * count/' price.js && cat price.js",
    );
    await bash('js test.js');
    await recording.message({
      role: 'assistant',
      model,
      text: 'Both tests pass, and `test.js` is unchanged.',
    });
    await recording.note('Both ways are in the history: the one that was left, and this one.');
  },
};

/** The agent's one tool: its calls and results stand beside the commands that they run. */
function toolOf({ recording, run }: DemoStage): (command: string) => Promise<void> {
  let calls = 0;
  return async (command) => {
    const id = `call_${++calls}`;
    await recording.call({ id, tool: 'bash', arguments: { command } });
    const { exitCode, stdout, stderr } = await run(command);
    await recording.result({ id, result: { exitCode, stdout, stderr }, isError: exitCode !== 0 });
  };
}
