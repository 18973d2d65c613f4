import { decodeText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';

const release = '6.1.0-coppice';
const version = '#1 SMP';
const machine = 'x86_64';

/** As `/etc/hostname`, which is how an image tells it, or the environment has it. */
function hostnameOf({ environment, files }: ProgramCall): string {
  const set = environment.get('HOSTNAME');
  if (set) return set;
  const path = '/etc/hostname';
  const name = files.exists(path) ? decodeText(files.readFile(path)).trim() : '';
  return name || 'localhost';
}

export const uname: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print certain system information. With no OPTION, same as -s.',
  options: {
    all: '-a, --all  print all information, in the following order',
    kernel: '-s, --kernel-name  print the kernel name',
    node: '-n, --nodename  print the network node hostname',
    release: '-r, --kernel-release  print the kernel release',
    kernelVersion: '-v, --kernel-version  print the kernel version',
    machine: '-m, --machine  print the machine hardware name',
    processor: '-p, --processor  print the processor type (non-portable)',
    platform: '-i, --hardware-platform  print the hardware platform (non-portable)',
    system: '-o, --operating-system  print the operating system',
  },
  async run({ call, options, operands, out }) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoteName(operands[0])}`);
    const isAll = options.has('all');
    const isPlain = options.given.length === 0;
    const parts: string[] = [];
    if (isAll || isPlain || options.has('kernel')) parts.push('Linux');
    if (isAll || options.has('node')) parts.push(hostnameOf(call));
    if (isAll || options.has('release')) parts.push(release);
    if (isAll || options.has('kernelVersion')) parts.push(version);
    if (isAll || options.has('machine')) parts.push(machine);
    if (options.has('processor') && !isAll) parts.push('unknown');
    if (options.has('platform') && !isAll) parts.push('unknown');
    if (isAll || options.has('system')) parts.push('GNU/Linux');
    out.add(`${parts.join(' ')}\n`);
    return 0;
  },
});

export const hostname: Program = defineProgram({
  usage: '[OPTION]... [NAME]',
  summary: "Show the system's host name.",
  options: {
    short: '-s, --short  short host name',
    domain: '-d, --domain  DNS domain name',
    long: '-f, --fqdn, --long  long host name (FQDN)',
    addresses: '-i, --ip-address  addresses for the host name',
    allAddresses: '-I, --all-ip-addresses  all addresses for the host',
  },
  async run({ call, options, operands, out }) {
    if (operands.length > 0) throw new ProgramError('you must be root to change the host name');
    const name = hostnameOf(call);
    const [short = ''] = name.split('.');
    if (options.has('addresses', 'allAddresses')) out.add('127.0.0.1\n');
    else if (options.has('short')) out.add(`${short}\n`);
    else if (options.has('domain')) out.add(`${name.slice(short.length + 1)}\n`);
    else out.add(`${name}\n`);
    return 0;
  },
});

export const arch: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print machine architecture.',
  async run({ out }) {
    out.add(`${machine}\n`);
    return 0;
  },
});

export const nproc: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print the number of processing units available to the current process.',
  options: {
    all: '--all  print the number of installed processors',
    ignore: '--ignore=N  if possible, exclude N processing units',
  },
  async run({ out }) {
    // Everything of a sandbox runs on one thread.
    out.add('1\n');
    return 0;
  },
});
