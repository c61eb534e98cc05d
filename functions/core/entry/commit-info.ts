import type { BranchTip } from '../ports/repository-host.ts';
import { oneLine } from '../text.ts';
import type { Entry } from './entry.ts';

/** Returns the fields of an entry about the commit at a branch's tip: the first line of its message, and its author. */
export function commitInfo({ message, author }: BranchTip): Pick<Entry, 'message' | 'author'> {
  return { message: oneLine(message ?? '', 200), author: oneLine(author ?? '', 100) };
}
