import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SETTING_NAMES, settingOf } from '../../../functions/core/apps/settings.ts';
import { packageName, REMOTE, repositoryNameOf } from '../apps/app-name.ts';
import { type Call, type CommandDefinition, SERVICE_OPTIONS } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Arguments } from '../program/arguments.ts';
import { type Api, api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { embeddedHost, repositoryUrl, storeLogin } from './embedded-host.ts';
import { type Git, gitIn } from './git.ts';

/** The settings that an application can have before its first deploy. */
const SET_BEFORE = SETTING_NAMES.filter((name) => settingOf(name).isOfRepository === undefined);

export const create: CommandDefinition = {
  name: 'create',
  summary: 'Connect this folder with a new repository of the service',
  details: `Adds the git remote "${REMOTE}"; the first push creates the repository and deploys it. On the machine of the service
git gets the login from its data folder at each push, elsewhere git asks: no password is written into .git/config. A repository at GitHub, GitLab and so on
needs a webhook instead: "hooks hook". An application is named by its package.json: where a static site has none, it offers to write one.`,
  args: [{ name: '<name>', about: 'the name of the repository; the application is named by its package.json' }],
  options: [
    ...SET_BEFORE.map((name) => ({
      flags: `--${name} <${settingOf(name).value}>`,
      about: `a setting: ${settingOf(name).about}`,
    })),
    { flags: '--package-json', about: 'do not ask whether to write the package.json of a static site that has none' },
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks create shop', `then: git push ${REMOTE} main`],
    ['hooks create shop && hooks deploy', 'the same in one line'],
    ['hooks create web --path apps/web', 'one application of several in this repository'],
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
  const url = repositoryUrl(host, service.user, name);
  const path = args.text('path');
  const app = (await packageName(path === undefined ? folder : join(await rootOf(git), path))) ?? packageNameOf(name);
  if (path !== undefined && repositoryNameOf(app) !== name) {
    throw new Failure(
      `With --path a repository has the name of its application: hooks create ${repositoryNameOf(app)}.`,
    );
  }
  await changeSettings(api(service, signal), app, args);
  const root = await rootOf(git);
  const remote = await addRemote(git, url, path === undefined ? [] : [`${REMOTE}-${name}`]);
  await storeLogin(git, host);
  const written = await offerManifest(call, { root: join(root, path ?? ''), name });
  const branch = (await git.read(['branch', '--show-current'])) || 'main';
  print(`The remote "${remote}" of this folder is ${url}.`);
  if (written)
    print('package.json is written; commit it: git add package.json && git commit -m "Name the application"');
  if (app !== packageNameOf(name)) warn(`The application will be called ${app}, as in its package.json.`);
  if (host.credentialHelper === null) warn(`git asks for the password of ${service.user}, or an API token.`);
  print(`Deploy with: git push ${remote} ${branch}`);
  return 0;
}

/** Makes the settings that are given; a name that was mistyped is refused before anything is changed here. */
async function changeSettings({ call, user }: Api, app: string, args: Arguments): Promise<void> {
  const given = SET_BEFORE.flatMap((name) => {
    const text = args.text(name);
    return text === undefined ? [] : [[name, settingOf(name).kind.typed(text)] as const];
  });
  if (given.length === 0) return;
  await call({ method: 'PATCH', path: ['apps', user, app, 'settings'], body: Object.fromEntries(given) });
}

/** Returns the root of the repository. */
async function rootOf(git: Git): Promise<string> {
  const root = await git.read(['rev-parse', '--show-toplevel']);
  if (root === null) {
    throw new Failure('This folder is in no git repository: git init && git add --all && git commit -m "First"');
  }
  return root;
}

/** Adds the remote under its name, or the first of the others that is free. Returns the name. */
async function addRemote(git: Git, url: string, others: readonly string[]): Promise<string> {
  for (const remote of [REMOTE, ...others]) {
    const taken = await git.read(['remote', 'get-url', remote]);
    if (taken === url) return remote;
    if (taken !== null) continue;
    const { code, err } = await git.run(['remote', 'add', remote, url]);
    if (code !== 0) throw new Failure(`git remote add did not succeed: ${err}`);
    return remote;
  }
  const taken = await git.read(['remote', 'get-url', REMOTE]);
  throw new Failure(
    `This folder has a remote "${REMOTE}" already, ${taken}: git remote remove ${REMOTE}, then try again.`,
  );
}

function checkedName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !name.endsWith('.git')) return name;
  throw new UsageError('The name of a repository has letters, digits and . _ -, and begins with a letter or digit.');
}

const SITES = ['index.html', join('public', 'index.html')];

/**
 * Writes a package.json with the application's name into the repository's root when that has a site and no
 * package.json, after asking for it. Returns whether it did. Without a terminal it asks nothing, and says what is
 * missing.
 */
async function offerManifest(call: Call, { root, name }: { readonly root: string; readonly name: string }) {
  const file = join(root, 'package.json');
  if (existsSync(file)) return false;
  if (!SITES.some((site) => existsSync(join(root, site)))) {
    call.warn(
      'There is no package.json in the root of this repository: only Node applications and static sites can be deployed.',
    );
    return false;
  }
  const manifest = { name: packageNameOf(name) };
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
    `This site has no package.json, which names an application. Write one with the name "${name}"? [Y/n] `,
  );
  return /^(y|yes|)$/i.test(answer.trim());
}

/** Names of packages have lower-case letters only. */
function packageNameOf(repository: string): string {
  return repository.toLowerCase().replace(/(?<![^a-z0-9])[^a-z0-9]+$/, '');
}
