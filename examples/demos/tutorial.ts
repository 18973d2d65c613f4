import type { Demo } from './demo.ts';

/** The commands of docs/tutorial.md, as far as it stays in one terminal. */
export const demo: Demo = {
  title: 'The tutorial, played',
  sentence: 'What the tutorial tells its reader to type, and how the machine comes back.',
  image: 'debian',
  async play({ run, here, goTo, recording }) {
    await recording.chapter('Make a past');
    await run('mkdir project && cd project');
    await run('git init');
    await run("echo 'int main(){return 7;}' > main.c");
    await run('tcc -o main main.c; ./main; echo $?');
    const whole = await here();
    await recording.note('Each command that changed something is a snapshot. Nothing had to be saved.');

    await recording.chapter('Break it');
    await run('sudo rm -rf /usr/bin');
    await run('ls');
    await recording.note('ls is gone, and so is almost everything else.');

    await recording.chapter('Take it back');
    await goTo(whole);
    await run('ls');
    await run('./main; echo $?');
    await recording.note('In the page this is one click on a row of the history. What was left is kept too.');
    await recording.note('Continue from here, or begin the tutorial with a machine of your own.');
  },
};
