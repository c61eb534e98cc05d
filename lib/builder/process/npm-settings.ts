import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../files/atomic-file.ts';
import { NPM_NETWORK, type OwnEnvironment, withoutLogin } from './child-environment.ts';

/**
 * Writes into the home of a release what the operator's settings of npm say of where packages come from, and no
 * credentials: the install script of any package reads what is there. A private registry's token belongs into the variables
 * of an application, and `.npmrc` of its repository names it.
 * https://docs.npmjs.com/cli/v11/configuring-npm/npmrc
 */
export async function writeNpmSettings(own: OwnEnvironment, home: string): Promise<void> {
  const { npm_config_userconfig, npm_config_globalconfig } = npmFiles(own);
  // The later line wins.
  const files = [npm_config_globalconfig, npm_config_userconfig].map((file) => file && readFile(file, 'utf8'));
  const texts = await Promise.allSettled(files);
  const lines = texts.flatMap((text) => (text.status === 'fulfilled' ? (text.value ?? '').split('\n') : []));
  const kept = lines.flatMap(passedOn);
  // In place of a link, which an earlier build of the release may have made.
  if (kept.length > 0) await replaceFile(join(home, '.npmrc'), `${kept.join('\n')}\n`);
}

/** Returns the variables that name the operator's files, for a command that runs nothing of a package. */
export function npmFiles({ HOME, npm_config_userconfig, npm_config_globalconfig }: OwnEnvironment) {
  const userconfig = npm_config_userconfig ?? (HOME === undefined ? undefined : join(HOME, '.npmrc'));
  return {
    ...(userconfig !== undefined && { npm_config_userconfig: userconfig }),
    npm_config_globalconfig: npm_config_globalconfig ?? join(dirname(dirname(process.execPath)), 'etc/npmrc'),
  };
}

function passedOn(line: string): readonly string[] {
  const [, key = '', value = ''] = /^([^=;#\s]+)\s*=(.*)$/.exec(line.trim()) ?? [];
  const name = `npm_config_${key.replace(/\[\]$/, '').replaceAll('-', '_')}`;
  return NPM_NETWORK.test(name) ? [`${key}=${withoutLogin(name, value.trim())}`] : [];
}
