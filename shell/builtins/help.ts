import type { Builtin } from '../interpret/builtin.ts';

/** One line for each built-in. */
const synopses: ReadonlyMap<string, string> = new Map([
  [':', ':'],
  ['.', '. filename [arguments]'],
  ['[', '[ arg... ]'],
  ['alias', 'alias [-p] [name[=value] ... ]'],
  ['bg', 'bg [job_spec ...]'],
  ['break', 'break [n]'],
  ['builtin', 'builtin [shell-builtin [arg ...]]'],
  ['caller', 'caller [expr]'],
  ['cd', 'cd [-L|[-P [-e]] [-@]] [dir]'],
  ['command', 'command [-pVv] command [arg ...]'],
  ['compgen', 'compgen [-abcdefgjksuv] [-A action] [-W wordlist] [word]'],
  ['continue', 'continue [n]'],
  ['declare', 'declare [-aAfFgiIlnrtux] [name[=value] ...]'],
  ['dirs', 'dirs [-clpv] [+N] [-N]'],
  ['disown', 'disown [-h] [-ar] [jobspec ... | pid ...]'],
  ['echo', 'echo [-neE] [arg ...]'],
  ['enable', 'enable [-a] [-dnps] [-f filename] [name ...]'],
  ['eval', 'eval [arg ...]'],
  ['exec', 'exec [-cl] [-a name] [command [argument ...]]'],
  ['exit', 'exit [n]'],
  ['export', 'export [-fn] [name[=value] ...] or export -p'],
  ['false', 'false'],
  ['fg', 'fg [job_spec]'],
  ['getopts', 'getopts optstring name [arg ...]'],
  ['hash', 'hash [-lr] [-p pathname] [-dt] [name ...]'],
  ['help', 'help [pattern ...]'],
  ['history', 'history [-c] [n]'],
  ['jobs', 'jobs [-lnprs] [jobspec ...]'],
  ['kill', 'kill [-s sigspec | -n signum | -sigspec] pid | jobspec ...'],
  ['let', 'let arg [arg ...]'],
  ['local', 'local [option] name[=value] ...'],
  ['logout', 'logout [n]'],
  ['mapfile', 'mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [array]'],
  ['popd', 'popd [-n] [+N | -N]'],
  ['printf', 'printf [-v var] format [arguments]'],
  ['pushd', 'pushd [-n] [+N | -N | dir]'],
  ['pwd', 'pwd [-LP]'],
  [
    'read',
    'read [-ers] [-a array] [-d delim] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]',
  ],
  ['readonly', 'readonly [-aAf] [name[=value] ...] or readonly -p'],
  ['return', 'return [n]'],
  ['set', 'set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]'],
  ['shift', 'shift [n]'],
  ['shopt', 'shopt [-pqsu] [-o] [optname ...]'],
  ['source', 'source filename [arguments]'],
  ['test', 'test [expr]'],
  ['times', 'times'],
  ['trap', 'trap [-lp] [[arg] signal_spec ...]'],
  ['true', 'true'],
  ['type', 'type [-afptP] name [name ...]'],
  ['ulimit', 'ulimit [-SHacdefmnpstuv] [limit]'],
  ['umask', 'umask [-p] [-S] [mode]'],
  ['unalias', 'unalias [-a] name [name ...]'],
  ['unset', 'unset [-f] [-v] [-n] [name ...]'],
  ['wait', 'wait [-fn] [-p var] [id ...]'],
]);

/** `help [names]` */
export const help: Builtin = async (shell, { args }) => {
  const names = args.filter((arg) => !/^-([dms]+|-)$/.test(arg));
  if (names.length === 0) {
    await shell.print([...synopses.values()].map((line) => `${line}\n`).join(''));
    return 0;
  }
  let status = 0;
  for (const name of names) {
    const line = synopses.get(name);
    if (line !== undefined) await shell.print(`${name}: ${line}\n`);
    else {
      await shell.tell(`help: no help topics match \`${name}'.`);
      status = 1;
    }
  }
  return status;
};
