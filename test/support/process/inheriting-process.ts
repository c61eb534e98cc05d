// Closes what it has inherited, and tells its parent which descriptors a program that it starts has.
import { execFileSync } from 'node:child_process';
import { closeInheritedDescriptors } from '../../../lib/process/inherited-descriptors.ts';

closeInheritedDescriptors();
closeInheritedDescriptors();
const listed = execFileSync('/bin/sh', ['-c', 'echo /proc/$$/fd/*'], { encoding: 'utf8' });
process.send?.(
  listed
    .trim()
    .split(' ')
    .map((path) => Number(path.split('/').at(-1))),
);
process.disconnect?.();
