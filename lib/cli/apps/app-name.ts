import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Call } from '../command.ts';
import { gitIn } from '../deploy/git.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { findApi } from '../service/find-service.ts';
import { nearlyNamed, platformName } from '../service/misspelt.ts';

/** The package.json of this command line, which names no application of the user. */
const OWN_PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** The git remote that `hooks create` adds. */
export const REMOTE = 'hooks';

/**
 * Returns the application that a call is about: the one that is named, else the one of the package.json in the user's
 * folder or above it, up to the root of the repository, else that of the repository that the folder is pushed to.
 * Throws a `UsageError` when there is none of them.
 */
export async function appName(call: Call, named: string | undefined = call.args.app()): Promise<string> {
  const name = named || (await packageName(call.folder)) || (await pushedTo(call));
  if (name) return name;
  throw new UsageError(
    'Which application? Name it, or go to the folder of its package.json; "hooks apps" lists what there is.',
  );
}

/** Returns the application that a call is about, and its path at the service. Throws as `appName` and `findService` do. */
export async function findApp(call: Call, named?: string) {
  const client = await findApi(call);
  const app = await appName(call, named);
  return { client, app, path: ['apps', client.user, app] };
}

/**
 * Throws a `Failure` where an application is unknown and has nearly the name of another one. Any other name, and that of
 * this folder, may get variables and settings before its first deploy.
 */
export async function checkSpelling(call: Call, client: Api, app: string): Promise<void> {
  const namesHere = [await packageName(call.folder), await pushedTo(call)];
  if (namesHere.some((name) => name !== null && platformName(name) === platformName(app))) return;
  const near = await nearlyNamed(client, app);
  if (near === null) return;
  throw new Failure(
    `There is no application "${app}"; did you mean "${near}"? Before the first deploy of "${app}" call this in its folder.`,
  );
}

/** Returns the name of the repository that the folder is pushed to, which a site without a package.json has. */
async function pushedTo({ folder, env, signal }: Call): Promise<string | null> {
  const url = await gitIn(folder, env, signal)
    .read(['remote', 'get-url', REMOTE])
    .catch(() => null);
  return /\/([^/]+)\.git$/.exec(url ?? '')?.[1] ?? null;
}

/** Returns the platform's name of an application, which the repository of one of several in a folder has. */
export function repositoryNameOf(app: string): string {
  return app.toLowerCase().replace(/^@/, '').replace('/', '-');
}

/** Returns the name in the nearest package.json; null when there is none. */
export async function packageName(folder: string): Promise<string | null> {
  const file = join(folder, 'package.json');
  const name = file === OWN_PACKAGE ? null : await readName(file);
  if (name !== null) return name;
  const parent = dirname(folder);
  if (parent === folder || existsSync(join(folder, '.git'))) return null;
  return packageName(parent);
}

async function readName(file: string): Promise<string | null> {
  try {
    const { name } = JSON.parse(await readFile(file, 'utf8'));
    return typeof name === 'string' && name !== '' ? name : null;
  } catch {
    return null;
  }
}
