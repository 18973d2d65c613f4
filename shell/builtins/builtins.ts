import type { Builtin } from '../interpret/builtin.ts';
import { alias, unalias } from './alias.ts';
import { caller } from './caller.ts';
import { acceptCompletion, compgen } from './completion.ts';
import { fail, succeed } from './constant.ts';
import { declare, exportBuiltin, local, readonlyBuiltin } from './declare.ts';
import { cd, dirs, popd, pushd, pwd } from './directories.ts';
import { echo } from './echo.ts';
import { builtinBuiltin, evalBuiltin, exec, source } from './evaluation.ts';
import { exit, leaveLoop, logout, returnBuiltin } from './flow.ts';
import { getopts } from './getopts.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { background, disown, foreground, jobs, suspend, wait } from './job-control.ts';
import { kill } from './kill.ts';
import { command, enable, hash, type } from './lookup.ts';
import { mapfile } from './mapfile.ts';
import { letBuiltin, shift } from './positional.ts';
import { printf } from './printf.ts';
import { read } from './read.ts';
import { set, shopt } from './set.ts';
import { bracket, test } from './test.ts';
import { times } from './times.ts';
import { trap } from './trap.ts';
import { ulimit } from './ulimit.ts';
import { umask } from './umask.ts';
import { unset } from './unset.ts';

/** The commands that the shell runs itself. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['.', source],
  [':', succeed],
  ['[', bracket],
  ['alias', alias],
  ['bg', background],
  ['bind', acceptCompletion],
  ['break', leaveLoop],
  ['builtin', builtinBuiltin],
  ['caller', caller],
  ['cd', cd],
  ['command', command],
  ['compgen', compgen],
  ['complete', acceptCompletion],
  ['compopt', acceptCompletion],
  ['continue', leaveLoop],
  ['declare', declare],
  ['dirs', dirs],
  ['disown', disown],
  ['echo', echo],
  ['enable', enable],
  ['eval', evalBuiltin],
  ['exec', exec],
  ['exit', exit],
  ['export', exportBuiltin],
  ['false', fail],
  ['fg', foreground],
  ['getopts', getopts],
  ['hash', hash],
  ['help', help],
  ['history', history],
  ['jobs', jobs],
  ['kill', kill],
  ['let', letBuiltin],
  ['local', local],
  ['logout', logout],
  ['mapfile', mapfile],
  ['popd', popd],
  ['printf', printf],
  ['pushd', pushd],
  ['pwd', pwd],
  ['read', read],
  ['readarray', mapfile],
  ['readonly', readonlyBuiltin],
  ['return', returnBuiltin],
  ['set', set],
  ['shift', shift],
  ['shopt', shopt],
  ['source', source],
  ['suspend', suspend],
  ['test', test],
  ['times', times],
  ['trap', trap],
  ['true', succeed],
  ['type', type],
  ['typeset', declare],
  ['ulimit', ulimit],
  ['umask', umask],
  ['unalias', unalias],
  ['unset', unset],
  ['wait', wait],
]);
