import { answerWith } from './ask.ts';
import { measureCommits } from './measure-commits.ts';

answerWith(measureCommits);
