import { readFileSync } from 'node:fs';

const SCRIPT = new URL('build-application.sh', import.meta.url);
/** Of the embedded platform: a site is served alike on both. */
const STATIC_SERVER = new URL('../../builder/start/static-server.mjs', import.meta.url);
/** The line of the script that stands for it. */
const PLACE = '# static-server.mjs\n';

/** Returns the command that builds an application, with the server of static sites in it. */
export function buildCommand(): string {
  const server = readFileSync(STATIC_SERVER, 'utf8');
  return readFileSync(SCRIPT, 'utf8').replace(PLACE, () => server);
}
