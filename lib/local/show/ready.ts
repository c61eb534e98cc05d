import { join, relative } from 'node:path';
import { answers } from '../../client/applications.ts';
import { shellQuote } from '../../process/command.ts';
import type { PublicAddresses } from '../config/public-addresses.ts';
import type { ShownApplication } from './applications.ts';

/** The addresses and logins of the running service. */
export interface Ready {
  /** Address of the API. */
  readonly url: string;
  /** Its addresses for other machines, if it has any. */
  readonly addresses: PublicAddresses | undefined;
  readonly user: string;
  readonly dataDir: string;
  /** The command line, called so that it finds this service. */
  readonly hooks: string;
  /** Whether it runs from a package of npm, not from a clone. */
  readonly isPackage: boolean;
  /** Name and bare repository of the sample application. */
  readonly sample: { readonly app: string; readonly repository: string };
  readonly applications: readonly ShownApplication[];
}

/**
 * Returns the lines that say what runs, and what to try next: the commands of the README. With those of the first deploy
 * they fit a terminal of 24 rows and 80 columns. None holds the password.
 */
export function readyLines(ready: Ready): string[] {
  const { url, addresses, user, dataDir, hooks, isPackage, sample, applications } = ready;
  const here = (path: string) => shellQuote(relative(process.cwd(), path) || '.');
  return [
    '',
    ...runningLines(applications, sample.app),
    `The page       ${addresses?.service ?? url}/  (user ${user}, password in ${here(join(dataDir, 'password'))})`,
    `Webhook        ${addresses?.service ?? url}/1/deploy`,
    ...(addresses ? publicLines(addresses, user) : []),
    '',
    'Your own application:',
    `  npm install --global ${isPackage ? '<the package>  # once' : '.  # once, in the clone'}: the command "hooks"`,
    `  cd my-app && ${hooks} create my-app && git push hooks HEAD`,
    'Or change the page of the sample:',
    `  git clone ${here(sample.repository)} ../hello`,
    `  cd ../hello && sed -i.bak 's/Hello from a push/Hello again/' server.js`,
    `  rm server.js.bak && git commit -am 'Another page' && git push`,
    'Ctrl-C ends everything; the next start continues where this one stopped.',
  ];
}

function publicLines({ apps, repositories, signals }: PublicAddresses, user: string): string[] {
  const port = apps?.port && `:${apps.port}`;
  return [
    ...(apps ? [`Applications   ${apps.protocol}//<application>.${user}.${apps.domain}${port}`] : []),
    ...(repositories ? [`Repositories   ${repositories}/${user}/<name>.git`] : []),
    `Notifications  ${signals}`,
  ];
}

/** The sample has a separate line while it runs; the others are listed with their state. */
function runningLines(applications: readonly ShownApplication[], sample: string): string[] {
  const shown = applications.find((application) => application.name === sample && answers(application));
  const others = applications.filter((application) => application !== shown);
  const width = Math.max(...others.map(({ name }) => name.length), 0);
  return [
    ...(shown ? [`The sample application answers at  ${shown.url}`] : []),
    ...(others.length > 0 ? ['Applications'] : []),
    ...others.map(({ name, state, url }) =>
      `  ${name.padEnd(width)}  ${state.padEnd('running'.length)}  ${answers({ state }) ? url : ''}`.trimEnd(),
    ),
  ];
}
