import type { Entry } from '../core/entry/entry.ts';
import { MAX_MANIFEST_BYTES, type Manifest, readManifest } from '../core/entry/manifest.ts';
import { inFolder } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import type { Source } from '../core/hold/wait.ts';

/** Files that show what kind of application a folder without a package.json holds. */
const OTHER_KINDS = ['Dockerfile', 'requirements.txt', 'pyproject.toml', 'go.mod', 'Gemfile', 'index.html'];

const WHAT_TO_DO =
  'Only Node applications and static sites can be deployed: add a package.json with a name, for an application with a ' +
  "start script too; or, when there is one in another folder, name that with ?path= in the webhook's address.";

/**
 * Returns the package.json in the folder of an entry's application. Throws `deploy:repohost:no_pkg_json`, which says
 * what can be deployed when there is none.
 */
export async function manifestOf(entry: Entry, source: Source): Promise<Manifest> {
  const path = inFolder(entry, 'package.json');
  const text = await source.host.file(source.commit, path, source.token, MAX_MANIFEST_BYTES);
  if (text !== null) return readManifest(text, path);
  throw new DeployError('deploy:repohost:no_pkg_json', await withoutManifest(entry, source), { retry: false });
}

async function withoutManifest(entry: Entry, source: Source): Promise<string> {
  const [kind, isAtRoot] = await Promise.all([
    kindOf(entry, source),
    entry.path === undefined ? false : has(source, 'package.json'),
  ]);
  const folder = entry.path === undefined ? 'root folder' : `folder ${entry.path}`;
  const commit = source.commit.sha.slice(0, 10);
  const where = `There is no package.json in the ${folder} of commit ${commit}${kind && `, but ${kind}`}.`;
  if (isAtRoot) return `${where} The root folder has one: remove ?path= from the webhook's address to deploy that.`;
  return `${where} ${WHAT_TO_DO}`;
}

async function kindOf(entry: Entry, source: Source): Promise<string> {
  const found = await Promise.all(OTHER_KINDS.map((file) => has(source, inFolder(entry, file))));
  const kind = OTHER_KINDS.find((_, index) => found[index]);
  if (kind === undefined) return '';
  return /^[aeiou]/i.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** A file that is too large to be read exists too, but this is only a hint: it must not fail for another reason. */
async function has({ host, commit, token }: Source, path: string): Promise<boolean> {
  const text = await host.file(commit, path, token, MAX_MANIFEST_BYTES).catch(() => null);
  return text !== null;
}
