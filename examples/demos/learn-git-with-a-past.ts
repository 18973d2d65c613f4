import type { Demo } from './demo.ts';

export const demo: Demo = {
  title: 'Learn git with a past',
  sentence: 'A reset takes work that no commit has. Git cannot bring it back; the history around git can.',
  async play({ run, here, goTo, recording }) {
    await recording.chapter('A repository');
    await run('git init -q garden && cd garden');
    await run('git config user.name Ada && git config user.email ada@example.org');
    await run("printf 'beans\\npeas\\n' > plan.txt");
    await run("git add plan.txt && git commit -q -m 'Plan the beds' && git log --oneline");

    await recording.chapter('Two branches');
    await run('git switch -q -c herbs');
    await run("echo basil >> plan.txt && git commit -q -am 'Add basil'");
    await run('git switch -q -');
    await run("sed -i '1s/^/carrots\\n/' plan.txt && git commit -q -am 'Add carrots'");
    await run('git merge -q --no-edit herbs && cat plan.txt');
    await run('git log --oneline --graph');

    await recording.chapter('Work that no commit has');
    await run('echo tomatoes >> plan.txt');
    await run("printf 'Sow in March.\\n' > notes.txt && git add notes.txt");
    const uncommitted = await here();
    await run('git status --short');

    await recording.chapter('A reset too many');
    await run('git reset -q --hard HEAD~1');
    await run('git status --short; cat plan.txt; ls');
    await recording.note('The merge is in the reflog. The tomatoes and the notes are nowhere in git.');
    await run('git reflog | head -3');

    await recording.chapter('Back to before it');
    await goTo(uncommitted);
    await recording.note(
      'The whole folder is as it was, with what was staged. The reset is still in the history, as the other branch.',
    );
    await run('git status --short; cat plan.txt notes.txt');
    await run("git commit -q -am 'Add tomatoes, and when to sow' && git log --oneline | head -3");
    await recording.note(
      'Continue from here, and do something to this repository that you would not dare elsewhere.',
    );
  },
};
