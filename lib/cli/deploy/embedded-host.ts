import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../command.ts';
import { Failure } from '../errors.ts';
import { serviceAt } from '../service/address.ts';
import { thisMachine } from '../service/find-service.ts';
import type { Service } from '../service/stored-login.ts';
import type { Git } from './git.ts';

/** The repository host that runs with the service on this machine. */
export interface EmbeddedHost {
  /** Without a slash at the end. */
  readonly url: string;
  /** The credential helper that git calls for the login; null where git is to ask. */
  readonly credentialHelper: string | null;
}

/** Returns the repository host of a service on one machine. Throws a `Failure` for one that has none. */
export async function embeddedHost(service: Service, call: Pick<Call, 'env' | 'signal'>): Promise<EmbeddedHost> {
  const { dataDir } = service;
  if (dataDir === undefined) return remoteHost(service, call);
  return { url: await publishedUrl(dataDir), credentialHelper: helperFor(join(dataDir, 'netrc')) };
}

export function repositoryUrl(host: EmbeddedHost, user: string, name: string): string {
  const url = new URL(`${host.url}/${encodeURIComponent(user)}/${encodeURIComponent(name)}.git`);
  // Git asks for the password of that user.
  if (host.credentialHelper === null) url.username = user;
  return url.href;
}

/**
 * Returns the options with which one git command logs in, and no helper of the user's is asked or told. Git runs it with
 * `loginEnvironment`.
 */
export function loginOptions({ url, credentialHelper }: EmbeddedHost): readonly string[] {
  return ['-c', `credential.${url}.helper=`, '-c', `credential.${url}.helper=${credentialHelper ?? FROM_ENVIRONMENT}`];
}

const FROM_ENVIRONMENT = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$HOOKS_GIT_USER" "$HOOKS_GIT_SECRET"; }; f`;

/** Returns the variables from which git gets the login of a service, where that is not in a data folder. */
export function loginEnvironment({ user, secret }: Service): Readonly<Record<string, string>> {
  return { HOOKS_GIT_USER: user, HOOKS_GIT_SECRET: secret };
}

/** Configures git to log in to the host, in this repository. The empty value ends the list of the user's helpers. */
export async function storeLogin(git: Git, { url, credentialHelper }: EmbeddedHost): Promise<void> {
  if (credentialHelper === null) return;
  const key = `credential.${url}.helper`;
  await git.run(['config', '--local', '--replace-all', key, '']);
  await git.run(['config', '--local', '--add', key, credentialHelper]);
}

/** The service says where its repositories are; the login is not in a data folder, so git asks for it. */
async function remoteHost({ url }: Service, { env, signal }: Pick<Call, 'env' | 'signal'>): Promise<EmbeddedHost> {
  const local = await thisMachine(env);
  if (local?.dataDir !== undefined && local.url === url) {
    return { url: await publishedUrl(local.dataDir), credentialHelper: null };
  }
  const repositories = (await serviceAt(url, signal))?.links.repositories;
  if (repositories !== undefined) return { url: new URL(repositories).origin, credentialHelper: null };
  throw new Failure(
    `The service at ${url} has no repository host. Create the repository at your host, and set up its webhook: "hooks hook <host> <owner/repository>".`,
  );
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
