import type { Demo } from './demo.ts';

export const demo: Demo = {
  title: 'Break a computer and take it back',
  sentence: 'A Linux machine loses all of its programs, and has them again a second later.',
  image: 'debian',
  async play({ run, here, goTo, recording }) {
    await recording.chapter('Make a past');
    await run('uname -sm; ls /usr/bin | wc -l');
    await run('mkdir project && cd project');
    await run("echo 'int main(){return 7;}' > main.c");
    await run('tcc -o main main.c; ./main; echo $?');
    const whole = await here();

    await recording.chapter('Break it');
    await run('sudo rm -rf /usr/bin');
    await run('ls');
    await run('echo /usr/*');
    await recording.note('The shell still runs, as it was in memory. Every program of the machine is gone.');

    await recording.chapter('Take it back');
    await goTo(whole);
    await run('ls /usr/bin | wc -l');
    await run('./main; echo $?');
    await recording.note('What was left is in the history too: a branch with a broken machine.');
    await recording.note('Continue from here, and break it in your own way.');
  },
};
