import type { IOType } from 'node:child_process';

/** Returns what `stdio` has after the first three for a child that inherits these at their numbers, and nothing between them. */
export function at(inherited: Readonly<Record<number, number | IOType | 'ipc'>>): (number | IOType | 'ipc')[] {
  const last = Math.max(...Object.keys(inherited).map(Number));
  return Array.from({ length: last - 2 }, (_, index) => inherited[index + 3] ?? 'ignore');
}
