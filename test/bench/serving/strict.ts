import { type GitFolder, gitFolder } from '../../support/service/git-folder.ts';
import { startStrict } from '../child.ts';
import type { BenchRow } from '../row.ts';
import { median, milliseconds, ratioOf } from '../statistics.ts';
import { byPush, type Deploy, type Service, type Version } from './by-push.ts';

/** What is measured, on the usual functions and on strict ones. */
interface Beside {
  readonly usual: Service;
  readonly tree: GitFolder;
  /** Of the data of the strict service. */
  readonly folder: string;
  readonly rounds: number;
  readonly version: (round: number) => Version;
}

/** A push to each of both. */
type Pair = Readonly<Record<'usual' | 'strict', Deploy>>;

const FIGURES = [
  ['own', 'push to serving'],
  ['whole', 'the same from the call of git push'],
] as const;

/**
 * Measures strict functions beside the usual ones, in turn, if that is wanted. The first round has cold starts and a row
 * of its own.
 */
export async function strictRows(beside: Beside): Promise<BenchRow[]> {
  const service = await startStrict<Service>(beside.folder, 0);
  if (!service) return [];
  try {
    const [cold, ...warm] = await pairsOf(beside, service.ready);
    return [...rows('first push, cold', cold ? [cold] : []), ...rows('warm', warm)];
  } finally {
    await service.close();
  }
}

async function pairsOf({ usual, tree, rounds, version }: Beside, strict: Service): Promise<readonly Pair[]> {
  const strictTree = gitFolder(strict.repository);
  const pairs: Pair[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const pushed = version(round);
      pairs.push({ usual: await byPush(usual, tree, pushed), strict: await byPush(strict, strictTree, pushed) });
    }
    return pairs;
  } finally {
    strictTree.remove();
  }
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
