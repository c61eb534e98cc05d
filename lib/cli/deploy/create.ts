import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SETTING_NAMES, settingOf } from '../../../functions/core/apps/settings.ts';
import { copyVariables } from '../../client/variables.ts';
import { packageName, REMOTE } from '../apps/app-name.ts';
import { settingTyped } from '../apps/settings.ts';
import { type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Arguments } from '../program/arguments.ts';
import { type Api, api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { platformName } from '../service/misspelt.ts';
import { embeddedHost, repositoryUrl, storeLogin } from './embedded-host.ts';
import { type Git, gitIn } from './git.ts';

/** The settings that an application can have before its first deploy. */
const SET_BEFORE = SETTING_NAMES.filter((name) => settingOf(name).isOfRepository === undefined);

export const create: CommandDefinition = {
  name: 'create',
  summary: 'Connect this folder with a new repository of the service',
  details: `Adds the git remote "${REMOTE}"; the first push creates the repository and deploys it. On the machine of the service
git gets the login from its data folder at each push, elsewhere git asks: no password is written into .git/config. A repository at GitHub, GitLab and so on
needs a webhook instead: "hooks hook". With --environment it is a second application of the same repository, "<name>-<word>", with the
remote "${REMOTE}-<word>". An application is named by its package.json: where there is none, it offers to write one.`,
  args: [{ name: '<name>', about: 'the name of the repository; the application is named by its package.json' }],
  options: [
    ...SET_BEFORE.map((name) => ({
      flags: `--${name} <${settingOf(name).value}>`,
      about: `a setting: ${settingOf(name).about}`,
    })),
    {
      flags: '--variables-of <application>',
      about: 'begin with the variables of another application, such as production',
    },
    { flags: '--package-json', about: 'do not ask whether to write a package.json where there is none' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks create shop', `then: git push ${REMOTE} main`],
    ['hooks create shop && hooks deploy', 'the same in one line'],
    ['hooks create web --path apps/web', 'one application of several in this repository'],
    [
      'hooks create shop --environment staging --variables-of shop',
      'shop-staging beside shop, from the branch staging',
    ],
    ['hooks create shop --start "python3 server.py"', 'another language that the machine has'],
    ['hooks create docs --build "npm run docs" --output site', 'a site that its build leaves in site/'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, folder, env, signal, print, warn } = call;
  const name = checkedName(args.at(0) ?? '');
  const service = await findService(call);
  const host = await embeddedHost(service, call);
  const git = gitIn(folder, env, signal);
  const [path, environment] = [args.text('path'), args.text('environment')?.toLowerCase()];
  const named = (await packageName(path === undefined ? folder : join(await rootOf(git), path))) ?? packageNameOf(name);
  checkSameName(name, named, args);
  const suffix = environment === undefined ? '' : `-${environment}`;
  const [app, repository] = [`${named}${suffix}`, `${name}${suffix}`];
  const url = repositoryUrl(host, service.user, repository);
  const client = api(service, signal);
  await changeSettings(call, client, app);
  const from = args.text('variables-of');
  const copied = from === undefined ? [] : await copyVariables(client, { from, to: app });
  const root = await rootOf(git);
  const remote = await addRemote(git, url, remotesFor({ name, path, environment }));
  await storeLogin(git, host);
  const written = await offerManifest(call, { root: join(root, path ?? ''), name });
  const branch = await branchToPush(git, environment);
  print(`The remote "${remote}" of this folder is ${url}.`);
  if (written)
    print('package.json is written; commit it: git add package.json && git commit -m "Name the application"');
  if (copied.length > 0) {
    warn(
      `${app} has the variables ${copied.join(', ')} of ${from}: "hooks env set" changes what the two must not share, such as a database.`,
    );
  }
  if (app !== packageNameOf(repository)) warn(`The application will be called ${app}, as in its package.json.`);
  if (host.credentialHelper === null) warn(`git asks for the password of ${service.user}, or an API token.`);
  print(`Deploy with: git push ${remote} ${branch}`);
  return 0;
}

/** A folder and an environment are found by the name of the repository, which must be that of the application. */
function checkSameName(name: string, app: string, args: Arguments): void {
  const flag = ['path', 'environment'].find((one) => args.text(one) !== undefined);
  if (flag === undefined || platformName(name) === platformName(app)) return;
  throw new Failure(`With --${flag} a repository has the name of its application: hooks create ${platformName(app)}.`);
}

/** Returns the names that the remote may get, of which the first that is free is taken. */
function remotesFor({
  name,
  path,
  environment,
}: {
  name: string;
  path: string | undefined;
  environment: string | undefined;
}): readonly string[] {
  if (environment !== undefined) return [`${REMOTE}-${environment}`, `${REMOTE}-${name}-${environment}`];
  return path === undefined ? [REMOTE] : [REMOTE, `${REMOTE}-${name}`];
}

/** Returns what to push: the branch that is checked out, of an environment the one that is called so. */
async function branchToPush(git: Git, environment: string | undefined): Promise<string> {
  if (environment === undefined) return (await git.read(['branch', '--show-current'])) || 'main';
  const has = await git.read(['rev-parse', '--verify', '--quiet', `refs/heads/${environment}`]);
  return has === null ? `HEAD:refs/heads/${environment}` : environment;
}

/** Makes the settings that are given; a name that was mistyped is refused before anything is changed here. */
async function changeSettings(call: Call, client: Api, app: string): Promise<void> {
  const body: Record<string, unknown> = {};
  for (const name of SET_BEFORE) {
    const text = call.args.text(name);
    if (text !== undefined) body[name] = await settingTyped(call, name, text);
  }
  if (Object.keys(body).length === 0) return;
  await client.call({ method: 'PATCH', path: ['apps', client.user, app, 'settings'], body });
}

async function rootOf(git: Git): Promise<string> {
  const root = await git.read(['rev-parse', '--show-toplevel']);
  if (root === null) {
    throw new Failure('This folder is in no git repository: git init && git add --all && git commit -m "First"');
  }
  return root;
}

/** Adds the remote under the first of the names that is free. Returns the name. */
async function addRemote(git: Git, url: string, names: readonly string[]): Promise<string> {
  for (const remote of names) {
    const taken = await git.read(['remote', 'get-url', remote]);
    if (taken === url) return remote;
    if (taken !== null) continue;
    const { code, err } = await git.run(['remote', 'add', remote, url]);
    if (code !== 0) throw new Failure(`git remote add did not succeed: ${err}`);
    return remote;
  }
  const name = names[0] ?? REMOTE;
  const taken = await git.read(['remote', 'get-url', name]);
  throw new Failure(`This folder has a remote "${name}" already, ${taken}: git remote remove ${name}, then try again.`);
}

function checkedName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !name.endsWith('.git')) return name;
  throw new UsageError('The name of a repository has letters, digits and . _ -, and begins with a letter or digit.');
}

const SITES = ['index.html', join('public', 'index.html')];

/**
 * Writes a package.json with the application's name into the repository's root when that has none, after asking for it:
 * for a site, or another language. Returns whether it did. Without a terminal it asks nothing, and says what is missing.
 */
async function offerManifest(call: Call, { root, name }: { readonly root: string; readonly name: string }) {
  const file = join(root, 'package.json');
  if (existsSync(file)) return false;
  const manifest = { name: packageNameOf(name) };
  const saysHow = [...SITES, 'Procfile'].some((one) => existsSync(join(root, one)));
  if (!saysHow && call.args.text('start') === undefined) {
    call.warn(
      `Nothing here says how it is started: "hooks set ${manifest.name} start='python3 server.py'", or a line in a Procfile (web: <command>).`,
    );
  }
  if (!(await isWanted(call, manifest.name))) {
    call.warn(
      `Before it can be deployed, commit a package.json that names the application: ${JSON.stringify(manifest)}`,
    );
    return false;
  }
  // Never over a file that has come in the meantime.
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' });
  return true;
}

async function isWanted({ args, stdin }: Call, name: string): Promise<boolean> {
  if (args.flag('package-json')) return true;
  if (!stdin.isTTY) return false;
  const answer = await stdin.ask(
    `There is no package.json here, which names an application. Write one with the name "${name}"? [Y/n] `,
  );
  return /^(y|yes|)$/i.test(answer.trim());
}

/** Names of packages have lower-case letters only. */
function packageNameOf(repository: string): string {
  return repository.toLowerCase().replace(/(?<![^a-z0-9])[^a-z0-9]+$/, '');
}
