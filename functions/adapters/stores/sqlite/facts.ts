import type { DeployFacts } from '../../../core/ports/deploy-facts.ts';
import { appOwner, claimApp, freeApp, ownApp } from './apps.ts';
import { branchFacts, commitState, commitsFrom } from './commits.ts';
import type { StoreContext } from './store-context.ts';

/** Returns the facts about commits, branches and applications. */
export function sqliteFacts(context: StoreContext): DeployFacts {
  const { connection, writer, clock } = context;
  return {
    commitState: async (user, commit, track) =>
      commitState(connection, { user, repository: commit, track }, commit.sha),
    commits: async (user, repository, track, digits) => commitsFrom(connection, { user, repository, track }, digits),
    branch: async (user, repository, track) => branchFacts(connection, { user, repository, track }),
    claimApp: (user, app, order) => writer.run(() => claimApp(connection, { user, app }, order)),
    appOwner: async (user, app) => appOwner(connection, { user, app }),
    ownApp: (user, app, claim) => writer.run(() => ownApp(connection, { user, app }, { claim, now: clock.now() })),
    freeApp: (user, app) => writer.run(() => freeApp(connection, { user, app })),
  };
}
