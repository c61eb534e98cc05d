import type { Entry } from '../core/entry/entry.ts';
import { MAX_MANIFEST_BYTES, type Manifest, readManifest } from '../core/entry/manifest.ts';
import { appName } from '../core/entry/package-name.ts';
import { inFolder } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import type { Source } from '../core/hold/wait.ts';
import { isObject } from '../core/json.ts';

const PYTHON = { start: 'python3 server.py' };

/** Files that show what a folder without a package.json holds, and the settings that such an application needs. */
const OTHER_KINDS: readonly { readonly file: string; readonly deploy?: Readonly<Record<string, string>> }[] = [
  { file: 'index.html' },
  { file: 'public/index.html' },
  { file: 'requirements.txt', deploy: PYTHON },
  { file: 'pyproject.toml', deploy: PYTHON },
  { file: 'go.mod', deploy: { build: 'go build -o server .', start: './server' } },
  { file: 'Gemfile', deploy: { start: 'bundle exec ruby server.rb' } },
  { file: 'composer.json', deploy: { start: 'php -S $HOST:$PORT -t public' } },
  { file: 'Cargo.toml', deploy: { build: 'cargo build --release', start: './target/release/server' } },
  { file: 'deno.json', deploy: { start: 'deno run --allow-net --allow-env server.ts' } },
  { file: 'Dockerfile', deploy: { start: './server' } },
];

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
  const where = `There is no package.json in the ${folder} of commit ${commit}${kind ? `, but ${aFile(kind.file)}` : ''}.`;
  if (isAtRoot) return `${where} The root folder has one: remove ?path= from the webhook's address to deploy that.`;
  return `${where} ${whatToDo(kind, suggestedName(entry, source))}`;
}

function whatToDo(kind: Kind | undefined, name: string): string {
  const manifest = (more: object) => JSON.stringify({ name, ...more });
  if (kind?.deploy) {
    const image = kind.file === 'Dockerfile' ? 'No image is built from it: ' : '';
    return `${image}${image ? 'commit' : 'Commit'} a package.json that names the application and says how it is started, such as ${manifest({ deploy: kind.deploy })}; on AWS Node alone is started.`;
  }
  if (kind) {
    return `To deploy it as a static site, commit a package.json that names the application: ${manifest({})}`;
  }
  return (
    `Commit one, such as ${manifest({ scripts: { start: 'node server.js' } })}; when that is in another folder, name the folder: ` +
    `by ?path= in the address of a webhook, by "hooks create <application> --path <folder>" for git push to this service.`
  );
}

/** The name of the folder or the repository, as npm takes it. */
function suggestedName({ path }: Entry, { commit }: Source): string {
  return appName(path?.split('/').at(-1) ?? commit.name) || 'my-app';
}

type Kind = (typeof OTHER_KINDS)[number];

async function kindOf(entry: Entry, source: Source): Promise<Kind | undefined> {
  const exists = await Promise.all(OTHER_KINDS.map(({ file }) => has(source, inFolder(entry, file))));
  return OTHER_KINDS.find((_, index) => exists[index]);
}

function aFile(name: string): string {
  return /^[aeiou]/i.test(name) ? `an ${name}` : `a ${name}`;
}

/** A file that is too large to be read exists too, but this is only a hint: it must not fail for another reason. */
async function has({ host, commit, token }: Source, path: string): Promise<boolean> {
  const text = await host.file(commit, path, token, MAX_MANIFEST_BYTES).catch(() => null);
  return text !== null;
}

const FIELDS = ['name', 'version', 'description', 'private', 'type', 'main', 'engines', 'deploy'];
const SCRIPTS = ['prestart', 'start', 'build'];
const MAX_FIELD_CHARACTERS = 1000;

/**
 * Returns the part of a package manifest that the platform needs: how the application is named, built and started. The
 * tarball contains the whole file; the entry is written again with each of its changes and must stay small.
 */
export function manifestSummary(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const scripts = isObject(manifest.scripts) ? pickShort(manifest.scripts, SCRIPTS) : {};
  return { ...pickShort(manifest, FIELDS), ...(Object.keys(scripts).length > 0 && { scripts }) };
}

function pickShort(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(fields.filter(([, value]) => JSON.stringify(value).length <= MAX_FIELD_CHARACTERS));
}
