import { ownerOf } from '../core/entry/app-owner.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { Facts } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Refuses a commit whose package.json has another name than the application that the branch deploys: it would become a
 * second application, and the first would stay as it is. Folders, environments, previews and other branches may have
 * names of their own.
 */
export async function renamedPackage({ entry, named }: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const entryOwner = ownerOf(entry);
  if (!entryOwner) return null;
  const { app, manifest } = await named();
  if ((await ports.facts.appOwner(entry.user, app)) !== null) return null;
  const owned = await ports.facts.owned(entry.user, entryOwner);
  const ofBranch = owned.find(({ owner }) => (owner.branch ?? entry.branch) === entry.branch);
  if (!ofBranch) return null;
  const former = (await ports.appFacts.named(entry.user, ofBranch.app))?.name ?? ofBranch.app;
  const detail =
    `package.json has the name ${manifest.name}, which would become a new application without the variables, domains and ` +
    `data of ${former}, which this branch deploys. To go on with them, run "hooks rename ${former} ${manifest.name}" or ` +
    "give the package that application's name; a second application beside it needs a folder (?path=) or an environment " +
    "(?environment=) of its own in the webhook's address.";
  const error = new DeployError('deploy:platform:start_app', detail, { retry: false });
  return { kind: 'failed', error, transition: { changes: { appName: former } } };
}
