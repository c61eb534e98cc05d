import { ownerIdKey, ownerKey } from '../../../core/entry/app-owner.ts';
import type { DeployFacts } from '../../../core/ports/facts.ts';
import { dynamoDbOwners } from './apps/owners.ts';
import { branchOf } from './branch.ts';
import { commitStateOf } from './commit-state.ts';
import { commitOf, commitPrefix, keys, numberIn, shaOf } from './items.ts';
import { itemsIn, readItem, type TableContext } from './table.ts';

export function dynamoDbFacts(context: TableContext): DeployFacts {
  return {
    commitState: async (user, commit, track) =>
      commitStateOf(await readItem(context, keys.commit(user, commit, track))),
    // The states of a repository's commits are sorted by commit.
    commits: async (user, repository, track, digits) => {
      const items = await itemsIn(context, user, commitPrefix(repository, digits));
      return items.flatMap((item) => commitOf(item, track) ?? []);
    },
    holds: async (user, repository, digits) => {
      const items = await itemsIn(context, user, commitPrefix(repository, digits));
      return items.flatMap((item) => {
        const held = numberIn(item, 'held');
        return held === undefined ? [] : [{ sha: shaOf(item), held }];
      });
    },
    heldOf: async (user, preview) => {
      const names = [ownerIdKey(preview) ?? [], ownerKey(preview)].flat();
      const items = await Promise.all(names.map((name) => readItem(context, keys.held(user, name))));
      return items.flatMap((item) => (item?.held?.NS ?? []).map(Number));
    },
    branch: async (user, repository, track) => branchOf(await readItem(context, keys.branch(user, repository, track))),
    ...dynamoDbOwners(context),
  };
}
