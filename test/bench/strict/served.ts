import { gitFolder } from '../../support/service/git-folder.ts';
import type { BenchRow } from '../row.ts';
import { byPush, type Deploy, plain, type Service } from '../serving/by-push.ts';
import { median, milliseconds, ratioOf } from '../statistics.ts';

const ROUNDS = 5;

/** A push to each of both. */
type Pair = Readonly<Record<'usual' | 'strict', Deploy>>;

const FIGURES = [
  ['own', 'push to serving'],
  ['whole', 'the same from the call of git push'],
] as const;

/** Measures pushes without dependencies. The first one has cold starts, and rows of its own. */
export async function served(both: Readonly<Record<'usual' | 'strict', Service>>): Promise<BenchRow[]> {
  const trees = { usual: gitFolder(both.usual.repository), strict: gitFolder(both.strict.repository) };
  const pairs: Pair[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const version = plain(round);
      const usual = await byPush(both.usual, trees.usual, version);
      pairs.push({ usual, strict: await byPush(both.strict, trees.strict, version) });
    }
  } finally {
    for (const tree of Object.values(trees)) tree.remove();
  }
  return [...rows('first push, cold', pairs.slice(0, 1)), ...rows('warm', pairs.slice(1))];
}

function rows(when: string, pairs: readonly Pair[]): BenchRow[] {
  return FIGURES.map(([time, what]) => {
    const strict = median(pairs.map((pair) => pair.strict[time]));
    const usual = median(pairs.map((pair) => pair.usual[time]));
    return {
      figure: `strict, ${when}: ${what}`,
      ...{ value: milliseconds(strict), baseline: milliseconds(usual), ratio: ratioOf(strict, usual) },
      ...{ target: 'for information', reached: true },
    };
  });
}
