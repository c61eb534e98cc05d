import fc from 'fast-check';
import { type LogRoles, rolesInMemory } from '../worlds/pipeline-world.ts';
import type { History } from './history.ts';
import { type Told, tell } from './tell.ts';

/** A history that has gone wrong, in its shortest form. */
export interface Failure {
  readonly seed: number;
  readonly kind: string;
  readonly text: string;
}

/** What went wrong, whichever commits, entries and pull requests it went wrong with. */
function kindOf({ wrong }: Told): string | null {
  const [first] = wrong;
  if (first === undefined) return null;
  return first
    .replace(/pr-\d|#\d+|pull request \d/g, '…')
    .replace(/\b(?:runs|started|of) (?:[a-z]\d?|0|nothing)\b/g, '…')
    .replace(/instead of \w+/, 'instead of …');
}

/**
 * Tells the history of a seed. Returns null when nothing is wrong; else what, of the shortest history of the same kind
 * that is found.
 */
export async function check(
  seed: number,
  all: fc.Arbitrary<History>,
  open: () => LogRoles = rolesInMemory,
): Promise<Failure | null> {
  const [history] = fc.sample(all, { seed, numRuns: 1 });
  const told = history && (await tell(history, open()));
  const kind = told && kindOf(told);
  if (!kind) return null;
  let shortest = { history, told };
  const failsAlike = async (one: History) => {
    const again = await tell(one, open());
    const isAlike = kindOf(again) === kind;
    if (isAlike) shortest = { history: one, told: again };
    return isAlike;
  };
  const property = fc.asyncProperty(all, async (one) => !(await failsAlike(one)));
  await fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: 60_000 });
  await withoutEach(shortest.history, failsAlike);
  return { seed, kind, text: inWords(seed, shortest) };
}

/** Leaves out one step after the other, of which a list loses only the first ones when it is shortened. */
async function withoutEach(history: History, failsAlike: (one: History) => Promise<boolean>): Promise<void> {
  let { steps } = history;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const shorter = steps.toSpliced(index, 1);
    if (await failsAlike({ ...history, steps: shorter })) steps = shorter;
  }
}

function inWords(seed: number, { history, told }: { readonly history: History; readonly told: Told }): string {
  const { host, ci, previews, lagMs, unknownMs, hasEnvironment, isHeard } = history;
  const others = `${unknownMs ? `, commits known after ${unknownMs} ms` : ''}${hasEnvironment ? ', an environment' : ''}${isHeard ? '' : ', a later webhook'}`;
  const about = `seed ${seed}: ${host}, ci=${ci}, previews=${previews}, answers ${lagMs} ms old${others}`;
  return [about, ...told.lines].join('\n');
}
