import { closeSync, readdirSync } from 'node:fs';
import { procText } from './process-info.ts';

const STANDARD_ERROR = 2;
/** The flag with which a descriptor is not passed on to programs: https://man7.org/linux/man-pages/man2/open.2.html */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what the program that started this one has left open, which each program started from here would have open too.
 * Node sets all that it opens to be closed there, but of what it inherits only descriptors up to the first gap after 15.
 * Linux only.
 */
export function closeInheritedDescriptors(): void {
  for (const fd of openDescriptors()) {
    if (fd > STANDARD_ERROR && fd !== channelDescriptor() && isPassedOn(fd)) closeSync(fd);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return process.platform === 'linux' ? readdirSync('/proc/self/fd').map(Number) : [];
  } catch {
    return [];
  }
}

/** The descriptor of the channel to the parent, which Node tells without types. */
function channelDescriptor(): unknown {
  return process.channel && Reflect.get(process.channel, 'fd');
}

/** False for the one with which the folder was read: it is closed. */
function isPassedOn(fd: number): boolean {
  const [, flags] = /^flags:\s*([0-7]+)$/m.exec(procText(`self/fdinfo/${fd}`)) ?? [];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
