/** The groups with the sign that tells of them: `~` for one that ends by itself, `+` for any other. */
const groups = new Map<number, '+' | '~'>();
let tell: (line: string) => void = () => {};

/** Ends a group when this process has ended. A group that `finishes` gets no signal, and is killed after five seconds. */
export function watchGroup(pgid: number, finishes = false): void {
  const sign = finishes ? '~' : '+';
  groups.set(pgid, sign);
  tell(`${sign}${pgid}`);
}

/** Stops watching a group, which must have ended: its number may be used again. */
export function unwatchGroup(pgid: number): void {
  if (groups.delete(pgid)) tell(`-${pgid}`);
}

/** Tells another process of all groups, and of each change, in lines: it ends them when this process has ended. */
export function tellGroups(to: (line: string) => void): void {
  tell = to;
  for (const [pgid, sign] of groups) to(`${sign}${pgid}`);
}
