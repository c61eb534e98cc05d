import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandContext } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Service } from '../service/service.ts';
import { thisMachine } from '../service/this-machine.ts';
import type { Git } from './git.ts';

/** The git remote that `hooks create` adds. */
export const REMOTE = 'hooks';

/** The repository host that runs with the service on this machine. */
export interface EmbeddedHost {
  /** Without a slash at the end. */
  readonly url: string;
  /** The credential helper that git calls for the login. */
  readonly credentialHelper: string;
}

/** Returns the repository host of a service on this machine. Throws a `Failure` for any other service. */
export async function embeddedHost(service: Service, env: CommandContext['env']): Promise<EmbeddedHost> {
  const { dataDir } = service;
  if (dataDir === undefined) throw new Failure(await whatToDo(service, env));
  return { url: await publishedUrl(dataDir), credentialHelper: helperFor(join(dataDir, 'netrc')) };
}

/** Returns the address of a repository. */
export function repositoryUrl(host: Pick<EmbeddedHost, 'url'>, user: string, name: string): string {
  return `${host.url}/${encodeURIComponent(user)}/${encodeURIComponent(name)}.git`;
}

/** Returns the options with which one git command logs in, and no helper of the user's is asked or told. */
export function loginOptions({ url, credentialHelper }: EmbeddedHost): readonly string[] {
  return ['-c', `credential.${url}.helper=`, '-c', `credential.${url}.helper=${credentialHelper}`];
}

/** Has git log in to the host from now on, in this repository. The empty value ends the list of the user's helpers. */
export async function storeLogin(git: Git, { url, credentialHelper }: EmbeddedHost): Promise<void> {
  const key = `credential.${url}.helper`;
  await git.run(['config', '--local', '--replace-all', key, '']);
  await git.run(['config', '--local', '--add', key, credentialHelper]);
}

/** A login that was given by name is not in the data folder, where git could take it from. */
async function whatToDo({ url, user }: Service, env: CommandContext['env']): Promise<string> {
  const local = await thisMachine(env);
  if (local?.dataDir !== undefined && local.url === url && local.user !== user) {
    const remote = new URL(repositoryUrl({ url: await publishedUrl(local.dataDir) }, user, '<name>'));
    remote.username = user;
    const address = decodeURIComponent(remote.href);
    return `This command pushes as ${local.user}, whose login is in the data folder. As ${user}, use git, which asks for the password: git remote add ${REMOTE} ${address}`;
  }
  return `The service at ${url} is reached by its API only. Create the repository at your host, and set up its webhook: "hooks hook <host> <owner/repository>". Where the service has its own repository host, push there with git.`;
}

async function publishedUrl(dataDir: string): Promise<string> {
  const file = join(dataDir, 'repositories-url');
  try {
    return new URL((await readFile(file, 'utf8')).trim()).origin;
  } catch (cause) {
    throw new Failure(`${file} does not have the address of the repository host: does "npm start" run?`, { cause });
  }
}

/**
 * Git runs this with the shell: https://git-scm.com/docs/gitcredentials#_custom_helpers. It reads the file at each
 * push, so that .git/config never holds the password and a new one needs no change.
 */
function helperFor(netrc: string): string {
  const user = 's/.* login \\([^ ]*\\) .*/username=\\1/p';
  const password = 's/.* password \\([^ ]*\\).*/password=\\1/p';
  const file = `'${netrc.replaceAll("'", `'\\''`)}'`;
  return `!f() { test "$1" = get && sed -n 'h;${user};g;${password};q' ${file}; }; f`;
}
